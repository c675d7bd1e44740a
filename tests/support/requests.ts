import { expect } from 'vitest';
import { contract } from '../../contract/contract.ts';
import { apiBase, type CallName } from '../../contract/paths.ts';
import { type Problem, problem } from '../../contract/problem.ts';

/** A signed-in user of a test shop, with their credentials. */
export type TestUser = {
  email: string;
  name: string;
  password: string;
  /** Value of the `Cookie` header, with the session's cookie. */
  cookie: string;
  /** Bearer token from `PUT /user/{email}`. */
  token: string;
};

type Shop = { origin: string; fetch: (request: Request) => Promise<Response> };

/** The parts of a request. Unlike the typed client's, it need not match the contract. */
export type SendOptions = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  /** Text and forms are sent unchanged; other values are sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
};

/** Sends a call of the contract from the shop's own origin, and returns the raw response. */
export function sendCall(shop: Shop, name: CallName, options: SendOptions = {}): Promise<Response> {
  const { method, path } = contract[name];
  const address = path.replace(/:(\w+)/g, (_, part: string) =>
    encodeURIComponent(options.params?.[part] ?? ''),
  );
  const base = name === 'uploadImage' ? '' : apiBase;
  return sendRequest(shop, method, base + address, options);
}

/** Like `sendCall`, for any method and path. */
export function sendRequest(
  shop: Shop,
  method: string,
  path: string,
  options: SendOptions = {},
): Promise<Response> {
  const { body } = options;
  const isRaw = body === undefined || typeof body === 'string' || body instanceof FormData;
  const query = options.query ? `?${new URLSearchParams(options.query)}` : '';
  const request = new Request(shop.origin + path + query, {
    method,
    headers: {
      origin: shop.origin,
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  });
  return shop.fetch(request);
}

/** Sends a request to one of Better Auth's endpoints: POST with a body, otherwise GET. */
export function sendAuthRequest(
  shop: Shop,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const method = body === undefined ? 'GET' : 'POST';
  return sendRequest(shop, method, `${apiBase}/auth${path}`, { body, headers });
}

/** Headers that authenticate a user: the session's cookie, as a browser sends it, or the bearer token. */
export const cookieHeaders = ({ cookie }: Pick<TestUser, 'cookie'>) => ({ cookie });
export const tokenHeaders = ({ token }: Pick<TestUser, 'token'>) => ({ authorization: `Bearer ${token}` });

/** The cookies that a response sets, as the value of a `Cookie` header. */
export function readSetCookies(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((set) => set.split(';')[0])
    .join('; ');
}

/** Reads a problem (RFC 9457); fails the test if the response is anything else. */
export async function readProblem(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const read = problem.strict().parse(await response.json());
  expect(read.status).toBe(response.status);
  expect(read.requestId).toBe(response.headers.get('x-request-id'));
  return read;
}

/** Reads a Better Auth error: a code for programs and a message that the forms show. */
export async function readAuthError(response: Response): Promise<{ code: string; message: string }> {
  const error = await response.json();
  expect(error).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/\S/) });
  return error;
}
