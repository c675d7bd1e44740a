import { ShopError, wrongMethod } from '../../contract/errors.ts';
import { readOptionalJson } from '../http/request.ts';

export const authBase = '/api/auth';

/** `fields` are the body's fields that Better Auth gets (the query's, for a GET); all others are dropped. */
type MountedCall = { method: 'GET' | 'POST'; fields: readonly string[] };

const get = (...fields: string[]): MountedCall => ({ method: 'GET', fields });
const post = (...fields: string[]): MountedCall => ({ method: 'POST', fields });

/**
 * The paths of Better Auth that the shop mounts; its other paths respond with 404. Better Auth also reads other fields:
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

/** A call to a mounted path: its name, its URL and, if it has one, its form. */
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
  for (const [, value] of query) refuseNul(value);
  url.search = new URLSearchParams(query).toString();
  return { name, url, form: undefined };
}

/** A call's form, or undefined where it has none. Throws 400, 413 and 415. */
async function readForm(request: Request, fields: readonly string[]): Promise<IdentityForm | undefined> {
  const sent = await readOptionalJson(request);
  if (sent === undefined) return undefined;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ShopError('unreadable', 'The body is not a form.');
  return Object.fromEntries(Object.entries(sent).filter(([field]) => fields.includes(field)));
}

export function serializeForm(form: IdentityForm): string {
  return JSON.stringify(form, (_, value: unknown) => {
    if (typeof value === 'string') refuseNul(value);
    return value;
  });
}

/** No field needs it, and PostgreSQL refuses it, which would look like a fault of ours. */
function refuseNul(text: string): void {
  if (text.includes('\0')) throw new ShopError('unreadable', 'There is a character that cannot be taken.');
}
