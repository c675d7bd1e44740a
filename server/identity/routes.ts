import { z } from 'zod';
import { notFound, ShopError, wrongMethod } from '../../contract/errors.ts';
import { email, text } from '../../contract/fields.ts';
import { loadOnce } from '../config/load-once.ts';
import { retryConflicts } from '../database/postgres.ts';
import { consumeRateLimit, createFairQueue, type RateLimits } from '../http/rate-limit.ts';
import { readJson } from '../http/request.ts';
import type { RequestContext, SessionUser } from '../http/request-context.ts';
import { addMail } from '../mail/outbox.ts';
import type { AuthOptions } from './auth.ts';
import { isCommonPassword } from './common-passwords.ts';
import {
  addressHeader,
  buildLibraryCookies,
  createViewerFinder,
  noMailHeader,
  signToken,
} from './credentials.ts';
import { createGoogleLoader, requireFreshSession } from './google.ts';
import { limitGuesses } from './guesses.ts';
import { countSignUpMail } from './mail-limits.ts';
import { encodeQrCode } from './qr-code.ts';
import { createRecovery } from './recovery.ts';
import {
  codeMessages,
  codePaths,
  findChallengedUser,
  forgetTrustedDevices,
  limitCodes,
} from './two-factor.ts';

export const authBase = '/api/auth';

type Fields = Record<string, z.ZodType>;
const get = (fields: Fields = {}) => ({ method: 'GET', fields });
const post = (fields: Fields = {}) => ({ method: 'POST', fields });
const unchecked = z.unknown();
const password = (label: string) => z.string(`${label} is Required`).min(1, `${label} is Required`);
const tooShort = 'Password too short';
const tooLong = 'Password too long';
const code = (pattern: RegExp) => z.string('Code is Required').regex(pattern, 'Provide a valid Code');
const ownPassword = { password: password('Password') };
const signInForm = { email, password: password('Password'), rememberMe: unchecked };
const passwordForm = { currentPassword: password('Current password'), newPassword: password('New password') };
const token = z.string('Token is Required').max(100);
/** Better Auth stores both for ten minutes, for anybody who asks. */
const localUrl = z.string().max(2000).optional();
const googleForm = { provider: unchecked, callbackURL: localUrl, errorCallbackURL: localUrl };

/**
 * The paths of Better Auth that the shop mounts or handles itself (`recovery.ts`); all others respond with 404. Only the
 * fields named here reach Better Auth, which would also read others: an `idToken` would sign in without state, PKCE and
 * nonce, and `scopes` and `additionalParams` would reach Google. The schemas check what Better Auth does not.
 */
export const mountedCalls: ReadonlyMap<string, ReturnType<typeof get>> = new Map([
  ['/sign-up/email', post({ name: text('Name', 100), ...signInForm })],
  ['/sign-in/email', post(signInForm)],
  ['/sign-in/social', post(googleForm)],
  ['/link-social', post(googleForm)],
  ['/callback/google', get({ code: unchecked, state: unchecked, error: unchecked, iss: unchecked })],
  ['/sign-out', post()],
  ['/get-session', get()],
  ['/change-password', post(passwordForm)],
  ['/request-password-reset', post({ email })],
  [
    '/reset-password',
    post({ token, newPassword: password('New password').min(6, tooShort).max(128, tooLong) }),
  ],
  ['/send-verification-email', post()],
  ['/verify-email', post({ token })],
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
]);

const signInPaths = new Set(['/sign-up/email', '/sign-in/email', '/callback/google', ...codePaths]);
/** With a stolen session, an attacker could guess the password here. */
const passwordPaths = new Set([
  '/change-password',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
]);
/** These turn two-factor sign-in off or replace its codes. */
const secondFactorSettings = new Set(['/two-factor/disable', '/two-factor/generate-backup-codes']);
/** A session that these open for a user with two-factor sign-in has passed a second factor. */
const secondFactorPaths = new Set(['/sign-in/email', ...codePaths]);
const googlePaths = new Set(['/sign-in/social', '/link-social', '/callback/google']);

const maxHashesPerAddress = 4;
const maxWaitingHashes = 200;

type IdentityCall = { name: string; form: Record<string, unknown> };
/** `findViewer` is replaced when the request signs somebody in. */
type IdentityVisit = Pick<RequestContext, 'requestId' | 'address' | 'findViewer'>;
type Send = () => Promise<Response>;

