import { useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Problem } from '../../../contract/problem.ts';
import { ApiError } from '../../client/api/client.ts';
import { Button } from '../../components/button.tsx';
import type { Results } from './load-catalogue.ts';

type Loaded = { results: Results; problem?: never } | { results?: never; problem: Problem };

/** The current results or, if the shop cannot be reached, the previous ones. Throws if there are none yet. */
export function useLastResults({ results, problem }: Loaded): Results {
  const [last, setLast] = useState(results);
  if (results && results !== last) setLast(results);
  if (results) return results;
  if (last) return last;
  throw new ApiError(problem);
}

/** Keeps the page and the typed text while the shop cannot be reached. Searches again once the device is online. */
export function Unreachable({ problem }: { problem: Problem }) {
  const { state, revalidate } = useRevalidator();
  useEffect(() => {
    const retry = () => void revalidate();
    addEventListener('online', retry);
    return () => removeEventListener('online', retry);
  }, [revalidate]);
  return (
    <div
      role="alert"
      className="mb-6 flex flex-wrap items-center justify-between gap-4 border-l-4 border-ruby bg-leaf px-4 py-3 text-ruby"
    >
      {`${problem.title}. Showing the previous results.`}
      <Button kind="plain" busy={state === 'loading'} onClick={() => void revalidate()}>
        Search again
      </Button>
    </div>
  );
}
