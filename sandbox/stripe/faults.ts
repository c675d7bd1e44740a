import { callNames } from './calls.ts';

/** How a call fails: see `fail` of `openStripe`. */
export type Fault = {
  /** The call as Stripe's reference names it: 'POST /v1/payment_intents/:id/cancel'. */
  call: string;
  /** How many calls fail; 1 where nothing is said. */
  times?: number;
} & (
  | {
      /**
       * 500, 429: answered so, nothing done. stored-500: the same, and again to whoever comes with the same idempotency
       * key. refused: no connection. timeout-after-success: the call succeeds but its response is lost.
       * processing: a confirmed payment stays `processing` until `finish`.
       */
      how: 500 | 429 | 'stored-500' | 'refused' | 'timeout-after-success' | 'processing';
    }
  | {
      /** Asks `until` when the call comes and does nothing before it ends; an idempotency key is held meanwhile. */
      how: 'slow';
      until: () => Promise<unknown>;
    }
);

export interface Faults {
  fail: (fault: Fault) => void;
  take: (call: string) => Fault | undefined;
}

export function openFaults(): Faults {
  const waiting: { fault: Fault; left: number }[] = [];
  return {
    fail(fault) {
      if (!callNames.includes(fault.call)) throw new Error(`No such call: ${fault.call}`);
      waiting.push({ fault, left: fault.times ?? 1 });
    },
    take(call) {
      const next = waiting.find(({ fault, left }) => fault.call === call && left > 0);
      if (next) next.left -= 1;
      return next?.fault;
    },
  };
}

/** What `fetch` throws when a connection fails. */
export function connectionError(code: 'ECONNREFUSED' | 'ETIMEDOUT'): Error {
  return Object.assign(new TypeError('fetch failed'), { code });
}
