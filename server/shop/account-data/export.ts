import { type Selectable, sql } from 'kysely';
import type { AccountData } from '../../../contract/account-data.ts';
import { today } from '../../../contract/overview.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import { createDownload } from '../../http/calls/download.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { nameSignInMethod } from '../../identity/accounts.ts';
import { formatImagePath } from '../images/upload.ts';
import { listRefunds, toDispute, toRefund } from '../orders/details.ts';
import { toOrder } from '../orders/orders.ts';
import { type OrderRow, selectOrders } from '../orders/queries.ts';
import { toReview } from '../reviews/reviews.ts';
import type { Shop } from '../shop.ts';

const batchSize = 500;

type Part = keyof AccountData;
type Rows<Name extends Part> = AccountData[Name] extends unknown[] ? AccountData[Name] : never;
type Row<Name extends Part> = Rows<Name>[number];

/**
 * Everything that the shop stores about the viewer, as one JSON file. Long lists are read in batches, each by statements of its
 * own, only as fast as the client receives them.
 */
export async function exportAccount({ database: { db } }: Shop, viewer: SessionUser): Promise<Response> {
  const user = await readUser(db, viewer);
  const { emailVerified } = user;
  const head = {
    exportedAt: new Date().toISOString(),
    user,
    signInMethods: await readSignInMethods(db, viewer),
    sessions: await readSessions(db, viewer),
    basket: await readBasket(db, viewer),
    ...(emailVerified ? await readNewsletter(db, viewer) : {}),
  } satisfies Partial<AccountData>;
  async function* write(): AsyncGenerator<string> {
    yield `${JSON.stringify(head, null, 1).slice(0, -2)},\n`;
    yield* writeList('orders', readOrders(db, viewer));
    yield* writeList('reviews', readReviews(db, viewer));
    yield* writeList('images', readImages(db, viewer));
    // Anyone can sign up with someone else's address, so data that belongs to the address requires a confirmed one.
    yield* writeList('messages', readMessages(db, viewer, emailVerified ? 0 : Date.parse(user.createdAt)));
    yield* writeList('contactMessages', emailVerified ? readContactMessages(db, viewer) : readNothing());
    yield* writeList('products', readProducts(db, viewer));
    yield* writeList('actions', readActions(db, 'who', user));
    yield* writeList('actionsByAdmins', readActions(db, 'of', user), '\n}\n');
  }
  return createDownload(`my-data-${today()}.json`, 'application/json', write());
}

/** A field of the file whose value is a list. One row per line. */
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

/** Reads a table in batches. `readAfter` returns up to `limit` rows after `last`, or the first ones. */
async function* readBatches<T>(
  readAfter: (last: T | undefined, limit: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let rows: T[] = [];
  do {
    rows = await readAfter(rows.at(-1), batchSize);
    yield rows;
  } while (rows.length === batchSize);
}

const toTime = (at: number | string | Date): string => new Date(at).toISOString();

async function readUser(db: Db, { id }: SessionUser): Promise<AccountData['user']> {
  const row = await db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return {
    ...{ _id: row.id, email: row.email, name: row.name },
    ...(row.role === 'admin' ? { role: 'admin' } : {}),
    ...{ address: row.address, phone: row.phone, education: row.education, linkedIn: row.linkedIn },
    emailVerified: Boolean(row.emailVerified),
    twoFactor: Boolean(row.twoFactorEnabled),
    ...(row.image ? { image: row.image } : {}),
    ...{ createdAt: toTime(row.createdAt), updatedAt: toTime(row.updatedAt) },
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
    // The id of a password's account is the user's own.
    ...(accountId === id ? {} : { accountId }),
    ...{ createdAt: toTime(createdAt), updatedAt: toTime(updatedAt) },
  }));
}

/** Without their tokens. */
async function readSessions(db: Db, { id }: SessionUser): Promise<Rows<'sessions'>> {
  const rows = await db
    .selectFrom('session')
    .select(['createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent', 'secondFactor'])
    .where('userId', '=', id)
    .execute();
  return rows.map(({ createdAt, updatedAt, expiresAt, ipAddress, userAgent, secondFactor }) => ({
    ...{ createdAt: toTime(createdAt), updatedAt: toTime(updatedAt), expiresAt: toTime(expiresAt) },
    ...{ ipAddress: ipAddress ?? '', userAgent: userAgent ?? '', secondFactor: Boolean(secondFactor) },
  }));
}

