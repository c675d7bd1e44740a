import { type Selectable, sql } from 'kysely';
import type { Db, Engine, Schema, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';

type PurchaseRow = Selectable<Schema['purchase']>;

/** An order with columns of its purchase. SQLite returns 0 or 1 for `disputed`. `refund_pending` is a part of `refunded`. */
export type OrderRow = Selectable<Schema['orders']> &
  Pick<PurchaseRow, 'number' | 'paid_at'> & { disputed: boolean | number; refund_pending: number };

/** Newest first; only one customer's if `email` is given. */
export function listOrders(
  db: Db,
  page: { limit?: number | undefined; after?: string | undefined },
  email?: string,
): Promise<OrderRow[]> {
  return selectOrders(db)
    .$if(email !== undefined, (query) => query.where('orders.email', '=', email ?? ''))
    .$if(page.after !== undefined, (query) => query.where('orders.id', '<', page.after ?? ''))
    .orderBy('orders.id', 'desc')
    .limit(toSqlLimit(page))
    .execute();
}

export function findOrder(db: Db | Tx, id: string): Promise<OrderRow | undefined> {
  return selectOrders(db).where('orders.id', '=', id).executeTakeFirst();
}

/** The orders of a purchase, in the order of its lines; `by` is its id, its number or the id of one of its orders. */
export function listPurchaseOrders(
  db: Db | Tx,
  by: { id: string } | { number: string } | { order: string },
): Promise<OrderRow[]> {
  const all = selectOrders(db).orderBy('orders.id');
  if ('id' in by) return all.where('purchase.id', '=', by.id).execute();
  if ('number' in by) return all.where('purchase.number', '=', by.number).execute();
  const purchaseId = db.selectFrom('orders').select('purchase_id').where('id', '=', by.order);
  return all.where('purchase.id', '=', purchaseId).execute();
}

export const selectOrders = (db: Db | Tx) =>
  db
    .selectFrom('orders')
    .innerJoin('purchase', 'purchase.id', 'orders.purchase_id')
    .selectAll('orders')
    .select(['purchase.number', 'purchase.paid_at'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('dispute')
          .select('dispute.id')
          .whereRef('dispute.purchase_id', '=', 'purchase.id')
          .where('dispute.is_open', '=', sql.lit(1)),
      ).as('disputed'),
    )
    .select(
      sql<number>`cast(coalesce((select sum(amount) from refund
        where refund.order_id = orders.id and refund.status = 'pending' and orders.refunded > 0), 0) as bigint)`.as(
        'refund_pending',
      ),
    );

/** Up to two of a customer's unpaid purchases with this total, those that still hold their stock first. */
export function listUnpaidPurchasesByTotal(
  db: Db,
  { email, total, currency }: Pick<OrderRow, 'email' | 'total' | 'currency'>,
): Promise<Pick<OrderRow, 'purchase_id' | 'status'>[]> {
  return db
    .selectFrom('orders')
    .select(['purchase_id', 'status'])
    .where('email', '=', email)
    .where('status', 'in', ['', 'expired'])
    .where('currency', '=', currency)
    .groupBy(['purchase_id', 'status'])
    .having((eb) => eb.fn.sum('total'), '=', total)
    .orderBy('status')
    .limit(2)
    .execute();
}

/**
 * Locks a purchase until the transaction ends. Everything that changes the payment or the orders of a purchase does this
 * first; products are locked after it, in the order of their ids. Returns false if the purchase is gone.
 */
export async function lockPurchase(tx: Tx, id: string): Promise<boolean> {
  // Updating a column to itself is the row lock that both engines share; later statements in the transaction see everything
  // committed before it.
  const { numAffectedRows } = await sql`update purchase set email = email where id = ${id}`.execute(tx);
  return numAffectedRows === 1n;
}

/**
 * Locks a purchase and its orders: during an upgrade, processes of the first release lock only orders. Returns the orders,
 * sorted as the lines of the purchase; none if it is gone.
 */
export async function lockPurchaseOrders(tx: Tx, engine: Engine, id: string): Promise<OrderRow[]> {
  await lockPurchase(tx, id);
  return selectOrders(tx)
    .where('purchase.id', '=', id)
    .orderBy('orders.id')
    .$if(engine === 'postgres', (orders) => orders.forUpdate('orders'))
    .execute();
}
