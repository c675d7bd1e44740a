import type Stripe from 'stripe';
import { ShopError } from '../../../contract/errors.ts';
import type { Services } from '../../config/services.ts';
import { limitBody } from '../../http/outgoing.ts';

/** Ten times the size of a page of 100 intents. */
const maxResponseBytes = 10_000_000;
/** Attempts while another request with the same idempotency key runs. Each takes about half a second if the client retries it. */
const maxAttemptsInUse = 5;
/** The provider's message is stored with a failed refund. */
const maxMessageLength = 500;

/** Stripe's official client. It only knows Stripe's own host, so the configured `apiUrl` replaces it in each request. */
export async function createStripeClient(
  { secretKey, apiUrl }: Pick<Services['stripe'], 'secretKey' | 'apiUrl'>,
  send: (request: Request) => Promise<Response>,
  options: { maxNetworkRetries: number; timeout: number },
): Promise<Stripe> {
  const { default: StripeClient } = await import('stripe');
  return new StripeClient(secretKey, {
    ...options,
    telemetry: false,
    httpClient: StripeClient.createFetchHttpClient(
      async (input: string | URL | Request, init?: RequestInit) => {
        const url = String(input instanceof Request ? input.url : input);
        // Don't send our key to an address that the provider redirects to.
        const request = new Request(url.replace('https://api.stripe.com', apiUrl), {
          ...init,
          redirect: 'error',
        });
        return limitBody(await send(request), maxResponseBytes);
      },
    ),
  });
}

/**
 * Makes a call with the loaded client. Throws `ShopError`: 503 if Stripe is unreachable or overloaded, or the shop itself fails, and 402
 * if Stripe refuses.
 */
export async function callStripe<T>(
  load: () => Promise<Stripe>,
  call: (stripe: Stripe) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(await load());
    } catch (cause) {
      if (!isInUse(cause) || attempt === maxAttemptsInUse) throw toShopError(cause);
    }
  }
}

/** Whether the same request, sent by another process or window, is still running: it may yet succeed. */
const isInUse = (cause: unknown): boolean => isStripeError(cause) && cause.code === 'idempotency_key_in_use';

const refusals = ['StripeCardError', 'StripeInvalidRequestError'];

/** Error types: https://docs.stripe.com/error-handling */
function toShopError(cause: unknown): ShopError {
  if (cause instanceof ShopError) return cause;
  if (isStripeError(cause) && refusals.includes(cause.type) && !isInUse(cause)) {
    // PostgreSQL rejects NUL characters.
    const message = cause.message.replaceAll('\0', '').slice(0, maxMessageLength);
    return new ShopError('provider_refused', `The payment provider refused: ${message}`, { cause });
  }
  if (!isStripeError(cause)) {
    const detail = 'The shop cannot use its payment provider at the moment. Try again later.';
    return new ShopError('unavailable', detail, { cause, retryAfter: 60 });
  }
  const detail = 'The payment provider cannot be reached. Nothing has changed: try again in a moment.';
  return new ShopError('provider_unreachable', detail, { cause, retryAfter: 5 });
}

/** Whether the provider has rejected the request for good, without effect. */
export function isRefusal(error: unknown): error is ShopError {
  return error instanceof ShopError && error.code === 'provider_refused';
}

/** Whether Stripe knows no such object, as opposed to any other reason to refuse, such as a key without the permission. */
export function isUnknownObject(error: unknown): boolean {
  return error instanceof ShopError && isStripeError(error.cause) && error.cause.code === 'resource_missing';
}

/** Whether our key has no permission for the call. */
export function isForbidden(error: unknown): boolean {
  const cause = error instanceof ShopError ? error.cause : error;
  return isStripeError(cause) && cause.type === 'StripePermissionError';
}

/** Whether an error of `callStripe` comes from Stripe or the connection to it, not from our own code. */
export function isFromStripe(error: unknown): boolean {
  return isStripeError(error instanceof ShopError ? error.cause : error);
}

/** Whether `callStripe` has failed because of our own code, for example because it cannot parse Stripe's response. */
export function isOwnFailure(error: unknown): boolean {
  return error instanceof ShopError && error.code === 'unavailable' && !isFromStripe(error);
}

/** Whether Stripe refuses to start any payment. A declined card, or an amount that it does not accept, concerns only one payment. */
export function refusesAllPayments(error: unknown): boolean {
  if (isForbidden(error)) return true;
  const cause = isRefusal(error) ? error.cause : undefined;
  if (!isStripeError(cause) || cause.type !== 'StripeInvalidRequestError') return false;
  return cause.param !== 'amount' && cause.code?.startsWith('amount_') !== true;
}

/** Whether Stripe did not answer. The next call would probably wait for its timeout, too. */
export function isOutage(error: unknown): boolean {
  return (
    error instanceof ShopError && isStripeError(error.cause) && error.cause.type === 'StripeConnectionError'
  );
}

/** Why Stripe takes no payments, if that is what an error of `callStripe` says. */
export function findProviderProblem(error: unknown): ProviderProblem | undefined {
  const cause = error instanceof ShopError ? error.cause : error;
  return isStripeError(cause) ? problems.get(cause.type) : undefined;
}

/** The problem by the type of Stripe's error. Types that are not listed are about a single request. */
const problems = new Map<string, ProviderProblem>([
  ['StripeConnectionError', 'silent'],
  ['StripeAuthenticationError', 'key'],
  ['StripeRateLimitError', 'busy'],
  ['StripeAPIError', 'broken'],
]);

/** How Stripe fails. `finding` completes a sentence about Stripe; `advice` is what to do. */
export const providerProblems = {
  silent: {
    finding: 'does not respond',
    advice:
      'See status.stripe.com, and check this machine’s network: DNS, firewall, and STRIPE_API_URL if it is set.',
  },
  broken: {
    finding: 'responds with errors',
    advice: 'See status.stripe.com.',
  },
  busy: {
    finding: 'rejects requests because there are too many',
    advice: 'If this lasts, see status.stripe.com.',
  },
  key: {
    finding: 'rejects the secret key',
    advice:
      'Copy STRIPE_SECRET_KEY again from https://dashboard.stripe.com/apikeys: it is mistyped or has been replaced.',
  },
  refused: {
    finding: 'refuses to start payments',
    advice: 'Stripe’s dashboard says whether your account needs attention.',
  },
} as const;

export type ProviderProblem = keyof typeof providerProblems;

/** Without `instanceof`, because the package with Stripe's classes is not loaded at the start. */
export function isStripeError(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Error && 'type' in error;
}
