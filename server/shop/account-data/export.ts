import { sql } from 'kysely';
import type { AccountData } from '../../../contract/accounts/account-data.ts';
import { toDate, today } from '../../config/time-zone.ts';
import type { Db } from '../../database/schema.ts';
import { createDownload } from '../../http/calls/download.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { nameSignInMethod } from '../../identity/accounts.ts';
import { listOtherAddresses } from '../../identity/recovery/former-addresses.ts';
import { actorKey } from '../audit/audit.ts';
import { listAddresses } from '../delivery/address-book.ts';
import type { Shop } from '../shop.ts';
import {
  type Part,
  type Row,
  type Rows,
  readActions,
  readContactMessages,
  readImages,
  readMessages,
  readNothing,
  readOrders,
  readProducts,
  readReports,
  readReviews,
  toTime,
} from './export-lists.ts';

/**
 * Everything that the shop stores about the viewer, as one JSON file. Long lists are read in batches, with separate
 * statements, only as fast as the client receives them.
 */
export async function exportAccount(
  { config, database: { db } }: Shop,
  viewer: SessionUser,
): Promise<Response> {
  const user = await readUser(db, viewer);
  const { emailVerified } = user;
  const head = {
    exportedAt: new Date().toISOString(),
    user,
    otherAddresses: await listOtherAddresses(db, viewer.id),
    signInMethods: await readSignInMethods(db, viewer),
    passkeys: await readPasskeys(db, viewer),
    sessions: await readSessions(db, viewer),
    basket: await readBasket(db, viewer),
    addresses: (await listAddresses(db, viewer.id)).map(({ _id, ...address }) => address),
    backInStock: await readBackInStock(db, viewer),
    ...(emailVerified ? await readNewsletter(db, viewer) : {}),
  } satisfies Partial<AccountData>;
  async function* write(): AsyncGenerator<string> {
    yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n`;
    yield* writeList('orders', readOrders(db, viewer));
    yield* writeList('reviews', readReviews(db, viewer));
    yield* writeList('reports', readReports(db, viewer));
    yield* writeList('images', readImages(db, viewer));
    // Anyone can sign up with someone else's address, so data that belongs to the address requires a confirmed one.
    yield* writeList('messages', readMessages(db, viewer, emailVerified ? 0 : Date.parse(user.createdAt)));
    yield* writeList('contactMessages', emailVerified ? readContactMessages(db, viewer) : readNothing());
    yield* writeList('products', readProducts(db, viewer));
    yield* writeList('actions', readActions(db, actorKey, viewer, viewer.role === 'admin'));
    yield* writeList('actionsByAdmins', readActions(db, sql.ref<string>('target'), viewer), '\n}\n');
  }
  return createDownload(`my-data-${toDate(today(config.timeZone))}.json`, 'application/json', write());
}

/** Writes a field of the file whose value is a list, with one row per line. */
async function* writeList<Name extends Part>(
  name: Name,
  batches: AsyncGenerator<Row<Name>[]>,
  end = ',\n',
): AsyncGenerator<string> {
  yield ` "${name}": [`;
  let separator = '\n  ';
  for await (const rows of batches)
    for (const row of rows) {
      yield separator + JSON.stringify(row);
      separator = ',\n  ';
    }
  yield `]${end}`;
}

async function readUser(db: Db, { id }: SessionUser): Promise<AccountData['user']> {
  const row = await db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    _id: row.id,
    email: row.email,
    name: row.name,
    ...(row.role === 'admin' ? { role: 'admin' } : {}),
    address: row.address,
    phone: row.phone,
    education: row.education,
    linkedIn: row.linkedIn,
    emailVerified: Boolean(row.emailVerified),
    twoFactor: Boolean(row.twoFactorEnabled),
    ...(row.image ? { image: row.image } : {}),
    createdAt: toTime(row.createdAt),
    updatedAt: toTime(row.updatedAt),
  };
}

async function readSignInMethods(db: Db, { id }: SessionUser): Promise<Rows<'signInMethods'>> {
  const rows = await db
    .selectFrom('account')
    .select(['providerId', 'accountId', 'createdAt', 'updatedAt'])
    .where('userId', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(({ providerId, accountId, createdAt, updatedAt }) => ({
    method: nameSignInMethod(providerId),
    // For a password, Better Auth's account id is the user's own id.
    ...(accountId === id ? {} : { accountId }),
    createdAt: toTime(createdAt),
    updatedAt: toTime(updatedAt),
  }));
}

async function readPasskeys(db: Db, { id }: SessionUser): Promise<Rows<'passkeys'>> {
  const rows = await db
    .selectFrom('passkey')
    .select(['name', 'aaguid', 'createdAt', 'backedUp'])
    .where('userId', '=', id)
    .execute();
  return rows.map(({ name, aaguid, createdAt, backedUp }) => ({
    name,
    model: aaguid,
    createdAt: toTime(createdAt),
    synced: Boolean(backedUp),
  }));
}

/** The user's sessions, without their tokens. */
async function readSessions(db: Db, { id }: SessionUser): Promise<Rows<'sessions'>> {
  const rows = await db
    .selectFrom('session')
    .select(['createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent', 'secondFactor'])
    .where('userId', '=', id)
    .execute();
  return rows.map(({ createdAt, updatedAt, expiresAt, ipAddress, userAgent, secondFactor }) => ({
    createdAt: toTime(createdAt),
    updatedAt: toTime(updatedAt),
    expiresAt: toTime(expiresAt),
    ipAddress: ipAddress ?? '',
    userAgent: userAgent ?? '',
    secondFactor: Boolean(secondFactor),
  }));
}

async function readBasket(db: Db, { id }: SessionUser): Promise<Rows<'basket'>> {
  const rows = await db.selectFrom('basket_line').selectAll().where('basket_id', '=', id).execute();
  return rows.map(({ product_id, product_name, quantity, added_at }) => ({
    orderId: product_id,
    product: product_name,
    quantity,
    addedAt: toTime(added_at),
  }));
}

async function readBackInStock(db: Db, { id }: SessionUser): Promise<Rows<'backInStock'>> {
  const rows = await db
    .selectFrom('back_in_stock')
    .leftJoin('product', 'product.id', 'product_id')
    .select(['product_id', 'product.name', 'requested_at'])
    .where('back_in_stock.user_id', '=', id)
    .execute();
  return rows.map(({ product_id, name, requested_at }) => ({
    product: product_id,
    ...(name === null ? {} : { name }),
    requestedAt: toTime(requested_at),
  }));
}

async function readNewsletter(db: Db, { email }: SessionUser): Promise<Pick<AccountData, 'newsletter'>> {
  const row = await db
    .selectFrom('subscriber')
    .select('confirmed_at')
    .where('email', '=', email)
    .executeTakeFirst();
  return row ? { newsletter: { confirmedAt: toTime(row.confirmed_at) } } : {};
}
