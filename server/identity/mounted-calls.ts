import { ShopError, wrongMethod } from '../../contract/errors.ts';
import { readOptionalJson } from '../http/request.ts';

export const authBase = '/api/auth';

/** `fields` lists the fields of the body, or of a GET's query, that reach Better Auth; all others are dropped. */
type MountedCall = { method: 'GET' | 'POST'; fields: readonly string[] };

const get = (...fields: string[]): MountedCall => ({ method: 'GET', fields });
const post = (...fields: string[]): MountedCall => ({ method: 'POST', fields });

/**
 * The paths of Better Auth that the shop mounts; all others respond with 404. Better Auth would also read other fields:
 * an `idToken` would sign in without state, PKCE and nonce, and `scopes` and `additionalParams` would reach Google.
 */
export const mountedCalls: ReadonlyMap<string, MountedCall> = new Map([
  ['/sign-up/email', post('name', 'email', 'password', 'rememberMe')],
  ['/sign-in/email', post('email', 'password', 'rememberMe')],
  ['/sign-in/social', post('provider', 'callbackURL', 'errorCallbackURL')],
  ['/link-social', post('provider', 'callbackURL', 'errorCallbackURL')],
  ['/callback/google', get('code', 'state', 'error', 'iss')],
  ['/sign-out', post()],
  ['/get-session', get()],
  ['/change-password', post('currentPassword', 'newPassword')],
  ['/list-sessions', get()],
  ['/revoke-session', post('token')],
  ['/revoke-sessions', post()],
  ['/revoke-other-sessions', post()],
]);

export type IdentityForm = Record<string, unknown>;

/** A call to a mounted path. `form` is its JSON body, if it has one. */
export type IdentityCall = { name: string; url: URL; form: IdentityForm | undefined };

/** Throws 4xx. */
export async function readIdentityCall(request: Request, path: string): Promise<IdentityCall> {
  const name = path.slice(authBase.length);
  const call = mountedCalls.get(name);
  if (!call) throw new ShopError('not_found', 'There is no such call.');
  if (request.method !== call.method) throw wrongMethod(call.method);
  const url = new URL(request.url);
  if (call.method === 'POST') {
    url.search = '';
    return { name, url, form: await readForm(request, call.fields) };
  }
  const query = [...url.searchParams].filter(([field]) => call.fields.includes(field));
  for (const [, value] of query) rejectNul(value);
  url.search = new URLSearchParams(query).toString();
  return { name, url, form: undefined };
}

/** Returns undefined if there is no body. Throws 400, 413 and 415. */
async function readForm(request: Request, fields: readonly string[]): Promise<IdentityForm | undefined> {
  const sent = await readOptionalJson(request);
  if (sent === undefined) return undefined;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ShopError('unreadable', 'The body must be a JSON object.');
  return Object.fromEntries(Object.entries(sent).filter(([field]) => fields.includes(field)));
}

export function serializeForm(form: IdentityForm): string {
  return JSON.stringify(form, (_, value: unknown) => {
    if (typeof value === 'string') rejectNul(value);
    return value;
  });
}

/** PostgreSQL rejects NUL, which would look like an internal error. */
function rejectNul(text: string): void {
  if (text.includes('\0')) throw new ShopError('unreadable', 'The text contains a NUL character.');
}
