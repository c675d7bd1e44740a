import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import type { PostalAddress } from '../../../contract/delivery/address-format.ts';
import { isDeliverySetUp } from '../../../contract/delivery/rates.ts';
import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import { dayMs } from '../../../contract/durations.ts';
import { invalid, notFound, ShopError } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { deliveryChange } from '../../../contract/orders/purchases.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { requireSameDelivery } from '../delivery/same-delivery.ts';
import { readShipping } from '../delivery/shipping.ts';
import { listMissing, parseAddress, requireWhole, toColumns } from '../delivery/stored-address.ts';
import { queueDeliveryChanged } from '../mail/queue.ts';
import type { Shop } from '../shop.ts';
import { formerCustomer } from './orders.ts';
import { lockPurchaseOrders, type OrderRow } from './queries.ts';
import { advanceVersion, requireVersion } from './version.ts';

/** How often a customer can change the delivery details of a purchase per day: each change is kept and reported. */
const maxChangesPerDay = 20;

type Delivery = Pick<OrderRow, 'name' | 'address' | 'phone'>;
type Changes = Partial<Delivery> & { ship_to?: string };

/**
 * Changes the name, address and phone of a purchase that the viewer may see. Shipped parcels keep their name and address. Throws
 * 404 if the purchase is gone; 409 if it has changed since `version`, if it has expired, if delivery to a new `shipTo` may cost
 * something else, or if its customer changes it after a piece has been shipped; 422 if a part of `shipTo` is missing, or if only the
 * text of a structured address is sent; 429 if the customer has made too many changes.
 */
export function changeDelivery(
  shop: Shop,
  purchaseId: string,
  { version: seen, shipTo, ...wanted }: z.output<typeof deliveryChange>,
  viewer: SessionUser,
): Promise<z.output<typeof versionedCount>> {
  const { database } = shop;
  const isAdmin = viewer.role === 'admin';
  return database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, database.engine, purchaseId);
    const [first] = orders;
    if (!first) throw notFound('order');
    const stored = await readStructured(tx, purchaseId);
    const { rate, structured } = stored;
    const shipping = shipTo && (await readShipping(tx));
    if (shipTo && shipping) checkShipTo(shipTo, shipping, stored);
    const changes =
      shipTo && shipping
        ? listAddressChanges(first, structured, shipTo, shipping)
        : listChanges(first, wanted);
    if (Object.keys(changes).length === 0) return { modifiedCount: 0, version: first.version };
    if (first.status === 'expired')
      throw new ShopError('order_expired', 'This order was not paid in time, so it will not be sent.');
    if (!isAdmin && orders.some(({ shipped }) => shipped > 0))
      throw new ShopError(
        'already_shipped',
        'Tools of this order have been shipped, so its address can no longer be changed here. Contact us.',
      );
    requireVersion(first.version, seen);
    if (shipTo && shipping && structured && rate !== null)
      await requireSameDelivery(tx, orders, shipping, {
        current: structured,
        wanted: shipTo,
        rate,
        isAdmin,
      });
    if (!shipTo && structured) {
      if (changes.address !== undefined) throw invalid('address', 'Send the address as `shipTo`');
      Object.assign(changes, {
        ship_to: JSON.stringify({
          ...structured,
          name: changes.name ?? structured.name,
          phone: changes.phone ?? structured.phone,
        }),
      });
    }
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
): Changes {
  const current: Delivery = { name: name || formerCustomer, address: toLineFeeds(address), phone };
  const changes: Changes = {};
  for (const field of ['name', 'address', 'phone'] as const) {
    const value = wanted[field] === undefined ? undefined : toLineFeeds(wanted[field]);
    if (value !== undefined && value !== current[field]) changes[field] = value;
  }
  return changes;
}

type Structured = {
  /** The id of the chosen rate. */
  rate: string | null;
  /** Where and when it is collected; undefined if it is sent. */
  pickup: string | undefined;
  structured: PostalAddress | undefined;
};

async function readStructured(tx: Tx, id: string): Promise<Structured> {
  const purchase = await tx
    .selectFrom('purchase')
    .select(['rate', 'pickup', 'ship_to'])
    .where('id', '=', id)
    .executeTakeFirst();
  const { rate = null, pickup = null, ship_to = null } = purchase ?? {};
  return {
    rate,
    pickup: pickup ?? undefined,
    structured: ship_to === null ? undefined : parseAddress(ship_to),
  };
}

/** Throws 422 if the shop takes addresses only as text, or if a part of this one is missing. */
function checkShipTo(shipTo: PostalAddress, shipping: Shipping, { pickup, structured }: Structured): void {
  if (!structured && !isDeliverySetUp(shipping))
    throw invalid('shipTo', 'This shop takes the address as text: send `address`');
  requireWhole(listMissing(shipTo, { prefix: 'shipTo.', pickup }));
}

/**
 * The columns to change; none if it is the same address. Once the customer has deleted their account, only what an invoice and a
 * parcel need is stored.
 */
function listAddressChanges(
  { user_id }: OrderRow,
  current: PostalAddress | undefined,
  wanted: PostalAddress,
  { shipsFrom }: Shipping,
): Changes {
  if (current && JSON.stringify(current) === JSON.stringify(wanted)) return {};
  const { name, address, phone, ship_to } = toColumns(wanted, shipsFrom);
  return user_id === null ? { name, address } : { name, address, phone, ship_to };
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
