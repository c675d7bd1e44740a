import { randomBytes } from 'node:crypto';
import { apiBase, paths } from '../../contract/paths.ts';
import { ApiError, addPaths, createClient } from '../../web/client/api/client.ts';
import { readSetCookies, type TestUser } from './requests.ts';

addPaths(paths);

/** Throws the client's `ApiError` for a failed response of another format. */
export async function throwIfRejected(response: Response): Promise<void> {
  if (response.ok) return;
  const detail = `${response.url} ${response.status} ${await response.text()}`;
  throw new ApiError({ type: '', title: '', status: response.status, detail, requestId: '' });
}

/** Clients of the shop at `origin`. `fetch` reaches it, in this process or over the network. */
export function createShopClient(origin: string, fetch: (request: Request) => Promise<Response>) {
  /** The web client for the contract's calls, anonymous or with a user's bearer token on every call. */
  function client(person?: TestUser) {
    return createClient({
      fetch,
      base: origin + apiBase,
      headers: person ? { authorization: `Bearer ${person.token}` } : {},
    });
  }

  /** Sends a request as the shop's pages do: anonymous or with a user's cookie. */
  function send(path: string, init: RequestInit = {}, person?: TestUser): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('origin', origin);
    if (person) headers.set('cookie', person.cookie);
    return fetch(new Request(origin + path, { ...init, headers }));
  }

  async function authenticate(action: 'sign-up' | 'sign-in', body: Credentials): Promise<TestUser> {
    const response = await send(`${apiBase}/auth/${action}/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await throwIfRejected(response);
    const cookie = readSetCookies(response);
    const { email } = body;
    const withCookie = createClient({ fetch, base: origin + apiBase, headers: { cookie, origin } });
    const { token } = await withCookie.call('saveUser', { params: { email }, body: { email } });
    return { ...body, cookie, token };
  }

  return {
    fetch,
    send,
    client,
    /** Signs up a new user with a random email address. */
    signUp: (name = 'Tom Graham') =>
      authenticate('sign-up', {
        name,
        email: `person-${randomBytes(4).toString('hex')}@example.com`,
        password,
      }),
    signIn: (email: string, password: string) => authenticate('sign-in', { name: '', email, password }),
  };
}

type Credentials = { name: string; email: string; password: string };

const password = 'anchor-escapement';
