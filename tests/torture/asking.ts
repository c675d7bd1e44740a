import { apiBase } from '../../contract/paths.ts';
import { ApiError, createClient } from '../../web/client/client.ts';
import type { Chance } from './chance.ts';
import type { Ledger } from './ledger.ts';

/** What came of a request: an answer, a refusal (its status), or silence. */
type Outcome<T> = { answer: T } | { refused: number } | undefined;

/** Sends something and notes in the ledger what came of it. Refusals are part of life; a 500 is not. */
export async function attempt<T>(ledger: Ledger, work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    const answer = await work();
    ledger.answered += 1;
    return { answer };
  } catch (error) {
    if (error instanceof ApiError && error.problem.status >= 400) {
      const { status, detail } = error.problem;
      // 503: the provider had another request of the same key under way.
      if (status >= 500 && status !== 503) ledger.wrong.push(`${status}: ${detail}`);
      return { refused: status };
    }
    // An answer that breaks off has not been heard.
    ledger.unanswered += 1;
    return undefined;
  }
}

/** The calls of somebody who has an address of their own in the network. */
export function clientOf(origin: string, address: string, token?: string) {
  return createClient({
    fetch,
    base: origin + apiBase,
    headers: { origin, 'x-forwarded-for': address },
    token: async () => token,
  });
}

export const anyAddress = (chance: Chance): string =>
  `10.${chance.below(256)}.${chance.below(256)}.${chance.below(256)}`;

/** Signs up or in, and gives the token that the client would store. Throws `CallFailed` where that is refused. */
export async function enter(
  origin: string,
  address: string,
  way: 'sign-up' | 'sign-in',
  who: { name: string; email: string; password: string },
): Promise<string> {
  const headers = { origin, 'content-type': 'application/json', 'x-forwarded-for': address };
  const entered = await fetch(`${origin}${apiBase}/auth/${way}/email`, {
    method: 'POST',
    headers,
    body: JSON.stringify(who),
  });
  const cookie = entered.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
  await throwRefusal(entered);
  const saved = await createClient({ fetch, base: origin + apiBase, headers: { ...headers, cookie } }).call(
    'saveUser',
    { params: { email: who.email }, body: { email: who.email } },
  );
  return saved.token;
}

/** A refusal in another protocol's shape, as the client's own. */
export async function throwRefusal(response: Response): Promise<void> {
  const detail = await response.clone().text();
  if (!response.ok)
    throw new ApiError({ type: '', title: '', status: response.status, detail, requestId: '' });
}