async function readBasket(db: Db, { id }: SessionUser): Promise<Rows<'basket'>> {
  const rows = await db.selectFrom('basket_line').selectAll().where('user_id', '=', id).execute();
  return rows.map(({ product_id, product_name, quantity, added_at }) => ({
    ...{ orderId: product_id, product: product_name, quantity, addedAt: toTime(added_at) },
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

async function* readOrders(db: Db, { email }: SessionUser): AsyncGenerator<Rows<'orders'>> {
  const batches = readBatches<OrderRow>((last, limit) =>
    selectOrders(db)
      .where('orders.email', '=', email)
      .$if(last !== undefined, (orders) => orders.where('orders.id', '<', last?.id ?? ''))
      .orderBy('orders.id', 'desc')
      .limit(limit)
      .execute(),
  );
  for await (const orders of batches) if (orders.length > 0) yield await addDetails(db, orders);
}

async function addDetails(db: Db, orders: OrderRow[]): Promise<Rows<'orders'>> {
  const purchaseIds = [...new Set(orders.map(({ purchase_id }) => purchase_id))];
  const refunds = Map.groupBy(await listRefunds(db, orders), ({ order_id }) => order_id);
  const payments = Map.groupBy(
    await db.selectFrom('payment').selectAll().where('order_id', 'in', purchaseIds).execute(),
    ({ order_id }) => order_id,
  );
  const disputes = Map.groupBy(
    await db.selectFrom('dispute').selectAll().where('purchase_id', 'in', purchaseIds).execute(),
    ({ purchase_id }) => purchase_id,
  );
  return orders.map((order) => ({
    ...toOrder(order),
    refunds: (refunds.get(order.id) ?? []).map((refund) => toRefund(refund, false)),
    payments: (payments.get(order.purchase_id) ?? []).map(toPayment),
    disputes: (disputes.get(order.purchase_id) ?? []).map(toDispute),
  }));
}

const toPayment = ({ intent, amount, currency, state, created_at }: Selectable<Schema['payment']>) => ({
  ...(intent === null ? {} : { intent }),
  ...{ amount: toWire(amount, currency), currency, state, createdAt: toTime(created_at) },
});

async function* readReviews(db: Db, viewer: SessionUser): AsyncGenerator<Rows<'reviews'>> {
  const batches = readBatches<Selectable<Schema['review']>>((last, limit) =>
    db
      .selectFrom('review')
      .selectAll()
      .where('email', '=', viewer.email)
      .$if(last !== undefined, (reviews) => reviews.where('id', '<', last?.id ?? ''))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches) yield rows.map((row) => toReview(row, viewer));
}

/** Without their content, which is at their URLs. */
async function* readImages(db: Db, { email }: SessionUser): AsyncGenerator<Rows<'images'>> {
  const batches = readBatches<Pick<Selectable<Schema['picture']>, 'id' | 'type' | 'width' | 'created_at'>>(
    (last, limit) =>
      db
        .selectFrom('picture')
        .select(['id', 'type', 'width', 'created_at'])
        .where('email', '=', email)
        .$if(last !== undefined, (pictures) => pictures.where('id', '>', last?.id ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ id, type, width, created_at }) => ({
      ...{ url: formatImagePath(id), type, width, uploadedAt: toTime(created_at) },
    }));
}

async function* readNothing(): AsyncGenerator<never[]> {}

/** Messages since `from`. */
async function* readMessages(db: Db, { email }: SessionUser, from: number): AsyncGenerator<Rows<'messages'>> {
  // Literals, to match the conditions of the partial indexes. Messages that are waiting or have failed are few.
  for (const state of ['waiting', 'failed'] as const)
    yield addAttempts(
      db,
      await selectMessages(db, email, from)
        .where('state', '=', sql.lit(state))
        .limit(10 * batchSize)
        .execute(),
    );
  const batches = readBatches<MailRow>((last, limit) =>
    selectMessages(db, email, from)
      .where('state', '=', sql.lit('sent'))
      .$if(last !== undefined, (messages) => messages.where('id', '>', last?.id ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches) yield addAttempts(db, rows);
}

type MailRow = Selectable<Schema['mail']>;

const selectMessages = (db: Db, email: string, from: number) =>
  db.selectFrom('mail').selectAll().where('recipient', '=', email).where('created_at', '>=', from);

async function addAttempts(db: Db, messages: MailRow[]): Promise<Rows<'messages'>> {
  if (messages.length === 0) return [];
  const ids = messages.map(({ id }) => id);
  const attempts = Map.groupBy(
    await db
      .selectFrom('mail_attempt')
      .selectAll()
      .where('mail_id', 'in', ids)
      .orderBy('mail_id')
      .orderBy('attempt')
      .execute(),
    ({ mail_id }) => mail_id,
  );
  return messages.map(({ id, kind, about, recipient, state, created_at, sent_at }) => ({
    ...{ kind, about, recipient, state, createdAt: toTime(created_at) },
    ...(sent_at === null ? {} : { sentAt: toTime(sent_at) }),
    attempts: (attempts.get(id) ?? []).map(({ at, response }) => ({ at: toTime(at), response })),
  }));
}

async function* readContactMessages(db: Db, { email }: SessionUser): AsyncGenerator<Rows<'contactMessages'>> {
  const batches = readBatches<Selectable<Schema['contact_message']>>((last, limit) =>
    db
      .selectFrom('contact_message')
      .selectAll()
      .where('email', '=', email)
      .$if(last !== undefined, (messages) => messages.where('id', '>', last?.id ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ text, created_at }) => ({ text, createdAt: toTime(created_at) }));
}

async function* readProducts(db: Db, { email }: SessionUser): AsyncGenerator<Rows<'products'>> {
  const batches = readBatches<Pick<Selectable<Schema['product']>, 'id' | 'name' | 'created_at'>>(
    (last, limit) =>
      db
        .selectFrom('product')
        .select(['id', 'name', 'created_at'])
        .where('email', '=', email)
        .$if(last !== undefined, (products) => products.where('id', '>', last?.id ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ id, name, created_at }) => ({ _id: id, name, createdAt: toTime(created_at) }));
}

/**
 * Entries of the audit log since the account was created: earlier ones are about a deleted account with the same address. Only
 * the user's own have an actor: the others would name the shop's admins.
 */
async function* readActions(
  db: Db,
  column: 'who' | 'of',
  { email, createdAt }: AccountData['user'],
): AsyncGenerator<Rows<'actions'>> {
  const batches = readBatches<Selectable<Schema['audit']>>((last, limit) =>
    db
      .selectFrom('audit')
      .selectAll()
      .where(column, '=', email)
      .where('at', '>=', Date.parse(createdAt))
      .$if(last !== undefined, (entries) => entries.where('id', '>', last?.id ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ id, at, what, of, name, details }) => ({
      ...{ _id: id, at: toTime(at), what, of, name, details },
    }));
}
