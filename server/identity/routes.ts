import { ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import { retryConflicts } from '../database/driver.ts';
import type { RateLimits } from '../http/rate-limit.ts';
import type { SessionUser } from '../http/request-context.ts';
import type { AuthOptions } from './auth.ts';
import { endSession, requireFreshSession } from './fresh-session.ts';
import { createLazyAuth } from './lazy-auth.ts';
import { createLibraryRequestBuilder } from './library-request.ts';
import { type IdentityForm, readIdentityCall } from './mounted-calls.ts';
import { sessionCookie } from './names.ts';
import { createSignInLimits, readErrorCode } from './sign-in-limits.ts';
import { createViewerFinder } from './viewer.ts';

/** Calls that start a session. */
const signInPaths = new Set(['/sign-up/email', '/sign-in/email', '/callback/google']);
const googlePaths = new Set(['/sign-in/social', '/link-social', '/callback/google']);

/** `findViewer` is replaced when the request signs somebody in. */
type IdentityVisit = {
  requestId: string;
  address: string;
  findViewer: () => Promise<SessionUser | undefined>;
};

/** Serves `/api/auth/…`: Better Auth's protocol, with the shop's rate limits. */
export function createIdentityRoutes(options: AuthOptions & { limits: RateLimits }) {
  const { config, database, secret, log, limits } = options;
  const { getAuth, getGoogleAuth } = createLazyAuth(options);
  const { limitPasswordCheck, limitSignUp } = createSignInLimits(database, limits);
  const findViewer = createViewerFinder({ database, secret, cookie: sessionCookie(config) });
  const buildRequest = createLibraryRequestBuilder({ config, secret });

  async function handle(request: Request, path: string, visit: IdentityVisit): Promise<Response> {
    const call = await readIdentityCall(request, path);
    const { name, form } = call;
    const viewer = await visit.findViewer();
    // Better Auth treats an unavailable database as a visitor who is not signed in: query it first, so that the failure
    // surfaces here.
    if (!viewer) await checkDatabase(database);
    if (name === '/link-social') await requireFreshSession(database, viewer);
    const libraryRequest = buildRequest(request, call, { address: visit.address, viewer });
    // Better Auth reports success even if it could not delete the session.
    if (name === '/sign-out' && viewer) await endSession(database, viewer);
    const response = await forward(libraryRequest, name, visit.address, form, viewer);
    if (await isInternalError(name, response, form)) return reportError(name, response, visit);
    await logRejection(name, response, visit);
    if (signInPaths.has(name)) await switchSession(visit, viewer, response);
    return response;
  }

  /** Passes a request to Better Auth, within the rate limits. */
  async function forward(
    request: Request,
    name: string,
    address: string,
    form: IdentityForm | undefined,
    viewer: SessionUser | undefined,
  ): Promise<Response> {
    const auth = await (googlePaths.has(name) ? getGoogleAuth() : getAuth());
    const send = () => retryConflicts(() => auth.handler(request.clone()));
    if (name === '/sign-up/email') return limitSignUp(address, send);
    if (name === '/sign-in/email') return limitPasswordCheck(address, readEmail(form), send);
    // With a stolen session, an attacker could guess the password here.
    if (name === '/change-password' && viewer) return limitPasswordCheck(address, viewer.email, send);
    return send();
  }

  /** Whether Better Auth failed, rather than rejected the request. */
  async function isInternalError(
    name: string,
    response: Response,
    form: IdentityForm | undefined,
  ): Promise<boolean> {
    if (response.status === 500) return true;
    if (name !== '/sign-up/email' || (await readErrorCode(response)) !== 'FAILED_TO_CREATE_USER')
      return false;
    // Better Auth also responds with this code if a simultaneous sign-up took the address.
    const taken = database.db.selectFrom('user').select('id').where('email', '=', readEmail(form));
    return !(await taken.executeTakeFirst());
  }

  async function logRejection(name: string, response: Response, { requestId }: IdentityVisit): Promise<void> {
    const code = await readErrorCode(response);
    // Better Auth's codes are constants; its messages may quote visitor input.
    if (typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code))
      log.info({ requestId, identity: name, code });
  }

  /** The usual cause is an unavailable database: `checkDatabase` then throws. Only other causes are logged as errors. */
  async function reportError(name: string, response: Response, { requestId }: IdentityVisit): Promise<never> {
    await checkDatabase(database);
    log.error({ requestId, identity: name, code: await readErrorCode(response) }, 'an identity call failed');
    throw new ShopError('unavailable', 'This is not possible at the moment. Try again shortly.', {
      retryAfter: 5,
    });
  }

  /** After a sign-in, the visit is the new user's, and the previous session ends. */
  async function switchSession(
    visit: IdentityVisit,
    previous: SessionUser | undefined,
    response: Response,
  ): Promise<void> {
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    const viewer = await findViewer(new Headers({ cookie: cookies.join('; ') }));
    if (!viewer) return;
    visit.findViewer = async () => viewer;
    if (previous && previous.session !== viewer.session) await endSession(database, previous);
  }

  return { handle };
}

const readEmail = (form: IdentityForm | undefined): string =>
  typeof form?.email === 'string' ? form.email.slice(0, 300).toLowerCase() : '';

/** Throws if the database is unavailable. */
async function checkDatabase({ db }: Database): Promise<void> {
  await db.selectFrom('session').select('id').limit(1).execute();
}
