import type { Database } from '../database/database.ts';
import { ShopError } from '../errors.ts';
import { readToken } from './token.ts';
import type { Viewer } from './viewer.ts';

/** How long after sign-in a session may open another way into its account, in milliseconds. */
const fresh = 60 * 60 * 1000;

/** Throws 403 where somebody signed in too long ago: a session that was stolen must not become a key for good. */
export async function requireFresh({ db }: Database, viewer: Viewer | undefined): Promise<void> {
  if (!viewer) return;
  const { createdAt } = await db
    .selectFrom('session')
    .select('createdAt')
    .where('id', '=', viewer.session)
    .executeTakeFirstOrThrow();
  if (new Date(createdAt).getTime() > Date.now() - fresh) return;
  throw new ShopError('not_allowed', 'You signed in more than an hour ago: sign out and in again first.');
}

/** Ends the session that somebody came with, where the answer gives them a new one under the same cookie. */
export async function endReplaced(
  options: { database: Database; secret: string; cookie: string },
  before: Viewer | undefined,
  answered: Response,
): Promise<void> {
  const { database, secret, cookie } = options;
  const begin = `${cookie}=`;
  const set = answered.headers.getSetCookie().find((each) => each.startsWith(begin));
  const value = set?.slice(begin.length).split(';')[0] ?? '';
  const token = readToken(decodeURIComponent(value), secret);
  if (!before || !token || token === before.token) return;
  await database.db.deleteFrom('session').where('id', '=', before.session).execute();
}
