import type { User } from '../../../contract/accounts/users.ts';
import type { Query } from '../../../contract/call.ts';
import { contract } from '../../../contract/contract.ts';
import { invalid } from '../../../contract/errors.ts';
import { linkedInRule } from '../../../contract/fields.ts';
import type { Database } from '../../database/database.ts';
import type { Db } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { nameSignInMethod } from '../../identity/accounts.ts';
import { signToken } from '../../identity/credentials.ts';
import { endAccess } from '../../identity/session-endings.ts';
import { type Actor, toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { makeAdmin, removeAdmin } from './admins.ts';
import { getUser, searchUsers } from './find-users.ts';

export function mountUsers(calls: Calls, shop: Shop): void {
  const { db } = shop.database;

  route(calls, contract.saveUser, async ({ viewer, body }) => {
    const token = signToken(viewer.token, shop.secret);
    if (body.address === undefined) return { token, modifiedCount: 0 };
    const [isValid, message] = linkedInRule(viewer.linkedIn);
    if (!isValid(body.linkedIn)) throw invalid('linkedIn', message);
    const { address, phone, education, linkedIn } = body;
    const { numUpdatedRows } = await db
      .updateTable('user')
      .set({ address, phone, education, linkedIn })
      .where('id', '=', viewer.id)
      .executeTakeFirst();
    return { token, modifiedCount: Number(numUpdatedRows) };
  });

  // The viewer's own role has just been read with the session.
  route(calls, contract.isAdmin, async ({ viewer, params: { email } }) => ({
    admin: email === viewer.email ? viewer.role === 'admin' : (await findRole(db, email))?.role === 'admin',
  }));

  route(calls, contract.listUsers, ({ query }) => listUsers(shop.database, query));

  // A sandbox promotes any user, as specified. If the shop sends no mail, nobody can confirm an address.
  const requireConfirmed = shop.config.services !== undefined && shop.sendsMail;
  route(calls, contract.makeAdmin, async ({ viewer, params: { email } }) => ({
    modifiedCount: await shop.database.transaction((tx) =>
      makeAdmin(tx, email, toActor(viewer), { requireConfirmed }),
    ),
  }));

  route(calls, contract.removeAdmin, async ({ viewer, params }) => ({
    modifiedCount: await removeAdmin(shop.database, params.email, toActor(viewer)),
  }));

  route(calls, contract.signOutUser, async ({ viewer, params }) => ({
    deletedCount: await signOutUser(shop.database, params.email, toActor(viewer)),
  }));
}

async function listUsers(database: Database, query: Query<typeof contract.listUsers>): Promise<User[]> {
  const { db } = database;
  const { q, after = '' } = query;
  const limit = toSqlLimit(query);
  const users =
    q === ''
      ? await db.selectFrom('user').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute()
      : await searchUsers(database, q, after, limit);
  if (users.length === 0) return [];
  const accounts = await db
    .selectFrom('account')
    .select(['userId', 'providerId'])
    .where(
      'userId',
      'in',
      users.map(({ id }) => id),
    )
    .orderBy('userId')
    .execute();
  const accountsByUser = Map.groupBy(accounts, ({ userId }) => userId);
  return users.map((row) => ({
    _id: row.id,
    email: row.email,
    emailVerified: Boolean(row.emailVerified),
    name: row.name,
    ...(row.role === 'admin' ? { role: 'admin' as const } : {}),
    address: row.address,
    phone: row.phone,
    education: row.education,
    linkedIn: row.linkedIn,
    createdAt: new Date(row.createdAt).toISOString(),
    signsInWith: (accountsByUser.get(row.id) ?? []).map(({ providerId }) => nameSignInMethod(providerId)),
  }));
}

function findRole(db: Db, email: string): Promise<{ role: string | null } | undefined> {
  return db.selectFrom('user').select('role').where('email', '=', email).executeTakeFirst();
}

/**
 * Ends a user's sessions, unfinished sign-ins, trusted devices and links. Returns the number of sessions. Throws 404 for an unknown
 * address.
 */
function signOutUser(database: Database, email: string, actor: Actor): Promise<number> {
  return database.transaction(async (tx) => {
    const { id, name } = await getUser(tx, email);
    const ended = await endAccess(database, tx, id);
    if (ended > 0) await writeAudit(tx, { ...actor, action: 'signOutUser', target: id, name });
    return ended;
  });
}
