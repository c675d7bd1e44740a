import type { Selectable } from 'kysely';
import type { Db, Schema, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';

export type OrderRow = Selectable<Schema['orders']>;

/** Newest first; only one customer's if `email` is given. */
export function listOrders(
  db: Db,
  page: { limit?: number | undefined; after?: string | undefined },
  email?: string,
): Promise<OrderRow[]> {
  return db
    .selectFrom('orders')
    .selectAll()
    .$if(email !== undefined, (query) => query.where('email', '=', email ?? ''))
    .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
    .orderBy('id', 'desc')
    .limit(toSqlLimit(page))
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
