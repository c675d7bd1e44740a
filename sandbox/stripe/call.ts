import type { Answer } from './errors.ts';
import type { Form, Params } from './form.ts';
import type { Database, Keys } from './tables.ts';

/** One request to the API, read and let in. `db` is the transaction that its changes belong to. */
export interface Asked {
  db: Database;
  keys: Keys;
  /** The `:id` of the path, or ''. */
  id: string;
  form: Form;
  /** The stand-in's own address, https://shop.example/sandbox/stripe */
  base: string;
  /** Null for changes that Stripe makes on its own. */
  requestId: string | null;
  idempotencyKey: string | null;
  /** A confirmed payment stays `processing` for a while. */
  processing?: boolean;
}

export interface Call {
  /** Method and path as Stripe's reference has them: 'POST /v1/payment_intents/:id/confirm'. */
  name: string;
  /** What may be sent; everything else is `parameter_unknown`, also what only the real Stripe knows. */
  params: Params;
  /** Open to a publishable key; for a payment intent the client secret is asked for as well. */
  publishable?: true;
  answer: (asked: Asked) => Promise<Answer>;
}

export const nowInSeconds = () => Math.floor(Date.now() / 1000);
