import type { Selectable } from 'kysely';
import type { Parcel } from '../../../../contract/orders/shipping.ts';
import type { Db, Schema, Tx } from '../../../database/schema.ts';
import { shipmentDelayMs } from '../../mail/queue.ts';
import { describeTracking } from '../tracking.ts';

/** How many pieces of an order are in a parcel, with the parcel. */
export type ShipmentRow = Selectable<Schema['shipment']> & { order_line_id: string; quantity: number };

/** The parcels of these orders, in the order in which they were shipped. */
export const listShipments = async (db: Db | Tx, orderIds: readonly string[]): Promise<ShipmentRow[]> =>
  sortByTime(await selectShipments(db).where('shipment_line.order_line_id', 'in', orderIds).execute());

/** The lines of these parcels, in the order in which the parcels were shipped. */
export const listShipmentLines = async (
  db: Db | Tx,
  shipmentIds: readonly string[],
): Promise<ShipmentRow[]> =>
  sortByTime(await selectShipments(db).where('shipment.id', 'in', shipmentIds).execute());

const selectShipments = (db: Db | Tx) =>
  db
    .selectFrom('shipment_line')
    .innerJoin('shipment', 'shipment.id', 'shipment_line.shipment_id')
    .selectAll('shipment')
    .select(['shipment_line.order_line_id', 'shipment_line.quantity']);

/** If SQL sorted the rows, PostgreSQL would read all parcels by their ids, instead of only the parcels of these orders. */
const sortByTime = (rows: ShipmentRow[]): ShipmentRow[] =>
  rows.sort((a, b) => compare(a.id, b.id) || compare(a.order_line_id, b.order_line_id));

const compare = (a: string, b: string): number => Number(a > b) - Number(a < b);

export function toParcel(row: ShipmentRow, isAdmin: boolean): Parcel {
  const { id, quantity, created_at } = row;
  return {
    _id: id,
    ...describeTracking(row),
    shippedAt: new Date(created_at).toISOString(),
    quantity,
    ...(isAdmin && created_at > Date.now() - shipmentDelayMs ? { canUndo: true } : {}),
  };
}
