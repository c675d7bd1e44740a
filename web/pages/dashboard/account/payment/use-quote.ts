import { useEffect, useRef, useState } from 'react';
import type { Quote } from '../../../../../contract/delivery/quotes.ts';
import { isSignedOut } from '../../../../client/api/api-errors.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';

/** How long to wait for the next key before the rates are loaded. */
const typingDelayMs = 400;

type Destination = { country: string; postcode: string };

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
  // Nothing else of the address belongs into a URL.
  const destination = useRef<Destination>({ country: start.country, postcode: start.postcode });
  const request = useRef<AbortController>(undefined);
  useEffect(() => () => request.current?.abort(), []);

  async function load(delayMs: number): Promise<void> {
    request.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    request.current = controller;
    setState(({ quote }) => ({ quote, isLoading: true, announcement: '' }));
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (signal.aborted) return;
    try {
      const query = destination.current;
      const { client } = getSession();
      const quote = await client.call('quotePurchase', { params: { id: purchase }, query, signal });
      if (!signal.aborted) setState({ quote, isLoading: false, announcement: describe(quote) });
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) return onSignedOut();
      setState(({ quote }) => ({
        quote,
        isLoading: false,
        error: getErrorMessage(error),
        announcement: '',
      }));
    }
  }

  return {
    ...state,
    reload: () => load(0),
    changeCountry(country: string) {
      destination.current = { ...destination.current, country };
      void load(0);
    },
    changePostcode(postcode: string) {
      if (postcode.trim() === destination.current.postcode) return;
      destination.current = { ...destination.current, postcode: postcode.trim() };
      void load(typingDelayMs);
    },
  };
}

function describe({ rates: { length } }: Quote): string {
  if (length === 0) return 'Delivery has changed: look below the address.';
  return length === 1
    ? 'Delivery has changed: there is one way.'
    : `Delivery has changed: there are ${length} ways.`;
}
