import { sql } from 'kysely';
import { notFound, ShopError } from '../../../../contract/errors.ts';
import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { cancelOrderShipped } from '../../mail/queue.ts';
import type { Shop } from '../../shop.ts';
import type { OrderRow } from '../queries.ts';
import { noteRemoved, removeRest } from '../removed-pieces.ts';
import { listTrackingChanges, noTracking } from '../tracking.ts';
import { advanceVersion } from '../version.ts';
import { lockOrders } from './lock.ts';
import { listShipmentLines, listShipments } from './read.ts';

/**
 * Takes a parcel with pieces of these orders back: the pieces can be shipped again, and the customer gets no message about the
 * parcel. Returns the versions of its purchases. Throws 404 if the parcel is gone; 409 if pieces of it are in stock again, or if it
 * is too late: the message is being sent or, for a customer who gets no message, a minute has passed.
 */
export async function undoShipment(
  shop: Shop,
  { id, orderIds }: { id: string; orderIds: readonly string[] },
  actor: SessionUser,
): Promise<Record<string, number>> {
  const { database } = shop;
  return database.transaction(async (tx) => {
    if (orderIds.length === 0) throw notFound('shipment');
    const orders = await lockOrders(tx, database.engine, orderIds);
    // Another admin may have taken the parcel back in the meantime, or corrected its tracking.
    const lines = await listShipmentLines(tx, [id]);
    const [parcel] = lines;
    if (!parcel) throw notFound('shipment');
    const userId = orders.get(parcel.order_line_id)?.user_id ?? null;
    const customer = { id, userId, shippedAt: parcel.created_at };
    if (!(await cancelOrderShipped(shop, tx, customer))) throw explainTooLate();
    await tx.deleteFrom('shipment').where('id', '=', id).execute();
    for (const { order_line_id, quantity } of lines) {
      const order = orders.get(order_line_id);
      if (!order) continue;
      const after = await subtractShipped(tx, order, quantity);
      await noteRemoved(tx, order.id, after.removed - order.removed);
      await removeRest(tx, after);
      await writeAudit(tx, {
        ...toActor(actor),
        action: 'undoShipment',
        target: order.id,
        name: order.product_name,
        changes: {
          ...(quantity < order.quantity ? { shipped: [order.shipped, order.shipped - quantity] } : {}),
          ...listTrackingChanges(parcel, noTracking),
        },
      });
    }
    const versions: Record<string, number> = {};
    for (const purchase of new Set([...orders.values()].map(({ purchase_id }) => purchase_id)))
      versions[purchase] = await advanceVersion(tx, purchase);
    return versions;
  });
}

/**
 * Subtracts pieces from the shipped pieces of an order, so that they can be shipped again, unless they were refunded in the
 * meantime. The order gets the tracking of its previous parcel. Throws 409 if pieces of the parcel are in stock again.
 */
async function subtractShipped(tx: Tx, order: OrderRow, quantity: number): Promise<OrderRow> {
  const { id, product_name } = order;
  const last = (await listShipments(tx, [id])).at(-1);
  const { carrier, tracking_number, tracking_url } = last ?? noTracking;
  const shipped = sql<number>`shipped - ${quantity}`;
  const unshipped = sql<number>`quantity - (${shipped})`;
  const refunded = sql<number>`case when refunded_quantity < ${unshipped} then refunded_quantity else ${unshipped} end`;
  const removed = sql<number>`case when removed > ${refunded} then removed else ${refunded} end`;
  const updated = await tx
    .updateTable('order_line')
    .set({
      status: sql`case when ${shipped} > 0 and ${removed} = ${unshipped} then 'sipping' else 'paid' end`,
      shipped,
      removed,
      shipped_at: last?.created_at ?? null,
      carrier,
      tracking_number,
      tracking_url,
    })
    .where('id', '=', id)
    .where('status', 'in', ['paid', 'sipping'])
    .where('shipped', '>=', quantity)
    .where(sql<boolean>`returned <= ${removed} + ${shipped}`)
    .returningAll()
    .executeTakeFirst();
  if (!updated)
    throw new ShopError('conflict', `Pieces of ${product_name} have been returned to stock since.`);
  return { ...order, ...updated };
}

const explainTooLate = () =>
  new ShopError(
    'conflict',
    'The parcel cannot be taken back any more: the customer is being told that it is on its way.',
  );
