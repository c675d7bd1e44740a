import { useEffect, useRef } from 'react';
import { useNavigation, useSearchParams } from 'react-router';
import { ButtonLink } from '../../components/button.tsx';

const step = 50;
/** The most on one page: more take longer to draw than anybody waits. */
const most = 200;

const readLimit = (search: URLSearchParams) =>
  Math.min(most, Math.max(step, Math.trunc(Number(search.get('rows'))) || step));

/** Which rows a table shows, as the query of its call: `?rows=` many, from behind the row `?after=`. */
export function rowsAsked(request: Request): { limit: number; after?: string } {
  const { searchParams } = new URL(request.url);
  const after = searchParams.get('after');
  return { limit: readLimit(searchParams), ...(after ? { after } : {}) };
}

/**
 * Under a table: a link to itself with more rows. They stand in the address, so that they are all asked for
 * anew after something was done, and so that it works without script.
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
  if (shown === limit && limit < most) next.set('rows', String(limit + step));
  else {
    next.set('after', after);
    next.delete('rows');
  }
  return (
    <p className="mt-6 flex flex-wrap items-center gap-4 text-sm text-soft">
      <ButtonLink
        kind="plain"
        to={`?${next}`}
        preventScrollReset
        onClick={() => {
          clickedAt.current = shown;
        }}
      >
        {state === 'loading' ? 'Fetching…' : 'Show more'}
      </ButtonLink>
      {`${shown} shown`}
    </p>
  );
}
