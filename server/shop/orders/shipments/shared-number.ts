import { ShopError } from '../../../../contract/errors.ts';
import type { Engine, Tx } from '../../../database/schema.ts';
import type { OrderRow } from '../queries.ts';
import { lowerTrackingNumber } from '../tracking.ts';

/**
 * Throws 409 if another customer's parcel has this tracking number. Nearly always, this means that the wrong label was scanned.
 * `button` is the label of the button that sends the number again. On PostgreSQL, two admins who enter the same number at the same
 * moment may both pass.
 */
export async function checkSharedNumber(
  tx: Tx,
  engine: Engine,
  { trackingNumber, button }: { trackingNumber: string; button: 'Ship' | 'Save tracking' },
  orders: readonly Pick<OrderRow, 'user_id' | 'purchase_id'>[],
): Promise<void> {
  const other = await tx
    .selectFrom('shipment')
    .innerJoin('shipment_line', 'shipment_line.shipment_id', 'shipment.id')
    .innerJoin('order_line', 'order_line.id', 'shipment_line.order_line_id')
    .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
    .select('purchase.number')
    .where('shipment.tracking_number', 'is not', null)
    .where(lowerTrackingNumber(engine, 'shipment.tracking_number'), '=', trackingNumber.toLowerCase())
    .where(
      'purchase.id',
      'not in',
      orders.map(({ purchase_id }) => purchase_id),
    )
    // The customers of deleted accounts are unknown: each one counts as a different customer.
    .where(({ eb, or }) =>
      or([
        eb('purchase.user_id', 'is', null),
        eb('purchase.user_id', 'is distinct from', orders[0]?.user_id ?? null),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (!other) return;
  const message = `Another customer’s order, ${other.number}, has the same tracking number. Scan the label again, or press ${button} again to use it anyway.`;
  const errors = [{ field: 'trackingNumber', message }];
  throw new ShopError('shared_number', message, { data: { number: other.number }, errors });
}
