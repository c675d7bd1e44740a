import type Stripe from 'stripe';

/** The `error` in a response. https://docs.stripe.com/api/errors */
interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  charge?: string;
  payment_intent?: Stripe.PaymentIntent;
  payment_method?: Stripe.PaymentMethod;
}

export interface StripeResponse {
  status: number;
  body: object;
}

/** Thrown by a call; rolls its changes back. */
export class StripeApiError extends Error {
  readonly status: number;
  readonly error: ErrorBody;
  constructor(status: number, error: ErrorBody) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

/** The default status is 400. */
export function invalidRequest(
  message: string,
  details: Partial<ErrorBody> = {},
  status = 400,
): StripeApiError {
  return new StripeApiError(status, { type: 'invalid_request_error', message, ...details });
}

export const missingParam = (param: string) =>
  invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });

/** Status 404 for the object in the path, 400 for one that a parameter names. */
export const noSuchObject = (kind: string, id: string, param = 'id', status: 400 | 404 = 404) =>
  invalidRequest(`No such ${kind}: '${id}'`, { code: 'resource_missing', param }, status);

/** Another request changed the object after this one read it; `runTransaction` retries the call. */
export const lockTimeout = () =>
  invalidRequest(
    'This object cannot be accessed right now because another API request is accessing it.',
    { code: 'lock_timeout' },
    429,
  );

export function toErrorResponse(status: number, error: ErrorBody): StripeResponse {
  const doc_url = error.code && `https://stripe.com/docs/error-codes/${error.code.replaceAll('_', '-')}`;
  return { status, body: { error: doc_url ? { ...error, doc_url } : error } };
}
