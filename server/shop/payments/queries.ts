import { type Selectable, sql } from 'kysely';
import type { Db, Schema, Tx } from '../../database/schema.ts';

export type PaymentRow = Selectable<Schema['payment']>;
export type RefundStatus = NonNullable<PaymentRow['refund_status']>;

/*
 * Conditions on `state` use literals: with a parameter, SQLite cannot use the partial index and scans the table, or
 * prepares the statement again each time.
 */

export function findOpenPayment(db: Db | Tx, orderId: string): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('state', '=', sql.lit('open'))
    .executeTakeFirst();
}

export function findPaymentByIntent(db: Db, intent: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payment').selectAll().where('intent', '=', intent).executeTakeFirst();
}

/** Payments that are still open or must be refunded, oldest first. */
export function listUnfinishedPayments(db: Db, after: string, limit: number): Promise<PaymentRow[]> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('state', 'in', sql<'open' | 'refund_due'>`('open', 'refund_due')`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Inserts the next attempt to pay an order. */
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

/** Stores the intent's id if the payment is open and its order exists and is unpaid. Returns whether it did. */
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

/** Cancels a payment for which the provider refused to create an intent. */
export async function cancelWithoutIntent(db: Db, id: string): Promise<void> {
  await db
    .updateTable('payment')
    .set({ state: 'cancelled' })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('intent', 'is', null)
    .execute();
}

/** Changes a payment's state if it is in one of the states `from`. Returns whether it did. */
export async function updatePaymentState(
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
 * Records that a payment succeeded: it is `refund_due` until an order accepts it. Returns false if that had already been
 * recorded. Stores the intent's id too: it is missing if the order was deleted before the provider responded.
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
 * Records the status of a refund. False if the payment has changed since it was read: the provider's response may be
 * older than the recorded status.
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

/** Ordered by the provider's ids, which are unique but not chronological. There are never many. */
export function listUnknownPayments(
  db: Db,
  limit: number,
  after?: string,
): Promise<Selectable<Schema['unknown_payment']>[]> {
  const all = db.selectFrom('unknown_payment').selectAll().orderBy('intent').limit(limit);
  return (after === undefined ? all : all.where('intent', '>', after)).execute();
}
