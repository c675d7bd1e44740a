import { type Expression, type Selectable, sql } from 'kysely';
import type { AccountData } from '../../../contract/accounts/account-data.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { isAccountNotice } from '../../mail/outbox.ts';
import { listCheckouts, noCheckout } from '../delivery/read-checkout.ts';
import { formatImagePath } from '../images/image-paths.ts';
import { addChargeRefunds, toAutomaticRefund, toDispute, toRefund } from '../orders/details.ts';
import { toOrder } from '../orders/orders.ts';
import { listOrders, type OrderRow } from '../orders/queries.ts';
import { listAutomaticRefunds, listChargeRefunds, listOrderRefunds } from '../orders/refund-rows.ts';
import { listShipments, toParcel } from '../orders/shipments/read.ts';
import { type ReviewRow, selectReviews, toReview } from '../reviews/list.ts';

/* The long lists of an export, in batches. */

const batchSize = 500;

export type Part = keyof AccountData;
export type Rows<Name extends Part> = AccountData[Name] extends unknown[] ? AccountData[Name] : never;
export type Row<Name extends Part> = Rows<Name>[number];

/** Reads a table in batches. `readAfter` returns up to `limit` rows after `last`, or the first rows. */
async function* readBatches<T>(
  readAfter: (last: T | undefined, limit: number) => Promise<T[]>,
): AsyncGenerator<T[]> {
  let rows: T[] = [];
  do {
    rows = await readAfter(rows.at(-1), batchSize);
    yield rows;
  } while (rows.length === batchSize);
}

export const toTime = (at: number | string | Date): string => new Date(at).toISOString();

export async function* readOrders(db: Db, { id }: SessionUser): AsyncGenerator<Rows<'orders'>> {
  const batches = readBatches<OrderRow>((last, limit) =>
    // `listOrders` returns up to one order more than its limit.
    listOrders(db, { limit: limit - 1, after: last?.id }, id),
  );
  for await (const orders of batches) if (orders.length > 0) yield await addDetails(db, orders);
}

async function addDetails(db: Db, orders: OrderRow[]): Promise<Rows<'orders'>> {
  const purchaseIds = [...new Set(orders.map(({ purchase_id }) => purchase_id))];
  const refunds = Map.groupBy(
    await listOrderRefunds(
      db,
      orders.map(({ id }) => id),
    ),
    ({ subject_id }) => subject_id,
  );
  const shipments = Map.groupBy(
    await listShipments(
      db,
      orders.map(({ id }) => id),
    ),
    ({ order_line_id }) => order_line_id,
  );
  const payments = Map.groupBy(
    await db.selectFrom('payment').selectAll().where('purchase_id', 'in', purchaseIds).execute(),
    ({ purchase_id }) => purchase_id,
  );
  const disputes = Map.groupBy(
    await db.selectFrom('dispute').selectAll().where('purchase_id', 'in', purchaseIds).execute(),
    ({ purchase_id }) => purchase_id,
  );
  const automatic = Map.groupBy(
    await listAutomaticRefunds(db, 'purchase_id', purchaseIds),
    ({ purchase_id }) => purchase_id,
  );
  const checkouts = await listCheckouts(db, purchaseIds);
  const charges = [...checkouts.values()].flatMap((checkout) => checkout.charges);
  const chargeRefunds = await listChargeRefunds(db, charges);
  return orders.map((order) => ({
    ...toOrder(order),
    ...addChargeRefunds(checkouts.get(order.purchase_id) ?? noCheckout, chargeRefunds, false),
    shipments: (shipments.get(order.id) ?? []).map((shipment) => ({
      ...toParcel(shipment, false),
      name: shipment.name,
      address: shipment.address,
    })),
    refunds: (refunds.get(order.id) ?? []).map((refund) => toRefund(refund, false)),
    payments: (payments.get(order.purchase_id) ?? []).map(toPayment),
    automaticRefunds: (automatic.get(order.purchase_id) ?? []).map((row) => toAutomaticRefund(row, false)),
    disputes: (disputes.get(order.purchase_id) ?? []).map(toDispute),
  }));
}

const toPayment = ({ intent, amount, currency, state, created_at }: Selectable<Schema['payment']>) => ({
  ...(intent === null ? {} : { intent }),
  amount: toWire(amount, currency),
  currency,
  state,
  createdAt: toTime(created_at),
});

export async function* readReviews(db: Db, viewer: SessionUser): AsyncGenerator<Rows<'reviews'>> {
  const batches = readBatches<ReviewRow>((last, limit) =>
    selectReviews(db)
      .where('review.user_id', '=', viewer.id)
      .$if(last !== undefined, (reviews) => reviews.where('review.id', '<', last?.id ?? ''))
      .orderBy('review.id', 'desc')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches) yield rows.map((row) => toReview(row, viewer));
}

