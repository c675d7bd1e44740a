import { ShopError } from '../../contract/errors.ts';
import { loadOnce } from '../config/load-once.ts';
import { retryConflicts } from '../database/postgres.ts';
import { consumeRateLimit, createFairQueue, type RateLimits } from '../http/rate-limit.ts';
import type { RequestContext, SessionUser } from '../http/request-context.ts';
import { addMail } from '../mail/outbox.ts';
import type { AuthOptions } from './auth.ts';
import { authBase, checkForm, type IdentityCall, readCall } from './calls.ts';
import {
  addressHeader,
  buildLibraryCookies,
  createViewerFinder,
  noMailHeader,
  signToken,
} from './credentials.ts';
import { createGoogleLoader, requireFreshSession } from './google.ts';
import { limitGuesses } from './guesses.ts';
import { countSignUpMail } from './recovery/mail-limits.ts';
import { createRecovery } from './recovery/recovery.ts';
import { encodeQrCode } from './two-factor/qr-code.ts';
import {
  codeMessages,
  codePaths,
  findChallengedUser,
  forgetTrustedDevices,
  limitCodes,
} from './two-factor/two-factor.ts';

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
