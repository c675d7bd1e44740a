import { ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import type { Viewer } from '../http/visit.ts';

/** How long after sign-in a session may open another way into its account, in milliseconds. */
const fresh = 60 * 60 * 1000;

/** Throws 403 where somebody signed in too long ago: a session that was stolen must not become a key for good. */
export async function requireFreshSession({ db }: Database, viewer: Viewer | undefined): Promise<void> {
  if (!viewer) return;
  const session = await db
    .selectFrom('session')
    .select('createdAt')
    .where('id', '=', viewer.session)
    .executeTakeFirst();
  // It may have ended a moment ago.
  if (session && new Date(session.createdAt).getTime() > Date.now() - fresh) return;
  throw new ShopError('not_allowed', 'You signed in more than an hour ago: sign out and in again first.');
}

/** Deletes the viewer's session. Throws if the database cannot. */
export async function endSession({ db }: Database, { session }: Viewer): Promise<void> {
  await db.deleteFrom('session').where('id', '=', session).execute();
}
