import { type Selectable, sql } from 'kysely';
import type { Db, Schema } from '../../database/schema.ts';
import { type OrderRow, selectOrders } from '../orders/queries.ts';

/** All orders, unsorted, of the purchases that have one of these ids or numbers, or an order with one of these ids. */
export async function listOrdersToPrint(
  db: Db,
  { ids, numbers }: { ids: string[]; numbers: string[] },
): Promise<OrderRow[]> {
  const byId = db.selectFrom('purchase').select('id').where('id', 'in', ids);
  const byNumber = db.selectFrom('purchase').select('id').where('number', 'in', numbers);
  const byOrder = db.selectFrom('orders').select('purchase_id as id').where('id', 'in', ids);
  const purchases = byId.unionAll(byNumber).unionAll(byOrder);
  return (await selectOrders(sql`where purchase.id in ${purchases}`).execute(db)).rows;
}

export type RefundRow = Selectable<Schema['refund']>;

/** The pending and succeeded refunds of these orders, unsorted. */
export async function listRefundsToPrint(db: Db, orderIds: string[]): Promise<RefundRow[]> {
  if (orderIds.length === 0) return [];
  return db
    .selectFrom('refund')
    .selectAll()
    .where('order_id', 'in', orderIds)
    .where('status', 'in', ['pending', 'succeeded'])
    .execute();
}
