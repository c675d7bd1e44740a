import type { StripeResponse } from './errors.ts';
import type { StripeForm, StripeParams } from './form.ts';
import type { StripeDatabase, StripeKeys } from './tables.ts';

/** One request to the API, read and let in. `db` is the transaction that its changes belong to. */
export interface CallContext {
  db: StripeDatabase;
  keys: StripeKeys;
  /** The `:id` of the path, or ''. */
  id: string;
  form: StripeForm;
  /** The stand-in's own address, https://shop.example/sandbox/stripe */
  base: string;
  /** Null for changes that Stripe makes on its own. */
  requestId: string | null;
  idempotencyKey: string | null;
  /** A confirmed payment stays `processing` for a while. */
  processing?: boolean;
}

export interface StripeCall {
  /** Method and path as Stripe's reference has them: 'POST /v1/payment_intents/:id/confirm'. */
  name: string;
  /** What may be sent; everything else is `parameter_unknown`, also what only the real Stripe knows. */
  params: StripeParams;
  /** Open to a publishable key; for a payment intent the client secret is asked for as well. */
  publishable?: true;
  handle: (asked: CallContext) => Promise<StripeResponse>;
}

export const nowInSeconds = () => Math.floor(Date.now() / 1000);
