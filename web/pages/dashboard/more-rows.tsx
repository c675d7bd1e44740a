import { useEffect, useRef } from 'react';
import { useNavigation, useSearchParams } from 'react-router';
import { ButtonLink } from '../../components/button.tsx';

const rowsPerStep = 50;
/** More rows would take too long to render. */
const maxRows = 200;

const readLimit = (search: URLSearchParams) =>
  Math.min(maxRows, Math.max(rowsPerStep, Math.trunc(Number(search.get('rows'))) || rowsPerStep));

/** The list query for a page's URL: `?rows=` is the number of rows, `?after=` the id after which they start. */
export function readRowsQuery(request: Request): { limit: number; after?: string } {
  const { searchParams } = new URL(request.url);
  const after = searchParams.get('after');
  return { limit: readLimit(searchParams), ...(after ? { after } : {}) };
}

/** For a screen reader, such as "1 order matches" or "The first 50 matching orders". `noun` gets an s. */
export function describeMatches(count: number, hasMore: boolean, noun: string): string {
  if (hasMore) return `The first ${count} matching ${noun}s`;
  return count === 1 ? `1 ${noun} matches` : `${count} ${noun}s match`;
}

/**
 * A link to the same page with more rows. The number of rows is in the URL, so that revalidation loads all of them and the link
 * works without scripts.
 */
export function MoreRows({ shown, after }: { shown: number; after: string | undefined }) {
  const [search] = useSearchParams();
  const { state } = useNavigation();
  const clickedAt = useRef<number>(undefined);
  useEffect(() => {
    const first = clickedAt.current;
    if (first === undefined || shown <= first) return;
    clickedAt.current = undefined;
    const row = document.querySelectorAll<HTMLElement>('tbody tr')[first];
    row?.setAttribute('tabindex', '-1');
    row?.focus();
  }, [shown]);
  if (!after) return null;

  const next = new URLSearchParams(search);
  const limit = readLimit(search);
  const grows = shown === limit && limit < maxRows;
  if (grows) next.set('rows', String(limit + rowsPerStep));
  else {
    next.set('after', after);
    next.delete('rows');
  }
  return (
    <p className="mt-6 flex flex-wrap items-center gap-4 text-sm text-soft">
      <ButtonLink
        kind="plain"
        to={`?${next}`}
        // Beyond `maxRows`, the link leads to a new page with the next rows, which starts at its top.
        preventScrollReset={grows}
        onClick={() => {
          if (grows) clickedAt.current = shown;
        }}
      >
        {state === 'loading' ? 'Loading…' : 'Show more'}
      </ButtonLink>
      {`${shown} shown`}
    </p>
  );
}
