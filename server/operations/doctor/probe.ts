import { codeOf } from '../../database/errors.ts';

export const probeTimeoutMs = 5000;

/** Sends a request without following redirects. */
export const probe = (url: string, init: RequestInit = {}) =>
  attempt(fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(probeTimeoutMs), ...init }));

/** The result of a request to another server, or why there is none. */
export const attempt = <T>(request: Promise<T>): Promise<{ value: T } | { failed: string }> =>
  request.then(
    (value) => ({ value }),
    (error: unknown) => ({ failed: describeFailure(error) }),
  );

/**
 * The type of Stripe's error (https://docs.stripe.com/error-handling), or the network's error code, such as `ENOTFOUND`
 * or `CERT_HAS_EXPIRED`, without the request's details.
 */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no response in ${probeTimeoutMs / 1000} seconds`;
  if ('type' in error && error.type && error.type !== 'StripeConnectionError') return String(error.type);
  // `fetch` wraps the original error as `cause`, Stripe's client as `detail`.
  let cause: unknown = error;
  while (cause instanceof Error && !codeOf(cause)) cause = 'detail' in cause ? cause.detail : cause.cause;
  return codeOf(cause) || error.message;
}
