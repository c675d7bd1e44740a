import type { StripeResponse } from './errors.ts';
import type { StripeForm, StripeParams } from './form.ts';
import type { StripeDatabase, StripeKeys } from './tables.ts';

/** A parsed and authenticated API request. `db` is the transaction of a change. */
export interface CallContext {
  db: StripeDatabase;
  keys: StripeKeys;
  /** The `:id` in the path, or ''. */
  id: string;
  form: StripeForm;
  /** The stand-in's own URL: https://shop.example/sandbox/stripe */
  base: string;
  /** Null for changes that Stripe itself makes. */
  requestId: string | null;
  idempotencyKey: string | null;
  /** A confirmed payment first becomes `processing`. */
  processing?: boolean;
}

export interface StripeCall {
  /** Method and path as in Stripe's API reference: 'POST /v1/payment_intents/:id/confirm'. */
  name: string;
  /** The accepted parameters; others fail with `parameter_unknown`, even those that the real Stripe accepts. */
  params: StripeParams;
  /** Allowed with a publishable key; a payment intent then requires its client secret too. */
  publishable?: true;
  handle: (context: CallContext) => Promise<StripeResponse>;
}

export const nowInSeconds = () => Math.floor(Date.now() / 1000);
