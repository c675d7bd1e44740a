import { ShopError } from '../../../contract/errors.ts';
import type { Profile, User } from '../../../contract/users.ts';
import type { Database } from '../../database/database.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { nameSignInMethod } from '../../identity/accounts.ts';
import { writeAudit } from '../audit/audit.ts';

/** All users in the order in which they signed up, each with its sign-in methods. */
export async function listUsers({ db }: Database, limit: number, after = ''): Promise<User[]> {
  const users = await db
    .selectFrom('user')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  const accounts = await db
    .selectFrom('account')
    .select(['userId', 'providerId'])
    .where('userId', '>=', users[0]?.id ?? '')
    .where('userId', '<=', users.at(-1)?.id ?? '')
    .orderBy('userId')
    .execute();
  const accountsByUser = Map.groupBy(accounts, ({ userId }) => userId);
  return users.map((row) => ({
    _id: row.id,
    email: row.email,
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

export async function saveProfile(
  { db }: Database,
  viewer: SessionUser,
  { address, phone, education, linkedIn }: Profile,
): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('user')
    .set({ address, phone, education, linkedIn })
    .where('id', '=', viewer.id)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function isAdmin({ db }: Database, email: string): Promise<boolean> {
  const found = await db
    .selectFrom('user')
    .select('id')
    .where('email', '=', email)
    .where('role', '=', 'admin')
    .executeTakeFirst();
  return found !== undefined;
}

/** Returns 1, or 0 if the user was already an admin. Throws 404. The audit log records `actor`. */
export async function makeAdmin(database: Database, email: string, actor: string): Promise<number> {
  return database.transaction(async (tx) => {
    const promoted = await tx
      .updateTable('user')
      .set({ role: 'admin' })
      .where('email', '=', email)
      .where('role', 'is', null)
      .returning('name')
      .executeTakeFirst();
    if (promoted) {
      await writeAudit(tx, { who: actor, what: 'makeAdmin', of: email, name: promoted.name });
      return 1;
    }
    const existing = await tx.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst();
    if (!existing) throw new ShopError('not_found', 'There is no account with that e-mail address.');
    return 0;
  });
}
