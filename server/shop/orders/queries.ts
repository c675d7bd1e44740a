import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Schema, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';

type PurchaseRow = Selectable<Schema['purchase']>;

/**
 * An order with columns of its purchase. SQLite returns 0 or 1 for `disputed`. `refund_pending` is a part of `refunded`.
 * `refunded_quantity` is how many of its pieces are refunded.
 */
export type OrderRow = Selectable<Schema['orders']> &
  Pick<PurchaseRow, 'number' | 'paid_at'> & {
    disputed: boolean | number;
    refund_pending: number;
    refunded_quantity: number;
  };

/** Newest first, up to one more than `limit`; only one customer's if `email` is given. */
export async function listOrders(
  db: Db,
  page: { limit?: number | undefined; after?: string | undefined },
  email?: string,
): Promise<OrderRow[]> {
  const conditions = [
    ...(email === undefined ? [] : [sql`orders.email = ${email}`]),
    ...(page.after === undefined ? [] : [sql`orders.id < ${page.after}`]),
  ];
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;
  const { rows } = await selectOrders(
    sql`${where} order by orders.id desc limit ${toSqlLimit(page)}`,
  ).execute(db);
  return rows;
}

export async function findOrder(db: Db | Tx, id: string): Promise<OrderRow | undefined> {
  const { rows } = await selectOrders(sql`where orders.id = ${id}`).execute(db);
  return rows[0];
}

/** The orders of a purchase, in the order of its lines; `by` is its id, its number or the id of one of its orders. */
export async function listPurchaseOrders(
  db: Db | Tx,
  by: { id: string } | { number: string } | { order: string },
): Promise<OrderRow[]> {
  const isWanted =
    'id' in by
      ? sql`purchase.id = ${by.id}`
      : 'number' in by
        ? sql`purchase.number = ${by.number}`
        : sql`purchase.id = (select purchase_id from orders where id = ${by.order})`;
  const { rows } = await selectOrders(sql`where ${isWanted} order by orders.id`).execute(db);
  return rows;
}

/** For a query of `orders`: how many pieces its pending and succeeded refunds are for, as far as known. */
export const countRefunded = (orders = 'orders'): RawBuilder<number> =>
  sql`cast(coalesce((select sum(case when refund.quantity is null then refund.restock else refund.quantity end)
      from refund where refund.order_id = ${sql.ref(`${orders}.id`)} and refund.status <> 'failed' and refund.status <> 'canceled'
        and ${sql.ref(`${orders}.refunded`)} > 0), 0) as bigint)`;

/**
 * For a query of `orders`: a paid order that is neither shipped nor refunded in full, in money or in pieces; the contract's
 * `isToShip` is the same rule. It starts with the condition of the partial indexes `orders_to_ship` and `orders_to_ship_price`.
 */
export function isToShip(orders = 'orders'): RawBuilder<boolean> {
  const [status, refunded, total, quantity] = ['status', 'refunded', 'total', 'quantity'].map((column) =>
    sql.ref(`${orders}.${column}`),
  );
  return sql`${status} = 'paid' and ${refunded} < ${total} and ${countRefunded(orders)} < ${quantity}`;
}

/** Selects orders with columns of their purchases. `rest` is the rest of the statement, from `where` on. */
export const selectOrders = (rest: RawBuilder<unknown>): RawBuilder<OrderRow> => sql`
  select orders.*, purchase.number, purchase.paid_at,
    exists (select 1 from dispute where dispute.purchase_id = purchase.id and dispute.is_open = 1) as disputed,
    cast(coalesce((select sum(amount) from refund
      where refund.order_id = orders.id and refund.status = 'pending' and orders.refunded > 0), 0) as bigint)
      as refund_pending,
    ${countRefunded()} as refunded_quantity
  from orders join purchase on purchase.id = orders.purchase_id ${rest}`;

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

/** For a query of `orders`: whether a payment for the order's purchase has been opened and not finished. */
export const hasOpenPayment = sql<boolean>`exists (
  select 1 from payment where payment.order_id = orders.purchase_id and payment.state = 'open')`;

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
 * Locks a purchase. Returns its orders, sorted as the lines of the purchase; none if it is gone.
 */
export async function lockPurchaseOrders(tx: Tx, id: string): Promise<OrderRow[]> {
  await lockPurchase(tx, id);
  return listPurchaseOrders(tx, { id });
}
