import { sql } from 'kysely';
import type { z } from 'zod';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { Shipment } from '../../../contract/orders/shipping.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { writeAudit } from '../audit/audit.ts';
import { queueOrderShipped, queueTrackingNotice } from '../mail/queue.ts';
import { findProduct } from '../products/products.ts';
import type { Shop } from '../shop.ts';
import { isToShip, lockPurchaseOrders, type OrderRow } from './queries.ts';
import { countOwed, takeOwedStock } from './returned-stock.ts';
import { lowerTrackingNumber, parseTracking, type Tracking } from './tracking.ts';
import { advanceVersion, requireVersion } from './version.ts';

/**
 * Ships a paid order, or replaces the tracking of a shipped one, unless there is nothing to change. Throws 404, or 409 if the
 * order is unpaid, if its purchase has changed since `shipment.version`, if pieces of it went back to stock and have been sold,
 * or if the new tracking number is another customer's and not confirmed. Two admins who enter the same number at the same moment
 * may both pass on PostgreSQL.
 */
export async function shipOrder(
  shop: Shop,
  id: string,
  shipment: Shipment,
  actor: SessionUser,
): Promise<z.output<typeof versionedCount>> {
  const tracking = parseTracking(shipment);
  const { result, version, taken } = await shop.database.transaction(async (tx) => {
    const before = await lockOrder(tx, shop.database.engine, id);
    if (!before) throw notFound('order');
    const after = await updateShipping(tx, shop.database.engine, id, tracking);
    if (after) {
      requireVersion(before.version, shipment.version);
      const { shared_with: other, tracking_number: number } = after;
      if (other && number !== before.tracking_number && number !== shipment.sharedNumber)
        throw explainSharedNumber(other);
      const isShipment = before.status === 'paid';
      const version = isShipment ? await advanceVersion(tx, after.purchase_id) : before.version;
      const taken = isShipment
        ? ((await takeOwedStock(shop, tx, before)) ?? (await allowMissingStock(tx, before)))
        : 0;
      await writeAudit(tx, {
        ...{ who: actor.email, what: isShipment ? 'shipOrder' : 'editTracking', of: id },
        ...{ name: after.product_name, changes: listChanges(before, after) },
      });
      const { purchase_id: purchaseId, user_id: userId } = after;
      if (isShipment)
        await queueOrderShipped(shop, tx, { id: purchaseId, userId, hasMore: Boolean(after.has_more) });
      else
        await queueTrackingNotice(shop, tx, {
          ...{ id, purchaseId, userId, tracking: after },
          isNew: !(before.carrier || before.tracking_number || before.tracking_url),
        });
      return { result: isShipment ? 'shipped' : 'corrected', version, taken };
    }
    if (before.status !== 'sipping') throw new ShopError('not_paid', 'Only a paid order can be shipped.');
    return { result: 'unchanged', version: before.version, taken: 0 };
  });
  if (taken > 0) shop.invalidateCache();
  if (result === 'shipped') shop.countEvent('order shipped');
  return { modifiedCount: result === 'unchanged' ? 0 : 1, version };
}

/** Locks an order and its purchase, so that its refunds and the values for the audit log are current. */
async function lockOrder(tx: Tx, engine: Engine, id: string): Promise<OrderRow | undefined> {
  const found = await tx
    .selectFrom('order_line')
    .select('purchase_id')
    .where('id', '=', id)
    .executeTakeFirst();
  if (!found) return undefined;
  const orders = await lockPurchaseOrders(tx, engine, found.purchase_id);
  return orders.find((order) => order.id === id);
}

/** Returns 0 if the product is deleted, and so has no stock. Otherwise throws 409. */
async function allowMissingStock(tx: Tx, order: OrderRow): Promise<0> {
  if (!(await findProduct(tx, order.product_id))) return 0;
  const count = countOwed(order);
  const [have, them] = count === 1 ? ['has', 'it'] : ['have', 'them'];
  const detail = `${formatQuantity(count, 'piece')} of this order went back to stock and ${have} been sold since: record a delivery before you ship ${them}, or refund ${them}.`;
  throw new ShopError('out_of_stock', detail);
}

/** Updates a paid order, or a shipped one whose tracking differs. An order keeps its first shipping time. */
function updateShipping(tx: Tx, engine: Engine, id: string, tracking: Tracking | undefined) {
  return tx
    .updateTable('order_line')
    .set((eb) => ({
      status: 'sipping',
      shipped_at: eb
        .case()
        .when('status', '=', sql.lit('paid'))
        .then(eb.val(Date.now()))
        .else(eb.ref('shipped_at'))
        .end(),
      ...tracking,
    }))
    .where('id', '=', id)
    .where((eb) => {
      const isPaid = eb('status', '=', 'paid');
      if (!tracking) return isPaid;
      const differs = eb.or([
        eb('carrier', 'is distinct from', tracking.carrier),
        eb('tracking_number', 'is distinct from', tracking.tracking_number),
        eb('tracking_url', 'is distinct from', tracking.tracking_url),
      ]);
      return eb.or([isPaid, eb.and([eb('status', '=', 'sipping'), differs])]);
    })
    .returning(['product_name', 'carrier', 'tracking_number', 'tracking_url', 'purchase_id', 'user_id'])
    .returning(({ exists, selectFrom }) =>
      exists(
        selectFrom('order_line as other')
          .select('other.id')
          .whereRef('other.purchase_id', '=', 'order_line.purchase_id')
          .where(isToShip('other'))
          .where('other.id', '<>', id),
      ).as('has_more'),
    )
    .returning(({ selectFrom }) =>
      selectFrom('order_line as other')
        .innerJoin('purchase', 'purchase.id', 'other.purchase_id')
        .select('purchase.number')
        .where('other.tracking_number', 'is not', null)
        .where(
          lowerTrackingNumber(engine, 'other.tracking_number'),
          '=',
          lowerTrackingNumber(engine, 'order_line.tracking_number'),
        )
        .whereRef('other.purchase_id', '<>', 'order_line.purchase_id')
        // The customers of deleted accounts are unknown: each one counts as a different customer.
        .where(({ eb, or }) =>
          or([
            eb('other.user_id', 'is', null),
            eb('other.user_id', 'is distinct from', eb.ref('order_line.user_id')),
          ]),
        )
        .limit(1)
        .as('shared_with'),
    )
    .executeTakeFirst();
}

/** Nearly always, the wrong label was scanned. */
function explainSharedNumber(number: string): ShopError {
  const message = `Another customer’s order, ${number}, has the same tracking number. Scan the label again, or submit it again to use it anyway.`;
  const errors = [{ field: 'trackingNumber', message }];
  return new ShopError('shared_number', message, { data: { number }, errors });
}

/** The values before and after, by the field's name on the wire. */
function listChanges(before: Tracking, after: Tracking): Record<string, [string, string]> {
  const columns = {
    carrier: 'carrier',
    trackingNumber: 'tracking_number',
    trackingUrl: 'tracking_url',
  } as const;
  return Object.fromEntries(
    Object.entries(columns)
      .filter(([, column]) => before[column] !== after[column])
      .map(([field, column]) => [field, [before[column] ?? 'none', after[column] ?? 'none']]),
  );
}
