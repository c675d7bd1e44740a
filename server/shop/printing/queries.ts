import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { type OrderRow, selectOrders } from '../orders/queries.ts';

/** All orders, unsorted, of the purchases that have one of these ids or numbers, or an order with one of these ids. */
export async function listOrdersToPrint(
  db: Db,
  { ids, numbers }: { ids: string[]; numbers: string[] },
): Promise<OrderRow[]> {
  const byId = db.selectFrom('purchase').select('id').where('id', 'in', ids);
  const byNumber = db.selectFrom('purchase').select('id').where('number', 'in', numbers);
  const byOrder = db.selectFrom('order_line').select('purchase_id as id').where('id', 'in', ids);
  const purchases = byId.unionAll(byNumber).unionAll(byOrder);
  return (await selectOrders(sql`where purchase.id in ${purchases}`).execute(db)).rows;
}
