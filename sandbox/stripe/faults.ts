import { callNames } from './calls.ts';

/** Makes a call fail; see `fail` in `StripeStandIn`. */
export type Fault = {
  /** Method and path as in Stripe's API reference: 'POST /v1/payment_intents/:id/cancel'. */
  call: string;
  /** How many calls fail; 1 by default. */
  times?: number;
  /** Only calls about this object fail. */
  id?: string;
} & (
  | {
      /**
       * 400, 403, 429, 500: the response's status; nothing changes. stored-500: the same, and the response is replayed for the
       * idempotency key. unreachable: no connection. timeout-after-success: the call succeeds but its response is lost.
       * processing: a confirmed payment stays `processing` until `finish`.
       */
      how: 400 | 403 | 429 | 500 | 'stored-500' | 'unreachable' | 'timeout-after-success' | 'processing';
    }
  | {
      /** Awaits `meanwhile` before doing the work. The idempotency key stays locked until the response. */
      how: 'slow';
      meanwhile: () => Promise<unknown>;
    }
);

export interface Faults {
  fail: (fault: Fault) => void;
  take: (call: string, id: string) => Fault | undefined;
}

export function createFaults(): Faults {
  const pending: { fault: Fault; remaining: number }[] = [];
  return {
    fail(fault) {
      if (!callNames.includes(fault.call)) throw new Error(`No such call: ${fault.call}`);
      pending.push({ fault, remaining: fault.times ?? 1 });
    },
    take(call, id) {
      const next = pending.find(
        ({ fault, remaining }) => fault.call === call && (fault.id ?? id) === id && remaining > 0,
      );
      if (next) next.remaining -= 1;
      return next?.fault;
    },
  };
}

/** The error that `fetch` throws when a connection fails. */
export function connectionError(code: 'ECONNREFUSED' | 'ETIMEDOUT'): Error {
  return Object.assign(new TypeError('fetch failed'), { code });
}
