import type { Call, ResponseBody } from '../../../contract/call.ts';
import type { Contract } from '../../../contract/contract.ts';
import { type PageCallName, storefrontPaths } from '../../../contract/paths.ts';
import type { Problem } from '../../../contract/problem.ts';

type Input<Schema> = Schema extends { _zod: { input: infer In } } ? In : never;

/** The arguments of a call, according to the contract. */
type CallOptions<C extends Call> = (C extends { params: infer P } ? { params: Input<P> } : unknown) &
  (C extends { query: infer Q }
    ? Record<string, never> extends Input<Q>
      ? { query?: Input<Q> }
      : { query: Input<Q> }
    : unknown) &
  (C extends { body: infer B } ? { body: Input<B> } : unknown) &
  (C extends { file: string } ? { body: Blob } : unknown) &
  (C extends { idempotent: true } ? { idempotencyKey?: string | undefined } : unknown) & {
    signal?: AbortSignal;
    /** Sends the bearer token with a call that does not need one. */
    bearer?: true;
  };

/** One page of a list; `after` is the id after which the next page starts. */
export type ListPage<Rows> = { rows: Rows; after: string | undefined };

/** A failed call. The problem's `status` is 0 if there was no response. */
export class ApiError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ApiError';
    this.problem = problem;
  }
}

type Transport = {
  fetch: (request: Request) => Promise<Response>;
  /** The API's base URL, such as `https://shop.example/api`. */
  base: string;
  /** Returns the bearer token, if any, for the calls that carry it. */
  token?: () => Promise<string | undefined>;
  headers?: Record<string, string>;
};

export type Client = ReturnType<typeof createClient>;

type Paths = Partial<Record<PageCallName, { method: string; path: string; bearer?: true }>>;
const knownPaths: Paths = { ...storefrontPaths };

/** Lets clients make more calls, such as the dashboard's. */
export const addPaths = (more: Paths) => Object.assign(knownPaths, more);

/** The typed client of the shop's API. */
export function createClient(transport: Transport) {
  async function send(name: PageCallName, options: RequestOptions): Promise<Response> {
    const known = knownPaths[name];
    if (!known) throw new Error(name);
    const { method, path, bearer } = known;
    const pathname = path.replace(/:(\w+)/g, (_, part: string) =>
      encodeURIComponent(options.params?.[part] ?? ''),
    );
    const query = new URLSearchParams();
    for (const [field, value] of Object.entries(options.query ?? {}))
      if (value !== undefined) query.set(field, String(value));
    const headers = new Headers({ accept: 'application/json', ...transport.headers });
    const token = (bearer || options.bearer) && (await transport.token?.());
    if (token) headers.set('authorization', `Bearer ${token}`);
    const file = options.body instanceof Blob ? options.body : undefined;
    if (options.body !== undefined) headers.set('content-type', file ? 'text/csv' : 'application/json');
    if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
    const request = new Request(`${transport.base}${pathname}${query.size ? `?${query}` : ''}`, {
      method,
      headers,
      ...(options.body === undefined ? {} : { body: file ?? JSON.stringify(options.body) }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const response = await transport.fetch(request).catch((error: unknown) => {
      if (options.signal?.aborted || error instanceof ApiError) throw error;
      throw new ApiError(options.body === undefined ? unreachable : unreachableWhileSending);
    });
    if (!response.ok) throw new ApiError(await readProblem(response));
    return response;
  }

  return {
    /** Makes a call and returns the response body. Throws `ApiError`. */
    async call<Name extends PageCallName>(
      name: Name,
      options: CallOptions<Contract[Name]>,
    ): Promise<ResponseBody<Contract[Name]>> {
      return (await send(name, options)).json();
    },
    /** Makes a call that returns a list. Throws `ApiError`. */
    async list<Name extends PageCallName>(
      name: Name,
      options: CallOptions<Contract[Name]>,
    ): Promise<ListPage<ResponseBody<Contract[Name]>>> {
      const response = await send(name, options);
      const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      const after = next ? new URL(next, 'http://shop').searchParams.get('after') : null;
      return { rows: await response.json(), after: after ?? undefined };
    },
  };
}

type RequestOptions = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal;
  bearer?: true;
};

export const unreachable: Problem = {
  type: 'urn:problem:unreachable',
  title: 'The shop cannot be reached',
  status: 0,
  detail: 'The shop cannot be reached. Check your connection and try again.',
  requestId: '',
};

/** The problem of calls that send form input. */
const unreachableWhileSending = {
  ...unreachable,
  detail: `${unreachable.detail} Nothing you typed is lost.`,
};

async function readProblem(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => undefined);
  if (isProblem(body)) return body;
  return {
    ...unreachable,
    type: 'urn:problem:unknown',
    title: response.statusText,
    status: response.status,
    detail: 'The shop sent an unexpected response. Try again in a moment.',
  };
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'detail' in body && 'status' in body && 'type' in body;
}
