import { useCallback, useEffect, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Order } from '../../../../contract/orders.ts';
import { ApiError } from '../../../client/client.ts';
import { getSession } from '../../../client/session.ts';

/** Requests the client secret for paying this order. `retry` requests it again after an error. */
export function useClientSecret({ _id, price }: Order) {
  const [state, setState] = useState<{ secret?: string; error?: string; isFinal?: boolean }>({});
  const { revalidate } = useRevalidator();
  const requestSecret = useCallback(
    async (signal: AbortSignal) => {
      setState({});
      try {
        const body = { price, order: _id };
        const { clientSecret } = await getSession().client.call('createPaymentIntent', { body, signal });
        setState({ secret: clientSecret });
      } catch (error) {
        if (signal.aborted) return;
        const status = error instanceof ApiError ? error.problem.status : 0;
        setState({
          error: error instanceof Error ? error.message : 'The payment cannot be started.',
          // Sold out, paid or deleted: retrying cannot help.
          isFinal: [402, 404, 409].includes(status),
        });
        // It may have been paid in the meantime: show the order's current state.
        if (status === 409) await revalidate();
      }
    },
    [_id, price, revalidate],
  );
  useEffect(() => {
    const controller = new AbortController();
    void requestSecret(controller.signal);
    return () => controller.abort();
  }, [requestSecret]);
  return { ...state, retry: () => requestSecret(new AbortController().signal) };
}
