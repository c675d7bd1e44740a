import { useLocation, useRouteError } from 'react-router';
import { problemOf } from '../page-errors.ts';
import { Button, ButtonLink } from './button.tsx';
import { PageHeading } from './page-heading.tsx';

/** What stands in a page's place when it cannot be shown: what happened, and the way on. */
export function RouteError() {
  const { title, detail, act } = explain(useRouteError());
  const { pathname, search } = useLocation();
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
      {act === 'go on' && <ButtonLink to="/products">Products</ButtonLink>}
    </div>
  );
}

type Explained = { title: string; detail: string; act: 'retry' | 'sign in' | 'go on' };

function explain(error: unknown): Explained {
  if (error instanceof Error && error.name === 'ChunkLoadError')
    return {
      title: error.message,
      detail: 'A part of this page did not arrive. Check your connection and try again.',
      act: 'retry',
    };
  const { title, detail, status } = problemOf(error);
  // The thing's own name says more than "There is no such thing".
  if (status === 404)
    return { title: detail, detail: 'It may be gone, or belong to another account.', act: 'go on' };
  return { title, detail, act: status === 401 ? 'sign in' : 'retry' };
}
