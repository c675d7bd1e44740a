import { ShopError, wrongMethod } from '../errors.ts';
import { readOptionalJson } from '../request.ts';
import { addressHeader } from './names.ts';

export const authBase = '/api/auth';

/** Better Auth's paths that the shop mounts; it has more, and they answer 404. */
export const mounted: ReadonlyMap<string, 'GET' | 'POST'> = new Map([
  ['/sign-up/email', 'POST'],
  ['/sign-in/email', 'POST'],
  ['/sign-in/social', 'POST'],
  ['/link-social', 'POST'],
  ['/callback/google', 'GET'],
  ['/sign-out', 'POST'],
  ['/get-session', 'GET'],
  ['/change-password', 'POST'],
  ['/list-sessions', 'GET'],
  ['/revoke-session', 'POST'],
  ['/revoke-sessions', 'POST'],
  ['/revoke-other-sessions', 'POST'],
]);

export type Form = Record<string, unknown>;

/** A call as Better Auth is to see it: its name, its form where it has one, the request made anew. Throws 4xx. */
export async function readAsked(
  request: Request,
  path: string,
  address: string,
): Promise<{ name: string; form: Form | undefined; asked: Request }> {
  const name = path.slice(authBase.length);
  const method = mounted.get(name);
  if (!method) throw new ShopError('not_found', 'There is no such call.');
  if (request.method !== method) throw wrongMethod(method);
  for (const value of new URL(request.url).searchParams.values()) refuseNul(value);
  const headers = new Headers(request.headers);
  headers.set(addressHeader, address);
  // The body is written anew.
  headers.delete('content-length');
  // A request with this header is judged by it alone; Better Auth would fall back to the cookie.
  if (headers.has('authorization')) headers.delete('cookie');
  const form = method === 'POST' ? await readForm(request, name) : undefined;
  const asked = new Request(request.url, { method, headers, ...(form ? { body: toBody(form) } : {}) });
  return { name, form, asked };
}

/** A call's form, or undefined where it has none. Throws 400, 413 and 415. */
async function readForm(request: Request, name: string): Promise<Form | undefined> {
  const sent = await readOptionalJson(request);
  if (sent === undefined) return undefined;
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw new ShopError('unreadable', 'The body is not a form.');
  if (name !== '/sign-up/email') return { ...sent };
  // All that somebody may say of themselves: a role, a date or a picture is ignored.
  const fields = ['name', 'email', 'password', 'rememberMe'];
  return Object.fromEntries(Object.entries(sent).filter(([field]) => fields.includes(field)));
}

function toBody(form: Form): string {
  return JSON.stringify(form, (_, value: unknown) => {
    if (typeof value === 'string') refuseNul(value);
    return value;
  });
}

/** No field needs it, and PostgreSQL refuses it, which would look like a fault of ours. */
function refuseNul(text: string): void {
  if (text.includes('\0')) throw new ShopError('unreadable', 'There is a character that cannot be taken.');
}
