import { ShopError } from '../../contract/errors.ts';
import { loadOnce } from '../config/load-once.ts';
import type { Services } from '../config/services.ts';
import { isOrphan } from '../database/errors.ts';
import { retryConflicts } from '../database/postgres.ts';
import { consumeRateLimits, type FairQueue, type RateLimits } from '../http/rate-limit.ts';
import type { RequestContext, SessionUser } from '../http/request-context.ts';
import { afterCalls } from './after-calls.ts';
import type { AuthOptions } from './auth.ts';
import { authBase, checkForm, type IdentityCall, readCall } from './calls.ts';
import { addressHeader, buildLibraryCookies, noMailHeader } from './credentials.ts';
import { createGoogleLoader } from './google.ts';
import { authorizeNewPasskey, limitChallenges, passkeyMessages, passkeyPaths } from './passkeys/passkeys.ts';
import { createPasskeyRemoval } from './passkeys/removal.ts';
import { limitPasswordAttempts, type PasswordCheck } from './password-attempts.ts';
import { requireFreshSession } from './reauthenticate.ts';
import { createAddressChange } from './recovery/address-change.ts';
import { countSignUpMail } from './recovery/mail-limits.ts';
import { createPasswordChange } from './recovery/password-change.ts';
import { createRecovery } from './recovery/recovery.ts';
import type { MoveAddress } from './recovery/replace-address.ts';
import { editBody, readErrorCode } from './responses.ts';
import { createRevocations } from './revocations.ts';
import { createSessionChanges, newSessionPaths } from './session-changes.ts';
import { listEndings } from './session-endings.ts';
import { createCodeRenewal } from './two-factor/recovery-codes.ts';
import {
  checkSettingsAccess,
  codeMessages,
  codePaths,
  findChallengedUser,
  limitCodes,
} from './two-factor/two-factor.ts';

/** Calls with which an attacker who has stolen a session could guess the password. */
const passwordPaths = new Set([
  '/change-password',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
]);
/** Calls that store a challenge, by its kind. */
const challengeKinds = new Map([
  [passkeyPaths.startNew, 'passkey'],
  [passkeyPaths.startSignIn, 'passkey'],
  ['/sign-in/social', 'google'],
  ['/link-social', 'google'],
] as const);
const verificationPaths = new Set([passkeyPaths.finishNew, passkeyPaths.finishSignIn]);
const googlePaths = new Set(['/sign-in/social', '/link-social', '/callback/google']);

/** `findViewer` is replaced when the request signs somebody in. */
type IdentityVisit = Pick<RequestContext, 'requestId' | 'address' | 'findViewer'>;
type Send = () => Promise<Response>;

