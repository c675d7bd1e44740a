import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';

export type PaymentRow = Selectable<Schema['payment']>;
export type RefundStatus = NonNullable<PaymentRow['refund_status']>;

/*
 * A state by which rows are looked for stands in the statement as a literal: SQLite then knows that the partial
 * index on it will do. With a parameter it reads a whole table, or plans the statement anew each time.
 */

export function findOpenPayment(db: Db | Tx, orderId: string): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('state', '=', sql.lit('open'))
    .executeTakeFirst();
}

export function findPaymentOfIntent(db: Db, intent: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payment').selectAll().where('intent', '=', intent).executeTakeFirst();
}

/** Payments that are not finished, oldest first. */
export function selectUnfinished(db: Db, after: string, count: number): Promise<PaymentRow[]> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('state', 'in', sql<'open' | 'refund_due'>`('open', 'refund_due')`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(count)
    .execute();
}

/** Writes the next try to pay an order. */
export async function insertPayment(
  tx: Tx,
  row: Omit<PaymentRow, 'attempt' | 'intent' | 'state' | 'refund_status'>,
): Promise<PaymentRow> {
  const last = await tx
    .selectFrom('payment')
    .select('attempt')
    .where('order_id', '=', row.order_id)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return tx
    .insertInto('payment')
    .values({ ...row, attempt: (last?.attempt ?? 0) + 1, intent: null, state: 'open' })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Notes the provider's id, on the condition that the payment is open and its order there and unpaid. */
export async function storeIntent(db: Db, id: string, intent: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment')
    .set({ intent })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where((eb) => eb.or([eb('intent', 'is', null), eb('intent', '=', intent)]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('orders')
          .select('orders.id')
          .whereRef('orders.id', '=', 'payment.order_id')
          .where('orders.status', '=', ''),
      ),
    )
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ends a payment of which the provider has refused to make an intent. */
export async function cancelUnmade(db: Db, id: string): Promise<void> {
  await db
    .updateTable('payment')
    .set({ state: 'cancelled' })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('intent', 'is', null)
    .execute();
}

/** Moves a payment on, where it still is in one of the states `from`. */
export async function movePayment(
  db: Db | Tx,
  id: string,
  from: PaymentRow['state'][],
  state: PaymentRow['state'],
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment')
    .set({ state })
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Notes that a payment's money has come: `refund_due` until an order takes it. False where that was noted
 * before. The intent's id may be missing where the order was gone when the provider answered.
 */
export async function claimSuccess(tx: Tx, id: string, intent: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('payment')
    .set({ state: 'refund_due', intent })
    .where('id', '=', id)
    .where('state', 'in', ['open', 'cancelled'])
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Records the status of a refund. False if the payment has changed since it was read: the provider's answer may be older
 * than what has been recorded meanwhile.
 */
export async function storeRefundStatus(
  db: Db,
  { id, state, refund_status: before }: PaymentRow,
  status: RefundStatus,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment')
    .set({ state: status === 'succeeded' ? 'refunded' : 'refund_due', refund_status: status })
    .where('id', '=', id)
    .where('state', '=', state)
    .where('refund_status', before === null ? 'is' : '=', before)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Ordered by the provider's ids, which say nothing but are a key: there are never many. */
export function selectUnknown(
  db: Db,
  count: number,
  after?: string,
): Promise<Selectable<Schema['unknown_payment']>[]> {
  const all = db.selectFrom('unknown_payment').selectAll().orderBy('intent').limit(count);
  return (after === undefined ? all : all.where('intent', '>', after)).execute();
}
