import { useCallback, useEffect, useState } from 'react';
import { getErrorMessage } from '../../../client/api/error-message.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorMessage } from '../../../forms/fields/error-message.tsx';

/** Fetches a value in the browser, and again when `load` is called. If fetching fails, the previous value stays. */
export function useFetched<Value>(fetchValue: () => Promise<Value>) {
  const [value, setValue] = useState<Value>();
  const [error, setError] = useState<string>();
  const load = useCallback(async () => {
    try {
      setValue(await fetchValue());
      setError(undefined);
    } catch (error) {
      setError(getErrorMessage(error));
    }
  }, [fetchValue]);
  useEffect(() => void load(), [load]);
  return { value, error, load };
}

export function FetchError({ error, onRetry }: { error: string | undefined; onRetry: () => void }) {
  return (
    <div role="alert">
      {error && (
        <>
          <ErrorMessage>{error}</ErrorMessage>
          <Button kind="plain" onClick={onRetry} className="mt-4">
            Retry
          </Button>
        </>
      )}
    </div>
  );
}
