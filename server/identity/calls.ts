import { z } from 'zod';
import { notFound, ShopError, wrongMethod } from '../../contract/errors.ts';
import { newEmail, singleLineRule, text, typedEmail } from '../../contract/fields.ts';
import { readJson } from '../http/request.ts';
import type { SessionUser } from '../http/request-context.ts';
import { findWeakness } from './common-passwords.ts';
import { normalizePassword } from './credentials.ts';
import { passkeyPaths } from './passkeys/passkeys.ts';
import { newPasskey, usedPasskey } from './passkeys/responses.ts';

export const authBase = '/api/auth';

type Fields = Record<string, z.ZodType>;
type MountedCall = { method: string; fields: Fields; isGetInLibrary?: boolean };
const get = (fields: Fields = {}) => ({ method: 'GET', fields });
const post = (fields: Fields = {}) => ({ method: 'POST', fields });
/**
 * For a call that is a GET in Better Auth although it stores a challenge. Here it is a POST, so that its origin is checked. No
 * field reaches Better Auth.
 */
const postForGet = (fields: Fields = {}) => ({ ...post(fields), isGetInLibrary: true });
const unchecked = z.unknown();
const password = (label: string) => z.string(`${label} is Required`).min(1, `${label} is Required`);
const tooShort = 'Password too short';
const tooLong = 'Password too long';
const code = (pattern: RegExp) => z.string('Code is Required').regex(pattern, 'Provide a valid Code');
/** An account that only signs in with Google has no password. */
const optionalPassword = z.string().max(1000, tooLong).optional();
const ownPassword = { password: password('Password') };
const signInForm = { email: typedEmail, password: password('Password'), rememberMe: unchecked };
const passwordForm = { currentPassword: password('Current password'), newPassword: password('New password') };
const token = z.string('Token is Required').max(100);
/**
 * The length is limited because Better Auth stores both URLs for ten minutes, even for strangers, in an indexed column. PostgreSQL
 * indexes at most 2,700 bytes.
 */
const localUrl = z
  .string()
  .max(1000)
  .regex(/^[!-~]*$/)
  .optional();
const googleForm = { provider: unchecked, callbackURL: localUrl, errorCallbackURL: localUrl };

/**
 * The paths of Better Auth that the shop mounts or handles itself (`recovery/`); all others respond with 404. Only the
 * fields named here reach Better Auth, which would also read others: an `idToken` would sign in without state, PKCE and
 * nonce, and `scopes` and `additionalParams` would reach Google. The schemas check what Better Auth does not.
 */
export const mountedCalls: ReadonlyMap<string, MountedCall> = new Map<string, MountedCall>([
  ['/sign-up/email', post({ ...signInForm, name: text('Name', 100), email: newEmail })],
  ['/sign-in/email', post(signInForm)],
  ['/sign-in/social', post(googleForm)],
  ['/link-social', post(googleForm)],
  ['/callback/google', get({ code: unchecked, state: unchecked, error: unchecked, iss: unchecked })],
  ['/sign-out', post()],
  ['/get-session', get()],
  ['/change-password', post(passwordForm)],
  ['/request-password-reset', post({ email: typedEmail })],
  [
    '/reset-password',
    post({ token, newPassword: password('New password').min(6, tooShort).max(128, tooLong) }),
  ],
  ['/send-verification-email', post()],
  ['/verify-email', post({ token })],
  ['/request-email-change', post({ newEmail, password: optionalPassword })],
  ['/confirm-email-change', post({ token })],
  ['/list-sessions', get()],
  ['/revoke-session', post({ token: unchecked })],
  ['/revoke-sessions', post()],
  ['/revoke-other-sessions', post()],
  ['/two-factor/enable', post(ownPassword)],
  ['/two-factor/disable', post(ownPassword)],
  ['/two-factor/generate-backup-codes', post(ownPassword)],
  ['/two-factor/verify-totp', post({ code: code(/^\d{6}$/), trustDevice: unchecked })],
  [
    '/two-factor/verify-backup-code',
    post({ code: code(/^[a-z2-9]{5}-[a-z2-9]{5}$/), trustDevice: unchecked }),
  ],
  [passkeyPaths.startNew, postForGet({ password: optionalPassword })],
  [
    passkeyPaths.finishNew,
    post({ response: newPasskey, name: text('Name', 100).refine(...singleLineRule('Name')) }),
  ],
  [passkeyPaths.startSignIn, postForGet()],
  [passkeyPaths.finishSignIn, post({ response: usedPasskey })],
  ['/passkey/list-user-passkeys', get()],
  [passkeyPaths.remove, post({ id: z.string().max(100), password: optionalPassword })],
]);

