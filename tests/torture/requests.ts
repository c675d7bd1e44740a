import { apiBase, paths } from '../../contract/paths.ts';
import { ApiError, addPaths, createClient } from '../../web/client/api/client.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

addPaths(paths);

/** A response's value, the status of a rejection, or undefined if no response arrived. */
type Outcome<T> = { value: T } | { rejected: number } | undefined;

/**
 * Rejections that the load causes: a declined card, a product or order that is gone, sold out or paid, a rejection by the
 * provider, too many requests.
 */
const expectedStatuses = [400, 402, 404, 409, 429];

/** Sends a request and records the outcome in the ledger. Any other status than those expected is a violation. */
export async function attempt<T>(ledger: Ledger, work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await work();
    ledger.answered += 1;
    return { value };
  } catch (error) {
    if (error instanceof ApiError && error.problem.status >= 400) {
      const { status, type, detail } = error.problem;
      if (status === 503 && ledger.hasOutages) {
        ledger.unavailable += 1;
        return undefined;
      }
      // A killed process used the same key for a request to the provider.
      const isLocked = type === 'urn:problem:provider_unreachable';
      if (!expectedStatuses.includes(status) && !isLocked) ledger.violations.push(`${status}: ${detail}`);
      return { rejected: status };
    }
    // An interrupted response counts as no response.
    ledger.unanswered += 1;
    return undefined;
  }
}

/** A client with its own IP address and, optionally, a bearer token. */
export function createClientAt(origin: string, address: string, token?: string) {
  return createClient({
    fetch,
    base: origin + apiBase,
    headers: { origin, 'x-forwarded-for': address, ...(token ? { authorization: `Bearer ${token}` } : {}) },
  });
}

export const randomAddress = (random: Random): string =>
  `10.${random.below(256)}.${random.below(256)}.${random.below(256)}`;

/** Signs up or in and returns the bearer token. Throws `ApiError` if that is rejected. */
export async function authenticate(
  origin: string,
  address: string,
  action: 'sign-up' | 'sign-in',
  credentials: { name: string; email: string; password: string },
): Promise<string> {
  const headers = { origin, 'content-type': 'application/json', 'x-forwarded-for': address };
  const response = await fetch(`${origin}${apiBase}/auth/${action}/email`, {
    method: 'POST',
    headers,
    body: JSON.stringify(credentials),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
  await throwIfRejected(response);
  const saved = await createClient({ fetch, base: origin + apiBase, headers: { ...headers, cookie } }).call(
    'saveUser',
    { params: { email: credentials.email }, body: { email: credentials.email } },
  );
  return saved.token;
}

/** Throws the client's `ApiError` for a failed response of another format. */
export async function throwIfRejected(response: Response): Promise<void> {
  const detail = await response.clone().text();
  if (!response.ok)
    throw new ApiError({ type: '', title: '', status: response.status, detail, requestId: '' });
}
