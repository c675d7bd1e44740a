import { useLocation, useRouteError } from 'react-router';
import { problemOf } from '../../page-errors.ts';
import { Button, ButtonLink } from '../button.tsx';
import { PageHeading } from '../page-heading.tsx';

/** What stands in a page's place when it cannot be shown: what happened, and the way on. */
export function RouteError() {
  const { pathname, search } = useLocation();
  const { title, detail, act } = explain(useRouteError(), pathname);
  return (
    <div className="border-y border-rule py-12">
      <PageHeading title={title} description={detail} />
      <p className="mb-8 max-w-text text-lg text-soft">{detail}</p>
      {act === 'retry' && (
        // Anew, and so with the newest release's scripts.
        <Button onClick={() => location.reload()}>Retry</Button>
      )}
      {act === 'sign in' && (
        <ButtonLink to={`/login?from=${encodeURIComponent(pathname + search)}`}>Sign in</ButtonLink>
      )}
      {act === 'products' && <ButtonLink to="/products">Products</ButtonLink>}
      {act === 'orders' && <ButtonLink to="/dashboard/myOrder">My Orders</ButtonLink>}
    </div>
  );
}

type Explained = { title: string; detail: string; act: 'retry' | 'sign in' | 'products' | 'orders' };

function explain(error: unknown, pathname: string): Explained {
  if (error instanceof Error && error.name === 'ChunkLoadError')
    return {
      title: error.message,
      detail: 'A part of this page did not arrive. Check your connection and try again.',
      act: 'retry',
    };
  const { title, detail, status } = problemOf(error);
  // The thing's own name says more than "There is no such thing".
  if (status === 404)
    return pathname.startsWith('/dashboard')
      ? { title: detail, detail: 'It may be deleted, or belong to another account.', act: 'orders' }
      : { title: detail, detail: 'It may have been sold for good.', act: 'products' };
  // The title stands over it already.
  return { title, detail: detail.replace(`${title}. `, ''), act: status === 401 ? 'sign in' : 'retry' };
}
