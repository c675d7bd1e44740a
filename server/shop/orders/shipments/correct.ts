import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { queueTrackingNotice } from '../../mail/queue.ts';
import type { Shop } from '../../shop.ts';
import type { OrderRow } from '../queries.ts';
import { listTrackingChanges, type Tracking } from '../tracking.ts';
import { requireVersion } from '../version.ts';
import { shippedMeanwhile } from './lock.ts';
import { listShipmentLines, type ShipmentRow } from './read.ts';
import { checkSharedNumber } from './shared-number.ts';

/**
 * Replaces the tracking of a parcel, for all orders in it. Returns whether the tracking differs. Throws 409 if the version is no
 * longer current, or if the number is another customer's and not confirmed. The caller has locked `orders`.
 */
export async function correctParcel(
  shop: Shop,
  tx: Tx,
  {
    parcel,
    orders,
    tracking,
    sharedNumber,
    seen,
  }: {
    /** The parcel, with one of its orders. */
    parcel: ShipmentRow;
    orders: ReadonlyMap<string, OrderRow>;
    tracking: Tracking | undefined;
    sharedNumber: string | undefined;
    /** The version that the admin has seen of the order's purchase. */
    seen: number | undefined;
  },
  actor: SessionUser,
): Promise<boolean> {
  if (!tracking) return false;
  const changes = listTrackingChanges(parcel, tracking);
  if (Object.keys(changes).length === 0) return false;
  const lines = await listShipmentLines(tx, [parcel.id]);
  const inParcel = lines.flatMap(({ order_line_id }) => orders.get(order_line_id) ?? []);
  const [first] = inParcel;
  if (!first || inParcel.length < lines.length) throw shippedMeanwhile();
  const { version } = orders.get(parcel.order_line_id) ?? first;
  requireVersion(version, seen);
  const { tracking_number: number } = tracking;
  if (number !== null && number !== parcel.tracking_number && number !== sharedNumber)
    await checkSharedNumber(
      tx,
      shop.database.engine,
      { trackingNumber: number, button: 'Save tracking' },
      inParcel,
    );
  await tx.updateTable('shipment').set(tracking).where('id', '=', parcel.id).execute();
  await tx
    .updateTable('order_line')
    .set(tracking)
    .where(
      'id',
      'in',
      inParcel.map(({ id }) => id),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('shipment_line as later')
            .select('later.shipment_id')
            .whereRef('later.order_line_id', '=', 'order_line.id')
            .where('later.shipment_id', '>', parcel.id),
        ),
      ),
    )
    .execute();
  for (const { id, product_name } of inParcel)
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'editTracking',
      target: id,
      name: product_name,
      changes,
    });
  await queueTrackingNotice(shop, tx, {
    id: parcel.id,
    userId: first.user_id,
    isNew: !(parcel.carrier || parcel.tracking_number || parcel.tracking_url),
  });
  return true;
}