/** A call's path below `/api/auth`, and the fields that reach Better Auth. */
export type IdentityCall = {
  name: string;
  form: Record<string, unknown>;
  isGetInLibrary: boolean;
};

/** Reads the fields of a call. Throws 404 or 405 if no such call is mounted; 400, 413 or 415 if the body cannot be read. */
export async function readCall(request: Request, path: string): Promise<IdentityCall> {
  const name = path.slice(authBase.length);
  const call = mountedCalls.get(name);
  if (!call) throw notFound('call');
  if (request.method !== call.method) throw wrongMethod(call.method);
  const sent =
    call.method === 'GET'
      ? Object.fromEntries(new URL(request.url).searchParams)
      : await readJson(request, { optional: true });
  const { data } = z.record(z.string(), z.unknown()).default({}).safeParse(sent);
  if (!data) throw new ShopError('unreadable', 'The body must be a JSON object.');
  const form = Object.fromEntries(
    Object.entries(data)
      .filter(([field]) => Object.hasOwn(call.fields, field))
      .map(([field, value]) => [field, normalizeAddress(call.fields[field], value)]),
  );
  // PostgreSQL rejects NUL, which would look like an internal error.
  if (Object.values(form).some((value) => typeof value === 'string' && value.includes('\0')))
    throw new ShopError('unreadable', 'The text contains a NUL character.');
  return { name, form, isGetInLibrary: call.isGetInLibrary ?? false };
}

/** Makes Better Auth and the limits treat all spellings of an address as one. `checkForm` reports an invalid address. */
const normalizeAddress = (schema: z.ZodType | undefined, value: unknown): unknown =>
  schema === typedEmail || schema === newEmail ? (schema.safeParse(value).data ?? value) : value;

/**
 * Rejects, with an error in Better Auth's format, input that Better Auth itself accepts: overlong names, invalid addresses, common
 * passwords.
 */
export async function checkForm(
  { name, form }: IdentityCall,
  viewer: SessionUser | undefined,
): Promise<Response | undefined> {
  const reject = (code: string, message: string) => Response.json({ code, message }, { status: 400 });
  for (const [field, schema] of Object.entries(mountedCalls.get(name)?.fields ?? {})) {
    const message = schema.safeParse(form[field]).error?.issues[0]?.message;
    if (message) return reject(`INVALID_${field.toUpperCase()}`, message);
  }
  // The call itself rejects visitors who are not signed in, before anything about the new password.
  if (name === '/change-password' && !viewer) return undefined;
  const chosen = name === '/sign-up/email' ? form.password : form.newPassword;
  if (typeof chosen !== 'string') return undefined;
  if (normalizePassword(chosen).length < 6) return reject('PASSWORD_TOO_SHORT', tooShort);
  const personal = [form.email, form.name, viewer?.email, viewer?.name];
  const weakness = await findWeakness(
    chosen,
    personal.filter((value) => typeof value === 'string'),
  );
  return weakness === undefined
    ? undefined
    : reject(
        'PASSWORD_TOO_COMMON',
        `This password is easily guessed: ${weakness}. Choose another one, for example three random words.`,
      );
}
