import { loginPage } from '../../contract/page-addresses.ts';
import type { RequestContext, SessionUser } from '../http/request-context.ts';
import type { AuthOptions } from './auth.ts';
import { cookiePrefix, createViewerFinder, readCookie, sessionCookie, signToken } from './credentials.ts';
import { passkeyPaths } from './passkeys/passkeys.ts';
import { readSetCookies } from './responses.ts';
import { isEndedSince } from './session-endings.ts';
import { codePaths, findChallengedUser } from './two-factor/two-factor.ts';

export const newSessionPaths: ReadonlySet<string> = new Set([
  '/sign-up/email',
  '/sign-in/email',
  '/callback/google',
  passkeyPaths.finishSignIn,
  '/two-factor/disable',
  ...codePaths,
]);
/** If one of these calls opens a session for a user with two-factor sign-in, the session has passed a second factor. */
const secondFactorPaths = new Set([passkeyPaths.finishSignIn, ...codePaths]);

/** Changes to sessions that Better Auth does not make. */
export function createSessionChanges({
  database,
  secret,
  config,
}: Pick<AuthOptions, 'database' | 'secret' | 'config'>) {
  const findViewer = createViewerFinder({ database, secret, config });

  /**
   * After a sign-in, the rest of the request runs as the new user, and the previous session ends. The previous session also ends if
   * a second step must follow: the browser's cookie is gone, and nobody is signed in until that step.
   *
   * `endings` is from `listEndings`, read before the credential was checked. If the user's sessions have ended since, returns a
   * rejection to send instead of `response`. Without this, an intruder who keeps signing in would survive a password reset.
   */
  async function switchSession(
    name: string,
    visit: Pick<RequestContext, 'findViewer'>,
    previous: SessionUser | undefined,
    response: Response,
    endings: ReadonlySet<string>,
  ): Promise<Response | undefined> {
    const cookies = readSetCookies(response);
    const opened = await findViewer(cookies);
    // Turning two-factor sign-in on or off replaces this session and ends the others. That must not reject the new session.
    const replaced = name.startsWith('/two-factor/') ? previous?.session : undefined;
    if (await isOutdated(cookies, opened, endings, replaced)) {
      if (opened) await endSession(opened);
      return rejectOutdated(name);
    }
    // A code that is entered while signed in opens no session, except when it turns two-factor sign-in on.
    let viewer = opened ?? (codePaths.has(name) && response.ok ? previous : undefined);
    // A password alone passes only on a trusted device, whose cookie Better Auth then renews. Better Auth may also open a session
    // for a password alone if two-factor sign-in was turned on after the password was checked.
    const isTrusted = Boolean(readCookie(cookies, `${cookiePrefix(config)}.trust_device`));
    if (viewer?.twoFactorOn && !viewer.passedSecondFactor && (isTrusted || secondFactorPaths.has(name)))
      viewer = await markSecondFactor(viewer);
    if (viewer || (name === '/sign-in/email' && response.ok)) visit.findViewer = async () => viewer;
    else return undefined;
    if (previous && previous.session !== viewer?.session) await endSession(previous);
    return undefined;
  }

  async function isOutdated(
    cookies: Headers,
    opened: SessionUser | undefined,
    endings: ReadonlySet<string>,
    replaced: string | undefined,
  ): Promise<boolean> {
    if (opened) return isEndedSince(database, endings, opened.id, replaced);
    if (readCookie(cookies, sessionCookie(config))) return true;
    const userId = await findChallengedUser(database, cookies, { config, secret });
    if (userId === undefined) return false;
    // Inserting a challenge locks no user, so it did not wait for a transaction that ends the sessions (`lockUser`). Wait here.
    if (database.engine === 'postgres')
      await database.db.selectFrom('user').select('id').where('id', '=', userId).forKeyShare().execute();
    return isEndedSince(database, endings, userId);
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

  return { switchSession, endSession };
}

function rejectOutdated(name: string): Response {
  if (name === '/callback/google')
    return new Response(null, {
      status: 302,
      headers: { location: `${loginPage}?error=unable_to_create_session` },
    });
  const message = 'All sessions of this account have just been ended. Sign in again.';
  return Response.json({ code: 'SESSIONS_ENDED', message }, { status: 401 });
}
