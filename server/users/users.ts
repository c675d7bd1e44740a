import type { Profile, User } from '../../contract/users.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { ShopError } from '../errors.ts';
import { nameWay, type Viewer } from '../identity/viewer.ts';

/** Everybody with an account, in the order in which they signed up, and how each signs in. */
export async function listUsers({ db }: Database, count: number, after?: string): Promise<User[]> {
  const all = db.selectFrom('user').selectAll();
  const wanted = after === undefined ? all : all.where('id', '>', after);
  const people = await wanted.orderBy('id').limit(count).execute();
  const first = people[0];
  const last = people.at(-1);
  if (!first || !last) return [];
  const accounts = await db
    .selectFrom('account')
    .select(['userId', 'providerId'])
    .where('userId', '>=', first.id)
    .where('userId', '<=', last.id)
    .orderBy('userId')
    .execute();
  const ways = Map.groupBy(accounts, ({ userId }) => userId);
  return people.map((row) => ({
    _id: row.id,
    email: row.email,
    name: row.name,
    ...(row.role === 'admin' ? { role: 'admin' as const } : {}),
    address: row.address,
    phone: row.phone,
    education: row.education,
    linkedIn: row.linkedIn,
    createdAt: new Date(row.createdAt).toISOString(),
    signsInWith: (ways.get(row.id) ?? []).map(({ providerId }) => nameWay(providerId)),
  }));
}

export async function saveProfile({ db }: Database, viewer: Viewer, profile: Profile): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('user')
    .set({
      address: profile.address,
      phone: profile.phone,
      education: profile.education,
      linkedIn: profile.linkedIn,
    })
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

/** 1 where the person became an admin by this, 0 where they were one. Throws 404. */
export async function makeAdmin(database: Database, email: string, who: string): Promise<number> {
  return database.transaction(async (tx) => {
    const made = await tx
      .updateTable('user')
      .set({ role: 'admin' })
      .where('email', '=', email)
      .where('role', 'is', null)
      .returning('name')
      .executeTakeFirst();
    if (made) {
      await writeAudit(tx, { who, what: 'makeAdmin', of: email, name: made.name });
      return 1;
    }
    const known = await tx.selectFrom('user').select('id').where('email', '=', email).executeTakeFirst();
    if (!known) throw new ShopError('not_found', 'Nobody has an account with that e-mail.');
    return 0;
  });
}
