import { ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import type { SessionUser } from '../http/request-context.ts';

/** How long after sign-in a user may link Google. */
const freshMs = 60 * 60 * 1000;

/** Throws 403 if the session is too old: a stolen session must not give permanent access to the account. */
export async function requireFreshSession({ db }: Database, viewer: SessionUser | undefined): Promise<void> {
  if (!viewer) return;
  const session = await db
    .selectFrom('session')
    .select('createdAt')
    .where('id', '=', viewer.session)
    .executeTakeFirst();
  // The session may have ended since it was read.
  if (session && new Date(session.createdAt).getTime() > Date.now() - freshMs) return;
  throw new ShopError('not_allowed', 'You signed in more than an hour ago: sign out and in again first.');
}

/** Deletes the viewer's session. Throws if that fails. */
export async function endSession({ db }: Database, { session }: SessionUser): Promise<void> {
  await db.deleteFrom('session').where('id', '=', session).execute();
}