/** Serves `/api/auth/…`: Better Auth's protocol, with the shop's rate limits. */
export function createIdentityRoutes(
  options: Omit<AuthOptions, 'google'> & {
    google: Services['google'];
    limits: RateLimits;
    passwordQueue: FairQueue;
    moveAddress: MoveAddress;
  },
) {
  const { config, database, secret, log, limits, passwordQueue } = options;
  const sessions = createSessionChanges(options);

  /** Throws if the database is unavailable. */
  const checkDatabase = () => database.db.selectFrom('session').select('id').limit(1).execute();

  /** Better Auth makes up half of all modules, so each instance, with Google and without, is created on first use. */
  const loadAuth = async (google: AuthOptions['google']) =>
    (await import('./auth.ts')).createAuth({ ...options, google });
  const getAuth = loadOnce(() => loadAuth(undefined));
  const addressChange = createAddressChange(options);
  const ownCalls = new Map([
    ...createRecovery({ ...options, ...addressChange }),
    ...addressChange.calls,
    ...createRevocations(database),
    createPasswordChange(options),
    createCodeRenewal(options),
    [passkeyPaths.remove, createPasskeyRemoval(options)],
  ]);
  const getGoogleAuth = createGoogleLoader(options.google, loadAuth, log);

  async function handle(request: Request, path: string, visit: IdentityVisit): Promise<Response> {
    const call = await readCall(request, path);
    const { name, form } = call;
    const viewer = await visit.findViewer();
    // Read whose sessions have ended before checking a credential, so that a sign-in meanwhile is rejected (`session-endings.ts`).
    const endings = newSessionPaths.has(name) ? await listEndings(database) : undefined;
    // Better Auth treats an unavailable database as a visitor who is not signed in: query it first.
    if (!viewer && !endings) await checkDatabase();
    if (name === '/link-social') await requireFreshSession(database, viewer);
    checkSettingsAccess(name, viewer);
    const kind = challengeKinds.get(name);
    if (kind) await limitChallenges(options, kind, visit.address);
    // Better Auth reports success even if it could not delete the session.
    if (name === '/sign-out' && viewer) await sessions.endSession(viewer);
    const send = async () =>
      (await checkForm(call, viewer)) ?? (await respond(request, call, visit.address, viewer));
    const response = codePaths.has(name)
      ? ((await checkForm(call, viewer)) ??
        (await sendCode(request.headers, call, visit.address, viewer, send)))
      : await limit(call, visit.address, viewer, send);
    const entry = { requestId: visit.requestId, identity: name, code: await readErrorCode(response) };
    if (response.status === 500 || (entry.code === 'FAILED_TO_CREATE_USER' && !(await isTaken(form)))) {
      // The usual cause is an unavailable database, for which this call throws. Only other causes are logged as errors.
      await checkDatabase();
      if (viewer && !(await accountExists(viewer))) throw accountDeleted();
      log.error(entry, 'an identity call failed');
      const detail = 'This is not possible at the moment. Try again shortly.';
      throw new ShopError('unavailable', detail, { retryAfter: 5 });
    }
    // Better Auth's codes are constants; its messages may quote visitor input.
    if (typeof entry.code === 'string' && /^[A-Z_]{1,60}$/.test(entry.code)) log.info(entry);
    const rejection = endings && (await sessions.switchSession(name, visit, viewer, response, endings));
    if (rejection) return rejection;
    const follow = response.ok ? afterCalls.get(name) : undefined;
    if (follow) return follow(response, viewer);
    const message = codeMessages.get(String(entry.code)) ?? passkeyMessages.get(String(entry.code));
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
    // No sign-in is waiting for this code: Better Auth rejects it.
    if (userId === undefined) return send();
    return limitCodes(database, limits, { userId, address, code: String(form.code) }, send);
  }

  async function respond(
    request: Request,
    call: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
  ): Promise<Response> {
    const handleOwn = ownCalls.get(call.name);
    if (handleOwn) return handleOwn({ form: call.form, headers: request.headers, address, viewer });
    if (call.name === passkeyPaths.startNew) await authorizeNewPasskey(options, call.form, address, viewer);
    const auth = await (googlePaths.has(call.name) ? getGoogleAuth() : getAuth());
    // Otherwise Better Auth would offer only the passkeys of the signed-in user.
    const sender = call.name === passkeyPaths.startSignIn ? undefined : viewer;
    const libraryRequest = buildRequest(request, call, address, sender);
    if (
      call.name === '/sign-up/email' &&
      config.sendsMail &&
      !(await countSignUpMail(options, address, readEmail(call.form)))
    )
      libraryRequest.headers.set(noMailHeader, 'yes');
    const send = async () =>
      verificationPaths.has(call.name)
        ? (await import('./passkeys/plugin.ts')).verifyPasskey(auth, database, libraryRequest.clone(), {
            name: call.name,
            viewer,
          })
        : auth.handler(libraryRequest.clone());
    return retryConflicts(send).catch(async (error: unknown) => {
      throw isOrphan(error) || (viewer && !(await accountExists(viewer))) ? accountDeleted() : error;
    });
  }

  function buildRequest(
    { method, url, headers }: Request,
    { name, form, isGetInLibrary }: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
  ): Request {
    const target = new URL(authBase + name, url);
    const passed = {
      [addressHeader]: address,
      cookie: buildLibraryCookies(headers, viewer, { config, secret }),
      // The user agent is stored with each session.
      'user-agent': (headers.get('user-agent') ?? '').slice(0, 300),
    };
    if (isGetInLibrary) return new Request(target, { headers: passed });
    if (method === 'GET') {
      for (const [field, value] of Object.entries(form)) target.searchParams.set(field, String(value));
      return new Request(target, { headers: passed });
    }
    return new Request(target, {
      method,
      headers: { ...passed, 'content-type': 'application/json' },
      body: JSON.stringify(form),
    });
  }

  /** Rate limits of the calls that hash a password. */
  async function limit(
    { name, form }: IdentityCall,
    address: string,
    viewer: SessionUser | undefined,
    send: Send,
  ): Promise<Response> {
    if (name === '/sign-up/email')
      return passwordQueue(address, async () => {
        await consumeRateLimits(database, { [`sign-up ${address}`]: limits.signUpsPerAddress });
        return send();
      });
    if (name === '/sign-in/email')
      return passwordQueue(address, () =>
        limitPasswordAttempts(options, address, readEmail(form), send, readPasswordCheck),
      );
    if (name === '/reset-password') return passwordQueue(address, send);
    if (passwordPaths.has(name) && viewer)
      return passwordQueue(address, () =>
        limitPasswordAttempts(options, address, viewer.email, send, readPasswordCheck),
      );
    return send();
  }

  /** False if the account was just deleted, for which Better Auth reports an internal error. */
  async function accountExists({ id }: SessionUser): Promise<boolean> {
    const user = database.db.selectFrom('user').select('id').where('id', '=', id);
    return (await user.executeTakeFirst()) !== undefined;
  }

  /** Better Auth also fails to create a user if a simultaneous sign-up took the address. */
  async function isTaken(form: IdentityCall['form']): Promise<boolean> {
    const taken = database.db.selectFrom('user').select('id').where('email', '=', readEmail(form));
    return (await taken.executeTakeFirst()) !== undefined;
  }

  return { handle };
}

/** The error if the account is deleted during the call. */
const accountDeleted = () => new ShopError('not_signed_in', 'This account has been deleted.');

/** A sign-in reports a wrong password with the status 401, the other calls with `INVALID_PASSWORD`. */
async function readPasswordCheck(response: Response): Promise<PasswordCheck> {
  const code = await readErrorCode(response);
  // Better Auth compares the password before it looks whether two-factor sign-in is on.
  if (response.ok || code === 'TOTP_ALREADY_ENABLED') return 'correct';
  return response.status === 401 || code === 'INVALID_PASSWORD' ? 'wrong' : undefined;
}

const readEmail = (form: IdentityCall['form']): string =>
  typeof form.email === 'string' ? form.email.slice(0, 300).toLowerCase() : '';
