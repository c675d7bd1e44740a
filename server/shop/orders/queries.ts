import type { Selectable } from 'kysely';
import type { Db, Schema, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { makePurchaseNumber } from './purchase-number.ts';

type PurchaseRow = Selectable<Schema['purchase']>;

/** With the facts of its purchase. */
export type OrderRow = Selectable<Schema['orders']> & Pick<PurchaseRow, 'number' | 'paid_at'>;

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

/** The orders of a purchase, named by its id, its number or one of its orders, in the order of the lines. */
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

const selectOrders = (db: Db | Tx) =>
  db
    .selectFrom('orders')
    .innerJoin('purchase', 'purchase.id', 'orders.purchase_id')
    .selectAll('orders')
    .select(['purchase.number', 'purchase.paid_at']);

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

type NewOrder = Pick<OrderRow, 'id' | 'product_id' | 'product_name' | 'quantity' | 'total'>;
type SharedColumns = 'currency' | 'email' | 'user_name' | 'phone' | 'address' | 'created_at' | 'hold_until';

/** Inserts a purchase, with a number that no other has, and its unpaid orders. `shared` is the same in all of them. */
export async function insertPurchase(
  tx: Tx,
  id: string,
  orders: readonly NewOrder[],
  shared: Pick<OrderRow, SharedColumns>,
): Promise<void> {
  const { email, created_at } = shared;
  for (let isInserted = false; !isInserted; ) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto('purchase')
      .values({ id, email, created_at, number: makePurchaseNumber() })
      .onConflict((conflict) => conflict.column('number').doNothing())
      .executeTakeFirst();
    isInserted = numInsertedOrUpdatedRows === 1n;
  }
  await tx
    .insertInto('orders')
    .values(
      orders.map((order) => ({
        ...order,
        ...shared,
        ...{ purchase_id: id, status: '' as const, transaction_id: null },
      })),
    )
    .execute();
}

/** Locks a user's row until the transaction ends, so that what is counted per user is counted one by one. */
export async function lockUser(tx: Tx, email: string): Promise<void> {
  await tx
    .updateTable('user')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('email', '=', email)
    .execute();
}

/**
 * Locks a purchase until the transaction ends. Everything that changes the payment or the orders of a purchase does this
 * first; products are locked after it, in the order of their ids. Updating a column to itself is the row lock that both
 * engines share; later statements in the transaction see everything committed before it.
 */
export async function lockPurchase(tx: Tx, id: string): Promise<void> {
  await tx
    .updateTable('purchase')
    .set((eb) => ({ email: eb.ref('email') }))
    .where('id', '=', id)
    .execute();
}
