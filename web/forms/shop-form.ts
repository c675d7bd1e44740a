import type { Client } from '../client/client.ts';
import { refusalOf } from './refusal.ts';
import { IdentityRefused } from '../client/identity.ts';

/** What sends a form: the browser's script, or the server for a browser without it. */
export type Sender = {
  client: Client;
  askIdentity: (path: string, body: object) => Promise<unknown>;
};

export type Judged<Values> = { values: Values } | { errors: Record<string, string> };

/**
 * A form of the shop, defined once for both ways it is sent: by the page's script (`use-shop-form.ts`), and as a plain
 * HTML post (`actions.ts`).
 */
export type ShopForm<Values, Answer = unknown> = {
  /** Distinguishes the forms of one page. */
  name: string;
  /** Its fields in the order of the page. */
  fields: readonly string[];
  /** Fields that are never sent back to the browser. */
  secrets?: readonly string[];
  /** Readers for fields that are not text. */
  read?: Readonly<Record<string, (typed: string) => unknown>>;
  judge: (typed: unknown) => Judged<Values>;
  /** Throws `CallFailed` or `IdentityRefused`. */
  send: (sender: Sender, values: Values) => Promise<Answer>;
  /** The page to show afterwards. */
  next: string;
  /** The `?done=` code that tells that page, after a plain post, which of its own messages to show. */
  done?: string;
};

/** What a refused post shows again. */
export type Refused = {
  form: string;
  values: Record<string, string>;
  errors: Record<string, string>;
  /** An error of no field in particular. */
  root?: string;
};

/** Splits an error into messages for the form's own fields or, if it concerns none of them, one for the form (`root`). */
export function sortRefusal(
  error: unknown,
  fields: readonly string[],
): { errors: Record<string, string>; root?: string } {
  if (error instanceof IdentityRefused) return { errors: {}, root: error.message };
  const { fields: named, detail } = refusalOf(error);
  const errors = Object.fromEntries(
    named.filter(({ field }) => fields.includes(field)).map(({ field, message }) => [field, message]),
  );
  return Object.keys(errors).length > 0 ? { errors } : { errors, root: detail };
}
