import { expect } from 'vitest';
import { apiBase, type CallName, paths } from '../../contract/paths.ts';
import { type Problem, problem } from '../../contract/problem.ts';

/** Somebody who has signed in, with what their browser keeps. */
export type Person = {
  email: string;
  name: string;
  password: string;
  /** The session's cookie, as a `Cookie` header has it. */
  cookie: string;
  /** The bearer token that `PUT /user/{email}` gave. */
  token: string;
};

type Shop = { origin: string; fetch: (request: Request) => Promise<Response> };

/** What a client may send, whether it fits the contract or not. */
export type Asking = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** JSON is made of it, but for text and forms, which are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** One call as it stands on the wire, from the shop's own page, and its answer as it is. */
export function ask(shop: Shop, name: CallName, given: Asking = {}): Promise<Response> {
  const { method, path } = paths[name];
  const address = path.replace(/:(\w+)/g, (_, part: string) =>
    encodeURIComponent(given.params?.[part] ?? ''),
  );
  const base = name === 'uploadImage' ? '' : apiBase;
  return askPath(shop, method, base + address, given);
}

/** As `ask`, of any path. */
export function askPath(shop: Shop, method: string, path: string, given: Asking = {}): Promise<Response> {
  const { body } = given;
  const asIs = body === undefined || typeof body === 'string' || body instanceof FormData;
  const query = given.query ? `?${new URLSearchParams(given.query)}` : '';
  const request = new Request(shop.origin + path + query, {
    method,
    headers: {
      origin: shop.origin,
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...given.headers,
    },
    ...(body === undefined ? {} : { body: asIs ? body : JSON.stringify(body) }),
  });
  return shop.fetch(request);
}

/** A call of Better Auth's: with a body it is a POST. */
export function askIdentity(
  shop: Shop,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const method = body === undefined ? 'GET' : 'POST';
  return askPath(shop, method, `${apiBase}/auth${path}`, { body, headers });
}

/** How a person is known to the shop: what their browser sends by itself, or the token that they keep. */
export const byCookie = ({ cookie }: Pick<Person, 'cookie'>) => ({ cookie });
export const byToken = ({ token }: Pick<Person, 'token'>) => ({ authorization: `Bearer ${token}` });

/** The cookies that an answer sets, as the browser sends them back. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
}

/** A refusal in the shop's own shape; fails where it is not that, whole. */
export async function readProblem(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const read = problem.strict().parse(await response.json());
  expect(read.status).toBe(response.status);
  expect(read.requestId).toBe(response.headers.get('x-request-id'));
  return read;
}

/** A refusal on Better Auth's paths has a code for programs and a message that the forms show. */
export async function readRefusal(response: Response): Promise<{ code: string; message: string }> {
  const answer = await response.json();
  expect(answer).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/\S/) });
  return answer;
}
