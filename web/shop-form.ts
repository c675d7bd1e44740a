import type { Client } from './client.ts';
import { refusalOf } from './form.ts';
import { IdentityRefused } from './identity.ts';

/** Who sends a form: the browser's script, or the server for a browser without it. */
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
  /** How fields that are not text are read from what was typed. */
  read?: Readonly<Record<string, (typed: string) => unknown>>;
  judge: (typed: unknown) => Judged<Values>;
  /** Throws `CallFailed` or `IdentityRefused`. */
  send: (sender: Sender, values: Values) => Promise<Answer>;
  /** Where its sender goes afterwards. */
  next: string;
  /** The `?done=` by which a plain post lets that page say what happened, in a text of its own. */
  done?: string;
};

/** What a refused post shows again. */
export type Refused = {
  form: string;
  values: Record<string, string>;
  errors: Record<string, string>;
  /** What is wrong with no field in particular. */
  root?: string;
};

/** What to show of an error: at the form's own fields, or else (`root`) over it. */
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
