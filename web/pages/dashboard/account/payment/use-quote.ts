import { useEffect, useRef, useState } from 'react';
import type { Quote } from '../../../../../contract/delivery/quotes.ts';
import { isSignedOut } from '../../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';

/** The parts of an address that the rates depend on. Nothing else of it belongs into a URL. */
export type Destination = { country: string; postcode: string };

type State = {
  quote: Quote;
  isLoading: boolean;
  /** Why the rates could not be loaded. */
  error?: string;
  /** For screen readers, once other rates have been loaded. */
  announcement: string;
};

/** The rates of a purchase for the address that is being entered. `initial` is the quote that the page was loaded with. */
export function useQuote(
  purchase: string,
  initial: Quote,
  start: Destination,
  onSignedOut: () => Promise<void>,
) {
  const [state, setState] = useState<State>({ quote: initial, isLoading: false, announcement: '' });
  /** The destination of the last request, or of the quote that the page was loaded with; undefined if the request failed. */
  const requested = useRef<Destination | undefined>({ country: start.country, postcode: start.postcode });
  const request = useRef<AbortController>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      request.current?.abort();
    },
    [],
  );

  async function load(destination: Destination): Promise<void> {
    clearTimeout(timer.current);
    request.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    request.current = controller;
    requested.current = destination;
    setState(({ quote }) => ({ quote, isLoading: true, announcement: '' }));
    try {
      const { client } = getSession();
      const params = { id: purchase };
      const quote = await client.call('quotePurchase', { params, query: destination, signal });
      if (signal.aborted) return;
      setState((before) => ({ quote, isLoading: false, announcement: describeChange(before.quote, quote) }));
    } catch (error) {
      if (signal.aborted) return;
      requested.current = undefined;
      if (isSignedOut(error)) return onSignedOut();
      const message = getErrorMessage(error);
      setState(({ quote }) => ({ quote, isLoading: false, error: message, announcement: '' }));
    }
  }

  return {
    ...state,
    load,
    /** Loads the rates of another destination, after a delay while it is being typed. Returns whether they are being loaded. */
    follow(destination: Destination, delayMs = 0): boolean {
      clearTimeout(timer.current);
      const { country, postcode } = requested.current ?? {};
      if (country === destination.country && postcode === destination.postcode) return state.isLoading;
      if (delayMs > 0) timer.current = setTimeout(() => void load(destination), delayMs);
      else void load(destination);
      return true;
    },
  };
}

/** The announcement; '' if the same rates are offered at the same prices. */
function describeChange(before: Quote, { rates, problems }: Quote): string {
  const list = (quote: Pick<Quote, 'rates' | 'problems'>) =>
    JSON.stringify([quote.rates.map(({ _id, price }) => [_id, price]), quote.problems]);
  if (list(before) === list({ rates, problems })) return '';
  if (problems.includes('address')) return 'Choose the country: the delivery options depend on it.';
  if (problems.includes('postcode')) return 'Enter the postcode: the delivery costs depend on it.';
  if (rates.length === 0 || problems.includes('not_to')) return 'We cannot send this order there: see below.';
  return rates.length === 1
    ? 'The delivery options have changed: one is available.'
    : `The delivery options have changed: ${rates.length} are available.`;
}
