import { sql } from 'kysely';
import { formatQuantity } from '../../../../contract/admin/health-format.ts';
import { ShopError } from '../../../../contract/errors.ts';
import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { queueOrderShipped } from '../../mail/queue.ts';
import type { Shop } from '../../shop.ts';
import { canBeSent, canBeSentCondition, countLeft, type OrderRow } from '../queries.ts';
import { listTrackingChanges, noTracking, type Tracking } from '../tracking.ts';
import { checkSharedNumber } from './shared-number.ts';

/** Pieces of an order whose purchase the caller has locked. */
type Line = { order: OrderRow; quantity: number };

export type NewParcel = {
  id: string;
  lines: [Line, ...Line[]];
  tracking: Tracking | undefined;
  /** A tracking number that the admin has confirmed, although another customer's parcel has it. */
  sharedNumber: string | undefined;
  /** Whether the admin has confirmed that orders are shipped although the bank has taken their money back. */
  anyway: boolean;
};

/**
 * Ships pieces of orders as one parcel, to the name and address of the first order. Throws 409 for an order that is unpaid, has
 * fewer pieces left (`data.left`), is refunded in full and not to be shipped anyway, or is charged back without `anyway`. Also
 * throws 409 if the tracking number is another customer's and not confirmed.
 */
export async function sendParcel(
  shop: Shop,
  tx: Tx,
  { id, lines, tracking = noTracking, sharedNumber, anyway }: NewParcel,
  actor: SessionUser,
): Promise<void> {
  const [{ order: first }] = lines;
  const { tracking_number: number } = tracking;
  const { engine } = shop.database;
  const now = Date.now();
  for (const line of lines) await addShipped(tx, line, { ...tracking, shipped_at: now }, anyway);
  if (number !== null && number !== sharedNumber)
    await checkSharedNumber(
      tx,
      engine,
      { trackingNumber: number, button: 'Ship' },
      lines.map(({ order }) => order),
    );
  const recipient = { name: first.name, address: first.address };
  await tx
    .insertInto('shipment')
    .values({ id, ...recipient, ...tracking, ...toActor(actor), created_at: now })
    .execute();
  const rows = lines.map(({ order, quantity }) => ({
    shipment_id: id,
    order_line_id: order.id,
    quantity,
  }));
  await tx.insertInto('shipment_line').values(rows).execute();
  for (const { order, quantity } of lines)
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'shipOrder',
      target: order.id,
      name: order.product_name,
      changes: {
        ...(quantity < order.quantity ? { shipped: [order.shipped, order.shipped + quantity] } : {}),
        ...listTrackingChanges(noTracking, tracking),
        ...(order.is_charged_back === 1 ? { anyway: ['no', 'yes'] } : {}),
      },
    });
  await queueOrderShipped(shop, tx, { id, userId: first.user_id, shippedAt: now });
}

/** Counts the pieces as shipped. Once no pieces are left to ship, the status of the order changes to shipped. */
async function addShipped(
  tx: Tx,
  { order, quantity }: Line,
  parcel: Tracking & { shipped_at: number },
  anyway: boolean,
): Promise<void> {
  if (order.is_charged_back === 1 && !anyway) throw explainChargeback(order);
  const shipped = sql<number>`shipped + ${quantity}`;
  const notLeft = sql<number>`removed + ${shipped}`;
  const { numUpdatedRows } = await tx
    .updateTable('order_line')
    .set({
      status: sql`case when ${notLeft} < quantity then status else 'sipping' end`,
      shipped,
      ...parcel,
    })
    .where('id', '=', order.id)
    .where('status', '=', 'paid')
    .where(sql<boolean>`${notLeft} <= quantity`)
    .where(canBeSentCondition())
    .$if(!anyway, (lines) => lines.where('is_charged_back', '=', 0))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw explainRejection(order);
}

const explainChargeback = ({ product_name }: OrderRow): ShopError =>
  new ShopError(
    'conflict',
    `The bank has taken the money for ${product_name} back. Confirm that you want to send it anyway.`,
    { errors: [{ field: 'anyway', message: 'Confirm that you want to send it anyway' }] },
  );

/** Why fewer pieces than requested can be shipped. */
export function explainRejection(order: OrderRow): ShopError {
  if (order.transaction_id === null) return new ShopError('not_paid', 'Only a paid order can be shipped.');
  const unshipped = countLeft(order);
  const isRefunded = unshipped > 0 && !canBeSent(order);
  const left = isRefunded ? 0 : unshipped;
  const message = isRefunded
    ? `${order.product_name} is not sent: it is refunded in full`
    : left > 0
      ? `Only ${formatQuantity(left, 'piece')} of ${order.product_name} ${left === 1 ? 'is' : 'are'} left to ship`
      : `Nothing of ${order.product_name} is left to ship`;
  return new ShopError('over_shipment', `${message}.`, {
    data: { left },
    errors: [{ field: 'quantity', message }],
  });
}
