import { useRouteError } from 'react-router';
import { problemOf } from '../page-errors.ts';
import { Button } from './button.tsx';
import { PageHeading } from './page-heading.tsx';

/** What stands in a page's place when it cannot be shown. Retry loads it anew, with the newest release's scripts. */
export function RouteError() {
  const error = useRouteError();
  const { title, detail } = isChunkError(error)
    ? {
        title: error.message,
        detail: 'A part of this page did not arrive. Check your connection and try again.',
      }
    : problemOf(error);
  return (
    <div className="py-16">
      <PageHeading title={title} description={detail} />
      <p className="mb-8 max-w-text">{detail}</p>
      <Button onClick={() => location.reload()}>Retry</Button>
    </div>
  );
}

const isChunkError = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ChunkLoadError';
