import type { Hono } from 'hono';
import type { z } from 'zod';
import type { Answer, Body, Call, Params, Query } from '../contract/call.ts';
import { contract } from '../contract/contract.ts';
import { id } from '../contract/fields.ts';
import type { CallParts, DirectAnswer } from '../contract/pages.ts';
import { apiBase, type CallName } from '../contract/paths.ts';
import { cut, send } from './answer.ts';
import { type FieldError, ShopError } from './errors.ts';
import type { Viewer } from './identity/viewer.ts';
import type { Once } from './once.ts';
import { readJson } from './request.ts';

/** What the app knows of a request: who sent it is looked up when it is first asked for. */
export type Visit = {
  requestId: string;
  /** The network address that the shop believes in. */
  address: string;
  /** It carries nobody's name: neither a cookie nor an `Authorization` header. */
  anonymous: boolean;
  findViewer: () => Promise<Viewer | undefined>;
};
export type Env = { Bindings: Visit };

/** The shop's calls: as they come over HTTP, and as its own pages ask them in this process. */
export type Calls = { http: Hono<Env>; asks: Map<Call, Ask> };

/** What came with a call: still to be judged, but for the body, which is not read before one knows for whom. */
type Sent = {
  params: Record<string, string | undefined>;
  query: Record<string, string>;
  readBody?: () => Promise<unknown>;
  idempotencyKey?: string | undefined;
};
type Ask = (visit: Visit, sent: Sent) => Promise<unknown>;

/** What a handler is given: everything judged by the contract already. */
export type Asked<C extends Call> = {
  viewer: C['who'] extends 'everybody' | 'provider' ? Viewer | undefined : Viewer;
  params: Params<C>;
  query: Query<C>;
  body: Body<C>;
  /** For calls that take an `Idempotency-Key`: the key with a name of what was asked, where one was sent. */
  once: Once | undefined;
};

/**
 * Mounts one call of the contract. Whoever asks, it is judged in this order: who (401), may they (403, 404), readable
 * (400, 413, 415), right (422), possible now (the handler). `exists` runs before the body is read: it throws 404 for
 * somebody else's order.
 */
export function route<C extends Call>(
  calls: Calls,
  call: C,
  handler: (asked: Asked<C>) => Promise<Answer<C>>,
  exists?: (viewer: Viewer, id: string) => Promise<unknown>,
): void {
  const ask = async (visit: Visit, { params, query, readBody, idempotencyKey }: Sent): Promise<Answer<C>> => {
    const viewer = await visit.findViewer();
    if (call.who !== 'everybody' && !viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
    if (call.who === 'admin' && viewer?.role !== 'admin')
      throw new ShopError('not_allowed', 'Only an admin may do this.');
    judgeSelf(call, viewer, params.email ?? query.user);
    // PostgreSQL refuses to look for a NUL.
    if (params.id !== undefined && !id.safeParse(params.id).success)
      throw new ShopError('not_found', 'There is no such thing.');
    if (viewer && exists) await exists(viewer, params.id ?? '');
    const sent = call.body ? await readBody?.() : undefined;
    // Where the path names the person, a `user` in the body decides nothing.
    if (isRecord(sent) && params.email === undefined) judgeSelf(call, viewer, sent.user);

    const asked = {
      viewer,
      params: call.params ? parse(call.params, params) : {},
      query: call.query ? parse(call.query, query) : {},
      body: call.body ? parse(call.body, sent) : undefined,
      once: call.idempotent && viewer ? readOnce(idempotencyKey, call, viewer, sent) : undefined,
    };
    // The one place where what the schemas made is given the type that they stand for.
    return handler(asked as Asked<C>);
  };
  calls.asks.set(call, ask);
  calls.http.on(call.method, apiBase + call.path, async (c) => {
    const answer = await ask(c.env, {
      params: c.req.param(),
      query: c.req.query(),
      readBody: () => readJson(c.req.raw),
      idempotencyKey: c.req.header('idempotency-key'),
    });
    return send(c, call, answer);
  });
}

/**
 * Makes a GET call in this process, for the loader of a page. Loaders run on GET requests, whose origin is not checked,
 * so they may not change anything.
 */
export async function askDirectly<Name extends CallName>(
  calls: Calls,
  visit: Visit,
  name: Name,
  given: CallParts,
): Promise<DirectAnswer<Name>> {
  if (contract[name].method !== 'GET')
    throw new Error(`${name} is not a GET call: a loader may not make it.`);
  return callDirectly(calls, visit, name, given);
}

/**
 * Makes any call in this process, without HTTP. Returns its answer and, for a list, where it continues. Throws the call's
 * refusal. For the action of a posted form: the caller has checked the origin of the request.
 */
export async function callDirectly<Name extends CallName>(
  calls: Calls,
  visit: Visit,
  name: Name,
  { params = {}, query = {}, body, idempotencyKey }: CallParts,
): Promise<DirectAnswer<Name>> {
  const ask = calls.asks.get(contract[name]);
  if (!ask) throw new Error(`${name} is not mounted.`);
  const written = Object.entries(query).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, String(value)]],
  );
  const answer = await ask(visit, {
    params,
    query: Object.fromEntries(written),
    readBody: async () => body,
    idempotencyKey,
  });
  const { rows, after } = Array.isArray(answer)
    ? cut(answer, query.limit)
    : { rows: answer, after: undefined };
  // `route` took the call's handler together with the call, so that what is kept under it answers it.
  return { answer: rows as DirectAnswer<Name>['answer'], after };
}

/** `self` and `self-or-admin` calls are for the person that they name, whether in the path, the query or the body. */
function judgeSelf(call: Call, viewer: Viewer | undefined, named: unknown): void {
  if (call.who !== 'self' && call.who !== 'self-or-admin') return;
  if (typeof named !== 'string' || named.trim().toLowerCase() === viewer?.email) return;
  if (call.who === 'self-or-admin' && viewer?.role === 'admin') return;
  throw new ShopError('not_allowed', 'This is for the person with that e-mail alone.');
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const errors = fieldErrors(read.error.issues);
  throw new ShopError('invalid', errors.map(({ message }) => message).join('. '), { errors });
}

/** The first thing that is wrong with each field. */
function fieldErrors(issues: z.core.$ZodIssue[]): FieldError[] {
  const found = new Map<string, string>();
  for (const issue of issues) {
    const nested = issue.code === 'invalid_union' ? fieldErrors(issue.errors[0] ?? []) : [];
    for (const { field, message } of nested.length
      ? nested
      : [{ field: issue.path.join('.'), message: issue.message }]) {
      if (!found.has(field)) found.set(field, message);
    }
  }
  return [...found].map(([field, message]) => ({ field, message }));
}

function readOnce(key: string | undefined, call: Call, viewer: Viewer, sent: unknown): Once | undefined {
  if (key === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ShopError('invalid', 'Idempotency-Key must be 1 to 255 printable characters.', {
      errors: [
        { field: 'Idempotency-Key', message: 'Idempotency-Key must be 1 to 255 printable characters' },
      ],
    });
  }
  return { person: viewer.id, key, request: [call.path, sent] };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
