import type { Hono } from 'hono';
import type { z } from 'zod';
import type { Body, Call, Params, Query, ResponseBody } from '../../../contract/call.ts';
import { contract } from '../../../contract/contract.ts';
import { type FieldError, invalid, ShopError } from '../../../contract/errors.ts';
import { id } from '../../../contract/fields.ts';
import type { AdminStep, CallArguments, CallResult } from '../../../contract/pages.ts';
import { apiBase, type CallName } from '../../../contract/paths.ts';
import { computeEtag, matchesEtag } from '../encoding.ts';
import { readFile, readJson } from '../request.ts';
import type { Env, RequestContext, SessionUser } from '../request-context.ts';
import type { IdempotencyKey } from './idempotency.ts';
import { createCallResponse, createNotModified, paginate } from './list-response.ts';

/** The shop's calls: `router` serves them over HTTP, `handlers` serve the shop's own pages in this process. */
export type Calls = { router: Hono<Env>; handlers: Map<Call, CallHandler> };

/** A call's input before validation. The body is read only after access has been checked. */
type RawInput = {
  params: Record<string, string | undefined>;
  query: Record<string, string>;
  readBody: () => Promise<unknown>;
  readFile: ReadFile;
  idempotencyKey: string | undefined;
  /** Receives the version of a conditional response. Returns whether the client has it and needs only a 304. */
  isKnown?: (version: string) => boolean;
};
/** Reads a body of at most `maxBytes`. Throws 400 if it cannot be read, 413 if it is larger, and 415 for a wrong content type. */
export type ReadFile = (maxBytes: number) => Promise<Buffer>;
type CallHandler = (visit: RequestContext, input: RawInput) => Promise<unknown>;

type CallInput<C extends Call, Subject> = {
  viewer: C['access'] extends 'everyone' | 'provider' ? SessionUser | undefined : SessionUser;
  params: Params<C>;
  query: Query<C>;
  body: Body<C>;
  /** For a call with a `file`, whose content is not part of the `idempotencyKey`. */
  readFile: ReadFile;
  /** Set if the call is idempotent and the request has an `Idempotency-Key`. */
  idempotencyKey: IdempotencyKey | undefined;
  /** The client's network address. */
  address: string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The result of `requireSubject`, as it was before the body was read. */
  subject: Subject;
};

type RouteOptions<Subject> = {
  /** Runs before the body is read. Throws 404 for someone else's order. */
  requireSubject?: (viewer: SessionUser, id: string) => Promise<Subject>;
  /** Makes the call conditional: returns text for the ETag that changes whenever the response might. */
  findVersion?: () => Promise<string>;
};

/**
 * Adds one call of the contract. A handler may return a `Response` instead of JSON. Checks run in this order:
 * authentication (401), authorization (403, 404), parsing (400, 413, 415), validation (422), current state (in `handler`).
 */
export function route<C extends Call, Subject = undefined>(
  calls: Calls,
  call: C,
  handler: (input: CallInput<C, Subject>) => Promise<ResponseBody<C> | Response>,
  { requireSubject, findVersion }: RouteOptions<Subject> = {},
): void {
  const handle: CallHandler = async (
    visit,
    { params, query, readBody, readFile, idempotencyKey, isKnown },
  ) => {
    const viewer = checkAccess(call, await visit.findViewer());
    checkSelf(call, viewer, params.email ?? query.user);
    // PostgreSQL rejects text that contains NUL.
    if (params.id !== undefined && !id.safeParse(params.id).success)
      throw new ShopError('not_found', 'There is nothing with this id.');
    const subject = viewer && requireSubject ? await requireSubject(viewer, params.id ?? '') : undefined;
    const rawBody = call.body ? await readBody() : undefined;
    // If the path names the person, a `user` in the body is ignored.
    if (params.email === undefined)
      checkSelf(call, viewer, (rawBody as { user?: unknown } | null | undefined)?.user);

    const valid = {
      viewer,
      params: call.params ? parse(call.params, params) : {},
      query: call.query ? parse(call.query, query) : {},
      body: call.body ? parse(call.body, rawBody) : undefined,
      async readFile(maxBytes: number) {
        const file = await readFile(maxBytes);
        // The upload may have taken an hour: check that the session and the role are still valid.
        checkAccess(call, await visit.findViewer({ again: true }));
        return file;
      },
      idempotencyKey:
        call.idempotent && viewer
          ? parseIdempotencyKey(idempotencyKey, viewer, [
              call.path,
              withoutVersion(rawBody),
              ...Object.values(params),
            ])
          : undefined,
      address: visit.address,
      signal: visit.signal,
      subject,
    };
    if (isKnown && findVersion && isKnown(await findVersion())) return undefined;
    // The schemas of `call` guarantee this type; the compiler cannot follow `C` through them.
    return handler(valid as CallInput<C, Subject>);
  };
  calls.handlers.set(call, handle);
  calls.router.on(call.method, apiBase + call.path, async (c) => {
    let etag: string | undefined;
    let isNotModified = false;
    const answer = await handle(c.env, {
      params: c.req.param(),
      query: c.req.query(),
      readBody: () => readJson(c.req.raw),
      readFile: (maxBytes) => readFile(c.req.raw, call.file, maxBytes),
      idempotencyKey: c.req.header('idempotency-key'),
      isKnown: (version) => {
        etag = computeEtag(version);
        isNotModified = matchesEtag(c.req.header('if-none-match'), etag);
        return isNotModified;
      },
    });
    if (answer instanceof Response) return answer;
    const response = isNotModified ? createNotModified() : createCallResponse(c, call, answer);
    if (etag) response.headers.set('etag', etag);
    return response;
  });
}

