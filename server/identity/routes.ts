import { ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import { retryConflicts } from '../database/driver.ts';
import type { Limits } from '../http/rate-limit.ts';
import type { Viewer } from '../http/visit.ts';
import type { AuthOptions } from './auth.ts';
import { endSession, requireFreshSession } from './fresh-session.ts';
import { createLazyAuth } from './lazy-auth.ts';
import { createLibraryRequestBuilder } from './library-request.ts';
import { type IdentityForm, readIdentityCall } from './mounted-calls.ts';
import { sessionCookie } from './names.ts';
import { createSignInLimits, readErrorCode } from './sign-in-limits.ts';
import { createViewerFinder } from './viewer.ts';

/** What gives a visitor a session. */
const entering = new Set(['/sign-up/email', '/sign-in/email', '/callback/google']);
const googlePaths = new Set(['/sign-in/social', '/link-social', '/callback/google']);

/** The network address that a request came from, and who sent it: once they have come in, who they are now. */
type Visitor = { requestId: string; address: string; findViewer: () => Promise<Viewer | undefined> };

/** Answers `/api/auth/…`: Better Auth's protocol, with the shop's limits on guessing. */
export function createIdentityRoutes(options: AuthOptions & { limits: Limits }) {
  const { config, database, secret, log, limits } = options;
  const { getAuth, getGoogleAuth } = createLazyAuth(options);
  const { limitPasswordCheck, limitSignUp } = createSignInLimits(database, limits);
  const find = createViewerFinder({ database, secret, cookie: sessionCookie(config) });
  const makeRequest = createLibraryRequestBuilder({ config, secret });

  async function handle(request: Request, path: string, visit: Visitor): Promise<Response> {
    const call = await readIdentityCall(request, path);
    const { name, form } = call;
    const before = await visit.findViewer();
    // Better Auth treats an unavailable database as a visitor who is not signed in: look for the session first, so that
    // the failure surfaces here.
    if (!before) await touch(database);
    if (name === '/link-social') await requireFreshSession(database, before);
    const asked = makeRequest(request, call, { address: visit.address, viewer: before });
    // Better Auth reports success even if it could not delete the session.
    if (name === '/sign-out' && before) await endSession(database, before);
    const answered = await hand(asked, name, visit.address, form, before);
    if (await isFault(name, answered, form)) return giveUp(name, answered, visit);
    await noteRefusal(name, answered, visit);
    if (entering.has(name)) await welcome(visit, before, answered);
    return answered;
  }

  /** Hands a request to Better Auth, within the shop's limits on guessing. */
  async function hand(
    asked: Request,
    name: string,
    address: string,
    form: IdentityForm | undefined,
    viewer: Viewer | undefined,
  ): Promise<Response> {
    const auth = await (googlePaths.has(name) ? getGoogleAuth() : getAuth());
    const work = () => retryConflicts(() => auth.handler(asked.clone()));
    if (name === '/sign-up/email') return limitSignUp(address, work);
    if (name === '/sign-in/email') return limitPasswordCheck(address, emailOf(form), work);
    // Whoever has got hold of a session would guess its password here, and without end.
    if (name === '/change-password' && viewer) return limitPasswordCheck(address, viewer.email, work);
    return work();
  }

  /** Whether Better Auth failed, rather than refused. */
  async function isFault(name: string, answered: Response, form: IdentityForm | undefined): Promise<boolean> {
    if (answered.status === 500) return true;
    if (name !== '/sign-up/email' || (await readErrorCode(answered)) !== 'FAILED_TO_CREATE_USER')
      return false;
    // It says so, too, where somebody took the address at the same moment.
    const taken = database.db.selectFrom('user').select('id').where('email', '=', emailOf(form));
    return !(await taken.executeTakeFirst());
  }

  async function noteRefusal(name: string, answered: Response, { requestId }: Visitor): Promise<void> {
    const code = await readErrorCode(answered);
    // Its codes are constants; its messages may quote the visitor.
    if (typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code))
      log.info({ requestId, identity: name, code });
  }

  /** Mostly the database went away while it asked, which the next statement says; anything else is for the log. */
  async function giveUp(name: string, answered: Response, { requestId }: Visitor): Promise<never> {
    await touch(database);
    log.error(
      { requestId, identity: name, code: await readErrorCode(answered) },
      'a sign-in or another call of identity failed',
    );
    throw new ShopError('unavailable', 'This is not possible at the moment. Try again shortly.', {
      retryAfter: 5,
    });
  }

  /** Whoever has come in is who the visit is of from now on; the session that it began with goes. */
  async function welcome(visit: Visitor, before: Viewer | undefined, answered: Response): Promise<void> {
    const cookies = answered.headers.getSetCookie().map((set) => set.split(';')[0]);
    const entered = await find(new Headers({ cookie: cookies.join('; ') }));
    if (!entered) return;
    visit.findViewer = async () => entered;
    if (before && before.session !== entered.session) await endSession(database, before);
  }

  return { handle };
}

const emailOf = (form: IdentityForm | undefined): string =>
  typeof form?.email === 'string' ? form.email.slice(0, 300).toLowerCase() : '';

/** Throws where the database is away. */
async function touch({ db }: Database): Promise<void> {
  await db.selectFrom('session').select('id').limit(1).execute();
}
