import { useEffect } from 'react';
import { useLocation, useRouteError } from 'react-router';
import { dashboardPage, loginPage, myOrdersPage, productsPage } from '../../../contract/page-addresses.ts';
import { toProblem } from '../../page-errors.ts';
import { Button, ButtonLink } from '../button.tsx';
import { PageHeading } from '../page-heading.tsx';
import { useOffline } from './offline.tsx';

/** Replaces a page that cannot be shown: what happened, and what to do next. */
export function RouteError() {
  const { pathname, search } = useLocation();
  const { title, detail, action } = explainError(useRouteError(), pathname);
  const isOffline = useOffline();
  useEffect(() => {
    if (action !== 'retry') return;
    addEventListener('online', reload);
    return () => removeEventListener('online', reload);
  }, [action]);
  return (
    <div className="border-y border-rule py-12">
      <PageHeading title={title} description={detail} />
      <p className="mb-8 max-w-text text-lg text-soft">
        {detail} {action === 'retry' && isOffline && 'This page opens by itself when you are back online.'}
      </p>
      {action === 'retry' && <Button onClick={reload}>Retry</Button>}
      {action === 'sign in' && (
        <ButtonLink to={`${loginPage}?from=${encodeURIComponent(pathname + search)}`}>Sign in</ButtonLink>
      )}
      {action === 'products' && <ButtonLink to={productsPage}>Products</ButtonLink>}
      {action === 'orders' && <ButtonLink to={myOrdersPage}>My Orders</ButtonLink>}
    </div>
  );
}

/** A reload also fetches the scripts of the newest release. */
const reload = () => location.reload();

type Explanation = { title: string; detail: string; action: 'retry' | 'sign in' | 'products' | 'orders' };

function explainError(error: unknown, pathname: string): Explanation {
  if (error instanceof Error && error.name === 'ChunkLoadError')
    return {
      title: error.message,
      detail: 'Part of this page could not be loaded. Check your connection and try again.',
      action: 'retry',
    };
  const { title, detail, status } = toProblem(error);
  // The detail names the missing object; the title does not.
  if (status === 404)
    return pathname.startsWith(dashboardPage)
      ? {
          title: detail,
          detail: 'It may have been deleted, or it belongs to another account.',
          action: 'orders',
        }
      : { title: detail, detail: 'It may no longer be for sale.', action: 'products' };
  // The detail may repeat the title, which is shown above it.
  return { title, detail: detail.replace(`${title}. `, ''), action: status === 401 ? 'sign in' : 'retry' };
}
