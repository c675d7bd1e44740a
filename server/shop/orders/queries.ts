import { type Selectable, sql } from 'kysely';
import type { Db, Schema, Tx } from '../../database/schema.ts';

export type OrderRow = Selectable<Schema['orders']>;

/** Newest first; only one customer's if `email` is given. */
export function listOrders(
  db: Db,
  { email, limit, after }: { email?: string; limit: number; after: string | undefined },
): Promise<OrderRow[]> {
  return db
    .selectFrom('orders')
    .selectAll()
    .$if(email !== undefined, (query) => query.where('email', '=', email ?? ''))
    .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function findOrder(db: Db | Tx, id: string): Promise<OrderRow | undefined> {
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Up to two of a customer's unpaid orders with this total, those that still hold their stock first. */
export function listUnpaidOrdersByTotal(
  db: Db,
  { email, total, currency }: Pick<OrderRow, 'email' | 'total' | 'currency'>,
): Promise<OrderRow[]> {
  return db
    .selectFrom('orders')
    .selectAll()
    .where('email', '=', email)
    .where('status', 'in', ['', 'expired'])
    .where('total', '=', total)
    .where('currency', '=', currency)
    .orderBy('status')
    .limit(2)
    .execute();
}

/** Unpaid orders whose hold has ended. */
export function listOverdueOrders(db: Db, now: number, limit: number): Promise<OrderRow[]> {
  return (
    db
      .selectFrom('orders')
      .selectAll()
      // A literal, to match the condition of the partial index.
      .where('status', '=', sql.lit(''))
      .where('hold_until', '<', now)
      .orderBy('hold_until')
      .limit(limit)
      .execute()
  );
}

/**
 * Locks an order until the transaction ends, and returns its current row. Updating a column to itself is the row lock
 * that both engines share; later statements in the transaction see everything committed before it.
 */
export function lockOrder(tx: Tx, id: string): Promise<OrderRow | undefined> {
  return tx
    .updateTable('orders')
    .set((eb) => ({ hold_until: eb.ref('hold_until') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Counts a customer's unpaid orders. Locks the user's row, so that simultaneous orders are counted one by one. */
export async function countUnpaidOrders(tx: Tx, email: string): Promise<number> {
  await tx
    .updateTable('user')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('email', '=', email)
    .execute();
  const { unpaid } = await tx
    .selectFrom('orders')
    .select((eb) => eb.fn.countAll<number>().as('unpaid'))
    .where('email', '=', email)
    .where('status', '=', sql.lit(''))
    .executeTakeFirstOrThrow();
  return unpaid;
}
