import { randomBytes } from 'node:crypto';
import { apiBase } from '../../contract/paths.ts';
import { createClient } from '../../web/client/client.ts';
import { cookieOf, type Person } from './ask.ts';

/** The ways in of a shop at `origin` that is reached by `fetch`: in this process, or over the network. */
export function openDoor(origin: string, fetch: (request: Request) => Promise<Response>) {
  /** The one client of the shop's calls, as nobody or as a person by their bearer token. */
  function client(person?: Person) {
    return createClient({ fetch, base: origin + apiBase, token: async () => person?.token });
  }

  /** A request as the shop's own page sends it; as nobody, or with a person's cookie. */
  function send(path: string, init: RequestInit = {}, person?: Person): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('origin', origin);
    if (person) headers.set('cookie', person.cookie);
    return fetch(new Request(origin + path, { ...init, headers }));
  }

  async function enter(way: 'sign-up' | 'sign-in', body: Who): Promise<Person> {
    const response = await send(`${apiBase}/auth/${way}/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${way} of ${body.email}: ${response.status} ${await response.text()}`);
    const cookie = cookieOf(response);
    const { email } = body;
    const withCookie = createClient({ fetch, base: origin + apiBase, headers: { cookie, origin } });
    const { token } = await withCookie.call('saveUser', { params: { email }, body: { email } });
    return { ...body, cookie, token };
  }

  return {
    fetch,
    send,
    client,
    /** Somebody new, with an address of their own. */
    signUp: (name = 'Tom Graham') =>
      enter('sign-up', { name, email: `person-${randomBytes(4).toString('hex')}@example.com`, password }),
    signIn: (email: string, password: string) => enter('sign-in', { name: '', email, password }),
  };
}

type Who = { name: string; email: string; password: string };

const password = 'anchor-escapement';
