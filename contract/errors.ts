/** The HTTP status and title of each error code. */
export const errorTable = {
  bad_setting: { status: 500, title: 'A setting is wrong' },
  unreadable: { status: 400, title: 'The request cannot be read' },
  forged: { status: 400, title: 'The signature does not fit' },
  not_signed_in: { status: 401, title: 'Sign in first' },
  provider_refused: { status: 402, title: 'The payment provider refused' },
  not_allowed: { status: 403, title: 'You may not do this' },
  foreign_origin: { status: 403, title: 'This call came from another site' },
  not_found: { status: 404, title: 'There is no such thing' },
  wrong_method: { status: 405, title: 'This address does not take that method' },
  too_slow: { status: 408, title: 'The request arrived too slowly' },
  conflict: { status: 409, title: 'This is not possible now' },
  out_of_stock: { status: 409, title: 'There is not that much left' },
  price_changed: { status: 409, title: 'The price has changed' },
  already_paid: { status: 409, title: 'This order is paid' },
  not_paid: { status: 409, title: 'This order is not paid' },
  payment_mismatch: { status: 409, title: 'That payment is not this order’s' },
  payment_processing: { status: 409, title: 'A payment is on its way' },
  too_many_unpaid: { status: 409, title: 'Too many unpaid orders' },
  too_large: { status: 413, title: 'The request is too large' },
  too_long: { status: 414, title: 'The address is too long' },
  wrong_type: { status: 415, title: 'This type of content is not taken' },
  wrong_host: { status: 421, title: 'The shop is not at this address' },
  invalid: { status: 422, title: 'Something in the form is not right' },
  too_many_tries: { status: 429, title: 'Too many attempts' },
  internal: { status: 500, title: 'The shop made a mistake' },
  provider_unreachable: { status: 503, title: 'The payment provider cannot be reached' },
  unavailable: { status: 503, title: 'The shop cannot do this at the moment' },
} as const;

type ErrorCode = keyof typeof errorTable;

export type FieldError = { field: string; message: string };

/**
 * The one error that the shop's rules throw. `detail` is for the person who asked, `data` holds facts to act
 * on, `errors` the fields that are wrong; `retryAfter` is in seconds, `allow` the methods that an address takes.
 */
export class ShopError extends Error {
  readonly code: ErrorCode;
  readonly data: Record<string, string | number | boolean> | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    more: {
      data?: Record<string, string | number | boolean>;
      errors?: FieldError[];
      retryAfter?: number;
      allow?: readonly string[];
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'ShopError';
    this.code = code;
    this.data = more.data;
    this.errors = more.errors;
    this.retryAfter = more.retryAfter;
    this.allow = more.allow;
  }
}

/** A wrong field that only the server can know to be wrong. */
export function invalid(field: string, message: string): ShopError {
  return new ShopError('invalid', message, { errors: [{ field, message }] });
}

/** A setting that the shop does not start with: one sentence for the shopkeeper, with the setting's name. */
export function wrongSetting(sentence: string): ShopError {
  return new ShopError('bad_setting', sentence);
}

/** An address that takes only these methods. */
export function wrongMethod(...allow: string[]): ShopError {
  return new ShopError('wrong_method', `This address takes ${allow.join(', ')}.`, { allow });
}