/** Serves `/api/auth/…`: Better Auth's protocol, with the shop's rate limits. */
export function createIdentityRoutes(options: AuthOptions & { limits: RateLimits }) {
  const { config, database, secret, log, limits } = options;
  const findViewer = createViewerFinder({ database, secret, config });
  const takeTurn = createFairQueue(maxHashesPerAddress, maxWaitingHashes);

  /** Throws if the database is unavailable. */
  const checkDatabase = () => database.db.selectFrom('session').select('id').limit(1).execute();

  /** Better Auth is half of all modules, so each instance, with Google and without, is created on first use. */
  const loadAuth = async (google: AuthOptions['google']) =>
    (await import('./auth.ts')).createAuth({ ...options, google });
  const getAuth = loadOnce(() => loadAuth(undefined));
  const recovery = createRecovery(options);
  const getGoogleAuth = createGoogleLoader(options.google, loadAuth, log);

  async function handle(request: Request, path: string, visit: IdentityVisit): Promise<Response> {
    const call = await readCall(request, path);
    const { name, form } = call;
    const viewer = await visit.findViewer();
    // Better Auth treats an unavailable database as a visitor who is not signed in: query it first.
    if (!viewer) await checkDatabase();
    if (name === '/link-social') await requireFreshSession(database, viewer);
    // Otherwise a session of an admin's Google account could replace the second factor with the password alone.
    if (viewer?.adminStep === 'code' && secondFactorSettings.has(name))
      throw new ShopError('not_allowed', 'Enter a code of your authenticator app first.');
    // Better Auth reports success even if it could not delete the session.
    if (name === '/sign-out' && viewer) await endSession(viewer);
    const send = async () => (await checkForm(call)) ?? (await respond(request, call, visit.address, viewer));
    const response = codePaths.has(name)
      ? ((await checkForm(call)) ?? (await sendCode(request.headers, call, visit.address, viewer, send)))
      : await limit(call, visit.address, viewer, send);
    const entry = { requestId: visit.requestId, identity: name, code: await readErrorCode(response) };
    if (response.status === 500 || (entry.code === 'FAILED_TO_CREATE_USER' && !(await isTaken(form)))) {
      // The usual cause is an unavailable database: this then throws. Only other causes are logged as errors.
      await checkDatabase();
      log.error(entry, 'an identity call failed');
      const detail = 'This is not possible at the moment. Try again shortly.';
      throw new ShopError('unavailable', detail, { retryAfter: 5 });
    }
    // Better Auth's codes are constants; its messages may quote visitor input.
    if (typeof entry.code === 'string' && /^[A-Z_]{1,60}$/.test(entry.code)) log.info(entry);
    if (signInPaths.has(name)) await switchSession(name, visit, viewer, response);
    if (name === '/change-password' && viewer?.secondFactor) await keepSecondFactor(response);
    if (name === '/two-factor/disable' && viewer && response.ok)
      await database.transaction(async (tx) => {
        // Better Auth forgets this browser only.
        await forgetTrustedDevices(tx, viewer.id);
        if (config.sendsMail && viewer.twoFactor)
          await addMail(tx, [{ kind: 'two-factor off', recipient: viewer.email, about: '' }]);
      });
    // Better Auth reports the role of the account; pages need that of the session.
    if (name === '/get-session' && viewer?.adminStep)
      return editBody(response, ({ user }) =>
        user instanceof Object ? { user: { ...user, role: null, adminStep: viewer.adminStep } } : {},
      );
    if (name === '/two-factor/enable' && response.ok)
      return editBody(response, async ({ totpURI }) => ({ qrCode: await encodeQrCode(String(totpURI)) }));
    const message = codeMessages.get(String(entry.code));
    return message === undefined ? response : editBody(response, () => ({ message }));
  }

  async function sendCode(
    headers: Headers,
    { form }: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
    send: Send,
  ): Promise<Response> {
    const userId = viewer?.id ?? (await findChallengedUser(database, headers, { config, secret }));
    // Better Auth rejects it.
    if (userId === undefined) return send();
    return limitCodes(database, limits, { userId, address, code: String(form.code) }, send);
  }

  async function respond(
    request: Request,
    call: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
  ): Promise<Response> {
    const handleRecovery = recovery.get(call.name);
    if (handleRecovery) return handleRecovery({ form: call.form, address, viewer });
    const auth = await (googlePaths.has(call.name) ? getGoogleAuth() : getAuth());
    const libraryRequest = buildRequest(request, call, address, viewer);
    if (call.name === '/sign-up/email' && config.sendsMail && !(await countSignUpMail(options, address)))
      libraryRequest.headers.set(noMailHeader, 'yes');
    return retryConflicts(() => auth.handler(libraryRequest.clone()));
  }

  function buildRequest(
    { method, url, headers }: Request,
    { name, form }: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
  ): Request {
    const target = new URL(authBase + name, url);
    const passed = {
      [addressHeader]: address,
      cookie: buildLibraryCookies(headers, viewer, { config, secret }),
      // Stored with each session.
      'user-agent': (headers.get('user-agent') ?? '').slice(0, 300),
    };
    if (method === 'GET') {
      for (const [field, value] of Object.entries(form)) target.searchParams.set(field, String(value));
      return new Request(target, { headers: passed });
    }
    // The client cannot keep the other sessions.
    const body = name === '/change-password' ? { ...form, revokeOtherSessions: true } : form;
    return new Request(target, {
      method,
      headers: { ...passed, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /**
   * Rate limits of the three calls that hash a password. Calls from one address also queue, so that many users behind one
   * address neither exceed its limit together nor occupy every thread.
   */
  async function limit(
    { name, form }: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
    send: Send,
  ): Promise<Response> {
    if (name === '/sign-up/email')
      return takeTurn(address, async () => {
        await consumeRateLimit(database, `sign-up ${address}`, limits.signUpsPerAddress);
        return send();
      });
    if (name === '/sign-in/email')
      return takeTurn(address, () => limitGuesses(options, address, readEmail(form), send, isGuess));
    if (name === '/reset-password') return takeTurn(address, send);
    if (passwordPaths.has(name) && viewer)
      return takeTurn(address, () => limitGuesses(options, address, viewer.email, send, isGuess));
    return send();
  }

  /** Better Auth also fails to create a user if a simultaneous sign-up took the address. */
  async function isTaken(form: IdentityCall['form']): Promise<boolean> {
    const taken = database.db.selectFrom('user').select('id').where('email', '=', readEmail(form));
    return (await taken.executeTakeFirst()) !== undefined;
  }

  /**
   * After a sign-in, the visit is the new user's, and the previous session ends. Also when a second step must follow: the
   * browser's cookie is gone, and nobody is signed in until then.
   */
  async function switchSession(
    name: string,
    visit: IdentityVisit,
    previous: SessionUser | undefined,
    response: Response,
  ): Promise<void> {
    const opened = await findViewer(readSetCookies(response));
    // A code that is entered while signed in opens no session, except when it turns two-factor sign-in on.
    let viewer = opened ?? (codePaths.has(name) && response.ok ? previous : undefined);
    if (viewer?.twoFactor && !viewer.secondFactor && secondFactorPaths.has(name))
      viewer = await markSecondFactor(viewer);
    if (viewer || (name === '/sign-in/email' && response.ok)) visit.findViewer = async () => viewer;
    else return;
    if (previous && previous.session !== viewer?.session) await endSession(previous);
  }

  /** Changing the password opens another session. */
  async function keepSecondFactor(response: Response): Promise<void> {
    const viewer = await findViewer(readSetCookies(response));
    if (viewer) await markSecondFactor(viewer);
  }

  async function markSecondFactor(viewer: SessionUser): Promise<SessionUser | undefined> {
    await database.db
      .updateTable('session')
      .set({ secondFactor: true })
      .where('id', '=', viewer.session)
      .execute();
    return findViewer(new Headers({ authorization: `Bearer ${signToken(viewer.token, secret)}` }));
  }

  async function endSession({ session }: SessionUser): Promise<void> {
    await database.db.deleteFrom('session').where('id', '=', session).execute();
  }

  return { handle };
}

async function readCall(request: Request, path: string): Promise<IdentityCall> {
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
    Object.entries(data).filter(([field]) => Object.hasOwn(call.fields, field)),
  );
  // PostgreSQL rejects NUL, which would look like an internal error.
  if (Object.values(form).some((value) => typeof value === 'string' && value.includes('\0')))
    throw new ShopError('unreadable', 'The text contains a NUL character.');
  return { name, form };
}

/** Rejects, in Better Auth's format, input that it accepts: overlong names, invalid addresses, common passwords. */
async function checkForm({ name, form }: IdentityCall): Promise<Response | undefined> {
  const reject = (code: string, message: string) => Response.json({ code, message }, { status: 400 });
  for (const [field, schema] of Object.entries(mountedCalls.get(name)?.fields ?? {})) {
    const message = schema.safeParse(form[field]).error?.issues[0]?.message;
    if (message) return reject(`INVALID_${field.toUpperCase()}`, message);
  }
  const chosen = name === '/sign-up/email' ? form.password : form.newPassword;
  if (typeof chosen !== 'string') return undefined;
  const personal = [form.email, form.name].filter((value) => typeof value === 'string');
  return (await isCommonPassword(chosen, personal))
    ? reject('PASSWORD_TOO_COMMON', 'This password is easily guessed: choose another one')
    : undefined;
}

/** The cookies that a response sets, as the browser would send them. */
function readSetCookies(response: Response): Headers {
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return new Headers({ cookie: cookies.join('; ') });
}

type JsonObject = Record<string, unknown>;

/** Replaces fields of Better Auth's response. */
async function editBody(
  response: Response,
  edit: (body: JsonObject) => JsonObject | Promise<JsonObject>,
): Promise<Response> {
  const body: JsonObject | null = await response.json();
  const { status, headers } = response;
  return Response.json(body && { ...body, ...(await edit(body)) }, { status, headers });
}

/** Whether the password was wrong. The code is that of a wrong one when the password is changed. */
const isGuess = async (response: Response): Promise<boolean> =>
  response.status === 401 || (await readErrorCode(response)) === 'INVALID_PASSWORD';

async function readErrorCode(response: Response): Promise<unknown> {
  if (response.ok) return undefined;
  const copy = response.clone();
  const body: { code?: unknown } | null = await copy.json().catch(() => null);
  return body?.code;
}

const readEmail = (form: IdentityCall['form']): string =>
  typeof form.email === 'string' ? form.email.slice(0, 300).toLowerCase() : '';
