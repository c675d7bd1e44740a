import { dashboardPaths } from '../../contract/dashboard-paths.ts';
import { apiBase } from '../../contract/paths.ts';
import { ApiError, addPaths, createClient } from '../../web/client/client.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';

addPaths(dashboardPaths);

/** A response's value, the status of a rejection, or undefined if no response arrived. */
type Outcome<T> = { value: T } | { rejected: number } | undefined;

/** Sends a request and records the outcome in the ledger. Rejections are expected; a 500 is a violation. */
export async function attempt<T>(ledger: Ledger, work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await work();
    ledger.answered += 1;
    return { value };
  } catch (error) {
    if (error instanceof ApiError && error.problem.status >= 400) {
      const { status, detail } = error.problem;
      // 503: a concurrent request to the provider used the same key.
      if (status >= 500 && status !== 503) ledger.violations.push(`${status}: ${detail}`);
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
    headers: { origin, 'x-forwarded-for': address },
    token: async () => token,
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
