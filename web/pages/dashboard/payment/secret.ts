import { useCallback, useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Order } from '../../../../contract/orders.ts';
import { CallFailed } from '../../../client/client.ts';
import { session } from '../../../client/session.ts';

/** The client secret for paying this order; requested when the page opens, and again after a refusal. */
export function useSecret({ _id, price }: Order) {
  const [answer, setAnswer] = useState<{ secret?: string; refused?: string; isFinal?: boolean }>({});
  const { revalidate } = useRevalidator();
  const ask = useCallback(
    async (signal: AbortSignal) => {
      setAnswer({});
      try {
        const body = { price, order: _id };
        const { clientSecret } = await session().client.call('createPaymentIntent', { body, signal });
        setAnswer({ secret: clientSecret });
      } catch (error) {
        if (signal.aborted) return;
        const status = error instanceof CallFailed ? error.problem.status : 0;
        setAnswer({
          refused: error instanceof Error ? error.message : 'The payment cannot be started.',
          // Sold out, paid or deleted: there is nothing to pay for.
          isFinal: [402, 404, 409].includes(status),
        });
        // It may have been paid in the meantime: show the order's current state.
        if (status === 409) await revalidate();
      }
    },
    [_id, price, revalidate],
  );
  useEffect(() => {
    const stop = new AbortController();
    void ask(stop.signal);
    return () => stop.abort();
  }, [ask]);
  return { ...answer, again: () => ask(new AbortController().signal) };
}
