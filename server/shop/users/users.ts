import type { Query } from '../../../contract/call.ts';
import { contract } from '../../../contract/contract.ts';
import { invalid, ShopError } from '../../../contract/errors.ts';
import { linkedInRule } from '../../../contract/fields.ts';
import type { User } from '../../../contract/users.ts';
import type { Database } from '../../database/database.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { nameSignInMethod } from '../../identity/accounts.ts';
import { signToken } from '../../identity/credentials.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';

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

  route(calls, contract.listUsers, ({ query }) => listUsers(db, query));

  route(calls, contract.makeAdmin, async ({ viewer, params }) => ({
    modifiedCount: await makeAdmin(shop.database, params.email, viewer.email),
  }));
}

async function listUsers(db: Db, query: Query<typeof contract.listUsers>): Promise<User[]> {
  const users = await db
    .selectFrom('user')
    .selectAll()
    .where('id', '>', query.after ?? '')
    .orderBy('id')
    .limit(toSqlLimit(query))
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

function findRole(db: Db | Tx, email: string): Promise<{ role: string | null } | undefined> {
  return db.selectFrom('user').select('role').where('email', '=', email).executeTakeFirst();
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
    if (!(await findRole(tx, email)))
      throw new ShopError('not_found', 'There is no account with that email address.');
    return 0;
  });
}