/** The signed-in user. Throws 401 if there is none. */
export async function requireSessionUser(visit: RequestContext): Promise<SessionUser> {
  return requireSession(await visit.findViewer());
}

/**
 * A page sends the id of the user for whom it was rendered. Throws 412 if the browser is now signed in as another user:
 * otherwise, the page would show that user's data and place orders in their name.
 */
export async function checkExpectedUser(
  headers: Headers,
  visit: Pick<RequestContext, 'findViewer'>,
): Promise<void> {
  const expected = headers.get('expected-user');
  const viewer = expected === null ? undefined : await visit.findViewer();
  if (!viewer || viewer.id === expected) return;
  const { name, email } = viewer;
  throw new ShopError(
    'other_account',
    `You are now signed in as ${name} (${email}). Nothing was sent. Reload the page to continue as ${name}.`,
  );
}

function requireSession(viewer: SessionUser | undefined): SessionUser {
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in and try again.');
  return viewer;
}

/** For lists that are public except with certain filters. Throws 401 if nobody is signed in; 403 unless the viewer is an admin. */
export function requireListAdmin(viewer: SessionUser | undefined): asserts viewer {
  if (!viewer) throw new ShopError('not_signed_in', 'Sign in as an admin to see this list.');
  if (viewer.role !== 'admin') throw new ShopError('not_allowed', 'Only admins can see this list.');
}

const adminStepDetails: Record<AdminStep, string> = {
  setup: 'This shop requires two-factor sign-in for admins: turn it on first.',
  code: 'This shop requires two-factor sign-in for admins: enter a code from your authenticator app first.',
};

/** Throws 401 if the call needs a signed-in user; 403 if it needs an admin. */
function checkAccess(call: Call, viewer: SessionUser | undefined): SessionUser | undefined {
  if (call.access === 'everyone') return viewer;
  const { role, adminStep } = requireSession(viewer);
  if (call.access === 'admin' && role !== 'admin')
    throw new ShopError(
      'not_allowed',
      adminStep ? adminStepDetails[adminStep] : 'Only an admin may do this.',
    );
  return viewer;
}

/**
 * Makes a call in this process, without HTTP, for a page's loader or a posted form's action. Returns the result and, for a
 * list, the id to continue after. Throws what the call throws.
 */
export async function callInProcess<Name extends CallName>(
  calls: Calls,
  visit: RequestContext,
  caller: 'loader' | 'action',
  name: Name,
  { params = {}, query = {}, body, idempotencyKey }: CallArguments,
): Promise<CallResult<Name>> {
  // A page's GET is not checked for its origin, so a loader that changed data would be open to CSRF.
  if (caller === 'loader' && contract[name].method !== 'GET')
    throw new Error(`${name} is not a GET call, so a loader must not make it.`);
  const handle = calls.handlers.get(contract[name]);
  if (!handle) throw new Error(`${name} is not mounted.`);
  const strings = Object.entries(query).flatMap(([field, value]) =>
    value === undefined ? [] : [[field, String(value)]],
  );
  const answer = await handle(visit, {
    params,
    query: Object.fromEntries(strings),
    readBody: async () => body,
    readFile: async () => {
      throw new Error(`${name} expects a file.`);
    },
    idempotencyKey,
  });
  const { rows: result, after } = Array.isArray(answer)
    ? paginate(answer, query.limit)
    : { rows: answer, after: undefined };
  // `route` stored the handler under its own call, so the result has that call's type.
  return { answer: result as CallResult<Name>['answer'], after };
}

/** `self` and `self-or-admin` calls are for the person named in the path, the query or the body. */
function checkSelf(call: Call, viewer: SessionUser | undefined, named: unknown): void {
  if (call.access !== 'self' && call.access !== 'self-or-admin') return;
  if (typeof named !== 'string' || named.trim().toLowerCase() === viewer?.email) return;
  if (call.access === 'self-or-admin' && viewer?.role === 'admin') return;
  throw new ShopError('not_allowed', 'Only the user with that email address may do this.');
}

function parse(schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = listFieldErrors(result.error.issues);
  throw new ShopError('invalid', errors.map(({ message }) => message).join('. '), { errors });
}

/** The first error of each field. */
function listFieldErrors(issues: z.core.$ZodIssue[]): FieldError[] {
  const errors = issues.flatMap((issue) => {
    const nested = issue.code === 'invalid_union' ? listFieldErrors(issue.errors[0] ?? []) : [];
    return nested.length > 0 ? nested : [{ field: issue.path.join('.'), message: issue.message }];
  });
  return [...Map.groupBy(errors, ({ field }) => field).values()].flatMap(([first]) => first ?? []);
}

/**
 * Leaves out versions when an idempotent request is compared with the first one. A client that lost the response may repeat the
 * request with the version that the first one created.
 */
function withoutVersion(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { version, versions, ...others }: { version?: unknown; versions?: unknown } = body;
  return others;
}

function parseIdempotencyKey(
  key: string | undefined,
  viewer: SessionUser,
  request: unknown,
): IdempotencyKey | undefined {
  if (key === undefined) return undefined;
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return { userId: viewer.id, key, request };
  throw invalid('Idempotency-Key', 'Idempotency-Key must be 1 to 255 printable characters');
}
