/** The HTTP status and title of each error code. */
export const errorTable = {
  bad_setting: { status: 500, title: 'A setting is invalid' },
  unreadable: { status: 400, title: 'The request cannot be parsed' },
  forged: { status: 400, title: 'The signature is invalid' },
  not_signed_in: { status: 401, title: 'Sign in first' },
  provider_refused: { status: 402, title: 'The payment provider rejected the request' },
  not_allowed: { status: 403, title: 'You are not allowed to do this' },
  foreign_origin: { status: 403, title: 'This request came from another site' },
  not_found: { status: 404, title: 'Not found' },
  wrong_method: { status: 405, title: 'Method not allowed' },
  too_slow: { status: 408, title: 'The request arrived too slowly' },
  conflict: { status: 409, title: 'This is not possible now' },
  out_of_stock: { status: 409, title: 'Not enough stock' },
  in_stock: { status: 409, title: 'This is in stock' },
  address_unconfirmed: { status: 409, title: 'The email address is not confirmed' },
  checkout_incomplete: { status: 409, title: 'Delivery is not chosen' },
  price_changed: { status: 409, title: 'The price has changed' },
  purchase_changed: { status: 409, title: 'The order has changed in the meantime' },
  edit_conflict: { status: 409, title: 'Someone else changed this in the meantime' },
  already_paid: { status: 409, title: 'This order is paid' },
  order_expired: { status: 409, title: 'This order was not paid in time' },
  already_shipped: { status: 409, title: 'Part of this order has been shipped' },
  shared_number: { status: 409, title: 'Another customer’s order has this tracking number' },
  not_paid: { status: 409, title: 'This order is not paid' },
  over_shipment: { status: 409, title: 'Fewer pieces are left to ship' },
  over_refund: { status: 409, title: 'The refund is too large' },
  payment_mismatch: { status: 409, title: 'This payment belongs to another order' },
  open_payment: { status: 409, title: 'A payment has been started for an order' },
  payment_processing: { status: 409, title: 'A payment is being processed' },
  last_admin: { status: 409, title: 'This is the last admin' },
  already_reviewed: { status: 409, title: 'You have already reviewed this' },
  address_book_full: { status: 409, title: 'The address book is full' },
  basket_full: { status: 409, title: 'The basket is full' },
  too_many_unpaid: { status: 409, title: 'Too many unpaid orders' },
  other_account: { status: 412, title: 'Another account is signed in' },
  too_large: { status: 413, title: 'The request is too large' },
  too_long: { status: 414, title: 'The URL is too long' },
  wrong_type: { status: 415, title: 'Unsupported content type' },
  wrong_host: { status: 421, title: 'The shop does not serve this host' },
  invalid: { status: 422, title: 'Some fields are invalid' },
  too_many_attempts: { status: 429, title: 'Too many attempts' },
  internal: { status: 500, title: 'Internal error' },
  provider_unreachable: { status: 503, title: 'The payment provider cannot be reached' },
  unavailable: { status: 503, title: 'The shop cannot do this at the moment' },
} as const;

type ErrorCode = keyof typeof errorTable;

type Value = string | number | boolean | null;

/** Facts that a client can act on, such as `{ available: 2 }`, or records of them. */
export type ErrorData = Record<string, Value | Record<string, Value> | (string | Record<string, Value>)[]>;

export type FieldError = { field: string; message: string };

/**
 * The one error class of the shop's rules. `detail` is a message for the user, `data` holds values that a client can act
 * on, and `errors` lists the invalid fields. `retryAfter` is in seconds; `allow` lists the methods that a URL supports.
 */
export class ShopError extends Error {
  readonly code: ErrorCode;
  readonly data: ErrorData | undefined;
  readonly errors: FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      data?: ErrorData;
      errors?: FieldError[];
      retryAfter?: number;
      allow?: readonly string[];
      cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: options.cause });
    this.name = 'ShopError';
    this.code = code;
    this.data = options.data;
    this.errors = options.errors;
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
  }
}

/** An invalid field, in the format of validation errors. */
export function invalid(field: string, message: string): ShopError {
  return new ShopError('invalid', message, { errors: [{ field, message }] });
}

export function notFound(noun: string): ShopError {
  return new ShopError('not_found', `There is no such ${noun}.`);
}

/** An invalid setting, which prevents the start. The message is one sentence that names the setting. */
export function wrongSetting(message: string): ShopError {
  return new ShopError('bad_setting', message);
}

/** A request with a method that its URL does not support. */
export function wrongMethod(...allow: string[]): ShopError {
  return new ShopError('wrong_method', `This URL supports only ${allow.join(', ')}.`, { allow });
}
