import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { dayMs } from '../../../contract/durations.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { deliveryChange } from '../../../contract/orders/purchases.ts';
import type { Db } from '../../database/schema.ts';
import { consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { queueDeliveryChanged } from '../mail/queue.ts';
import type { Shop } from '../shop.ts';
import { formerCustomer } from './orders.ts';
import { lockPurchaseOrders, type OrderRow } from './queries.ts';
import { advanceVersion, requireVersion } from './version.ts';

/** How often a customer can change the delivery details of a purchase per day: each change is kept and reported. */
const maxChangesPerDay = 20;

type Delivery = Pick<OrderRow, 'name' | 'address' | 'phone'>;

/**
 * Changes the name, address and phone of a purchase that the viewer may see. Shipped parcels keep their name and address. Throws
 * 404 if the purchase is gone; 409 if it has changed since `version`, if it has expired, or if its customer changes it after a
 * piece has been shipped; 429 if the customer has made too many changes.
 */
export function changeDelivery(
  shop: Shop,
  purchaseId: string,
  { version: seen, ...wanted }: z.output<typeof deliveryChange>,
  viewer: SessionUser,
): Promise<z.output<typeof versionedCount>> {
  const { database } = shop;
  const isAdmin = viewer.role === 'admin';
  return database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, database.engine, purchaseId);
    const [first] = orders;
    if (!first) throw notFound('order');
    const changes = listChanges(first, wanted);
    if (Object.keys(changes).length === 0) return { modifiedCount: 0, version: first.version };
    if (first.status === 'expired')
      throw new ShopError('order_expired', 'This order was not paid in time, so it will not be sent.');
    if (!isAdmin && orders.some(({ shipped }) => shipped > 0))
      throw new ShopError(
        'already_shipped',
        'Tools of this order have been shipped, so its address can no longer be changed here. Contact us.',
      );
    requireVersion(first.version, seen);
    if (!isAdmin) {
      const message = 'Too many changes of this order’s address';
      const limit = { windowMs: dayMs, message };
      await consumeRateLimit(tx, `delivery of ${purchaseId}`, maxChangesPerDay, limit);
    }
    const version = await advanceVersion(tx, purchaseId, changes);
    const actor = isAdmin ? toActor(viewer) : { actor_id: null, actor: '' };
    await tx
      .insertInto('delivery_change')
      .values({ id: uuidv7(), purchase_id: purchaseId, ...actor, created_at: Date.now() })
      .execute();
    // Audit entries are permanent, so they don't repeat the customer's details.
    if (isAdmin)
      await writeAudit(tx, {
        ...actor,
        action: 'changeDelivery',
        target: first.id,
        name: first.product_name,
      });
    await queueDeliveryChanged(shop, tx, { id: purchaseId, userId: first.user_id });
    return { modifiedCount: 1, version };
  });
}

/** The details that differ, apart from line breaks: a form that is posted without scripts has others. */
function listChanges(
  { name, address, phone }: Delivery,
  wanted: Partial<Record<keyof Delivery, string | undefined>>,
): Partial<Delivery> {
  const current: Delivery = { name: name || formerCustomer, address: toLineFeeds(address), phone };
  const changes: Partial<Delivery> = {};
  for (const field of ['name', 'address', 'phone'] as const) {
    const value = wanted[field] === undefined ? undefined : toLineFeeds(wanted[field]);
    if (value !== undefined && value !== current[field]) changes[field] = value;
  }
  return changes;
}

const toLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n');

/** When the delivery details of a purchase were changed, and by which admin; '' for the customer. */
export function listDeliveryChanges(
  db: Db,
  purchaseId: string,
): Promise<{ created_at: number; actor: string }[]> {
  return db
    .selectFrom('delivery_change')
    .select(['created_at', 'actor'])
    .where('purchase_id', '=', purchaseId)
    .orderBy('id')
    .execute();
}