export async function* readReports(db: Db, { id }: SessionUser): AsyncGenerator<Rows<'reports'>> {
  const batches = readBatches<Selectable<Schema['review_report']>>((last, limit) =>
    db
      .selectFrom('review_report')
      .selectAll()
      .where('user_id', '=', id)
      .$if(last !== undefined, (reports) => reports.where('review_id', '>', last?.review_id ?? ''))
      .orderBy('review_id')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ review_id, reason, created_at }) => ({
      review: review_id,
      reason,
      createdAt: toTime(created_at),
    }));
}

/** The images without their content, which is at their URLs. */
export async function* readImages(db: Db, { id: userId }: SessionUser): AsyncGenerator<Rows<'images'>> {
  const batches = readBatches<Pick<Selectable<Schema['image']>, 'id' | 'type' | 'width' | 'created_at'>>(
    (last, limit) =>
      db
        .selectFrom('image')
        .select(['id', 'type', 'width', 'created_at'])
        .where('user_id', '=', userId)
        .$if(last !== undefined, (images) => images.where('id', '>', last?.id ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ id, type, width, created_at }) => ({
      url: formatImagePath(id),
      type,
      width,
      uploadedAt: toTime(created_at),
    }));
}

export async function* readNothing(): AsyncGenerator<never[]> {}

/** Messages since `from`. */
export async function* readMessages(
  db: Db,
  { id, email }: SessionUser,
  from: number,
): AsyncGenerator<Rows<'messages'>> {
  const messages = db.selectFrom('mail').selectAll();
  const own = [
    messages.where('user_id', '=', id),
    messages.where('user_id', 'is', null).where('recipient', '=', email).where('created_at', '>=', from),
  ];
  // Literals, to match the conditions of the partial indexes.
  for (const list of own)
    for (const state of ['waiting', 'failed'] as const) {
      const unsent = list.where('state', '=', sql.lit(state)).orderBy('due_at').orderBy('id');
      yield* readMailBatches(db, email, (last, limit) =>
        unsent
          .$if(last !== undefined, (rows) =>
            rows.where(({ eb, refTuple, tuple }) =>
              eb(refTuple('due_at', 'id'), '>', tuple(last?.due_at ?? 0, last?.id ?? '')),
            ),
          )
          .limit(limit)
          .execute(),
      );
    }
  const inOrder = [
    // Notices to a former address, or to an address that the user wants to change to.
    messages.where(isAccountNotice).where('about', '=', id).where('recipient', '<>', email),
    // Sent messages come last, because a message that is sent during the export becomes one of them.
    ...own.map((list) => list.where('state', '=', sql.lit('sent'))),
  ];
  for (const list of inOrder)
    yield* readMailBatches(db, email, (last, limit) =>
      list
        .$if(last !== undefined, (rows) => rows.where('id', '>', last?.id ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute(),
    );
}

async function* readMailBatches(
  db: Db,
  email: string,
  readAfter: (last: MailRow | undefined, limit: number) => Promise<MailRow[]>,
): AsyncGenerator<Rows<'messages'>> {
  for await (const rows of readBatches(readAfter)) yield await addAttempts(db, rows, email);
}

type MailRow = Selectable<Schema['mail']>;

/** A user's message has no recipient before its first attempt. */
async function addAttempts(db: Db, messages: MailRow[], email: string): Promise<Rows<'messages'>> {
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
    kind,
    about,
    recipient: recipient || email,
    state,
    createdAt: toTime(created_at),
    ...(sent_at === null ? {} : { sentAt: toTime(sent_at) }),
    attempts: (attempts.get(id) ?? []).map(({ at, response }) => ({ at: toTime(at), response })),
  }));
}

export async function* readContactMessages(
  db: Db,
  { email }: SessionUser,
): AsyncGenerator<Rows<'contactMessages'>> {
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

export async function* readProducts(db: Db, { id: userId }: SessionUser): AsyncGenerator<Rows<'products'>> {
  const batches = readBatches<Pick<Selectable<Schema['product']>, 'id' | 'name' | 'created_at'>>(
    (last, limit) =>
      db
        .selectFrom('product')
        .select(['id', 'name', 'created_at'])
        .where('user_id', '=', userId)
        .$if(last !== undefined, (products) => products.where('id', '>', last?.id ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ id, name, created_at }) => ({ _id: id, name, createdAt: toTime(created_at) }));
}

/**
 * Entries of the audit log whose `key` is the user's id. The actor is left out: it is either the user or an admin, whose name the
 * user must not learn. Without `showsTarget`, the orders and people that the actions were about are left out, too: a former admin
 * must not see them.
 */
export async function* readActions(
  db: Db,
  key: Expression<string>,
  { id: userId }: SessionUser,
  showsTarget = true,
): AsyncGenerator<Rows<'actions'>> {
  const batches = readBatches<Selectable<Schema['audit']>>((last, limit) =>
    db
      .selectFrom('audit')
      .selectAll()
      .where(key, '=', userId)
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  for await (const rows of batches)
    yield rows.map(({ id, created_at, action, target, name, details }) => ({
      _id: id,
      at: toTime(created_at),
      action,
      ...(showsTarget ? { target, name, details } : { target: '', name: '', details: '' }),
    }));
}
