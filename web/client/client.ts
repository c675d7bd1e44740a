import type { Answer, Call } from '../../contract/call.ts';
import type { Contract } from '../../contract/contract.ts';
import { type CallName, paths } from '../../contract/paths.ts';
import type { Problem } from '../../contract/problem.ts';

type Input<Schema> = Schema extends { _zod: { input: infer In } } ? In : never;

/** What a call needs from its caller; a part that the contract does not name cannot be given. */
type Arguments<C extends Call> = (C extends { params: infer P } ? { params: Input<P> } : unknown) &
  (C extends { query: infer Q }
    ? Record<string, never> extends Input<Q>
      ? { query?: Input<Q> }
      : { query: Input<Q> }
    : unknown) &
  (C extends { body: infer B } ? { body: Input<B> } : unknown) &
  (C extends { idempotent: true } ? { idempotencyKey?: string | undefined } : unknown) & {
    signal?: AbortSignal;
    /** Carry the token with a call that does so only in some places. */
    bearer?: true;
  };

/** The answer of a list comes with the key that the next page starts behind, where there is one. */
export type Page<Rows> = { rows: Rows; after: string | undefined };

/** A call that was refused (`problem` says why) or never answered (`status` 0). */
export class CallFailed extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'CallFailed';
    this.problem = problem;
  }
}

/** How calls leave: the browser's fetch, the app's own for server rendering, the app's own for tests. */
type Door = {
  fetch: (request: Request) => Promise<Response>;
  /** What `/api` is reached under, such as `https://shop.example/api`. */
  base: string;
  /** The bearer token that this call carries, if any; asked anew for every call. */
  token?: (call: CallName, wanted: boolean) => Promise<string | undefined>;
  headers?: Record<string, string>;
};

export type Client = ReturnType<typeof createClient>;

/** The one client of the shop's calls. */
export function createClient(door: Door) {
  async function send(name: CallName, given: SentParts): Promise<Response> {
    const { method, path } = paths[name];
    const address = path.replace(/:(\w+)/g, (_, part: string) =>
      encodeURIComponent(given.params?.[part] ?? ''),
    );
    const query = new URLSearchParams();
    for (const [field, value] of Object.entries(given.query ?? {}))
      if (value !== undefined) query.set(field, String(value));
    const headers = new Headers({ accept: 'application/json', ...door.headers });
    const token = await door.token?.(name, given.bearer === true);
    if (token) headers.set('authorization', `Bearer ${token}`);
    if (given.body !== undefined) headers.set('content-type', 'application/json');
    if (given.idempotencyKey) headers.set('idempotency-key', given.idempotencyKey);
    const request = new Request(`${door.base}${address}${query.size ? `?${query}` : ''}`, {
      method,
      headers,
      ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
      ...(given.signal ? { signal: given.signal } : {}),
    });
    const response = await door.fetch(request).catch((error: unknown) => {
      if (given.signal?.aborted || error instanceof CallFailed) throw error;
      throw new CallFailed(given.body === undefined ? unreachable : unsent);
    });
    if (!response.ok) throw new CallFailed(await readProblem(response));
    return response;
  }

  return {
    /** Sends one call and gives its answer. Throws `CallFailed`. */
    async call<Name extends CallName>(
      name: Name,
      given: Arguments<Contract[Name]>,
    ): Promise<Answer<Contract[Name]>> {
      return (await send(name, given)).json();
    },
    /** As `call`, for a list: its rows, and where the next page starts. */
    async list<Name extends CallName>(
      name: Name,
      given: Arguments<Contract[Name]>,
    ): Promise<Page<Answer<Contract[Name]>>> {
      const response = await send(name, given);
      const next = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      const after = next ? new URL(next, 'http://shop').searchParams.get('after') : null;
      return { rows: await response.json(), after: after ?? undefined };
    },
  };
}

type SentParts = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string | undefined;
  signal?: AbortSignal;
  bearer?: true;
};

const unreachable: Problem = {
  type: 'urn:problem:unreachable',
  title: 'The shop cannot be reached',
  status: 0,
  detail: 'The shop cannot be reached. Check your connection and try again.',
  requestId: '',
};

/** Of a call that carries what somebody has filled in. */
const unsent = { ...unreachable, detail: `${unreachable.detail} Nothing that you typed is lost.` };

async function readProblem(response: Response): Promise<Problem> {
  const answer: unknown = await response.json().catch(() => undefined);
  if (isProblem(answer)) return answer;
  return {
    ...unreachable,
    type: 'urn:problem:unknown',
    title: response.statusText,
    status: response.status,
    detail: 'The shop did not answer as it should. Try again in a moment.',
  };
}

function isProblem(answer: unknown): answer is Problem {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'detail' in answer &&
    'status' in answer &&
    'type' in answer
  );
}
