import { sql } from 'kysely';
import { createTrackingUrl, findCarrier, guessCarrier } from '../../../contract/orders/carriers.ts';
import type { Order } from '../../../contract/orders/orders.ts';
import type { Parcel, Shipment } from '../../../contract/orders/shipping.ts';
import type { Engine } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';

export type Tracking = Pick<OrderRow, 'carrier' | 'tracking_number' | 'tracking_url'>;

export const noTracking: Tracking = { carrier: null, tracking_number: null, tracking_url: null };

/** The tracking columns for a request's fields. Undefined if it has none of them. */
export function parseTracking({
  carrier,
  trackingNumber,
  trackingUrl,
}: Pick<Shipment, 'carrier' | 'trackingNumber' | 'trackingUrl'>): Tracking | undefined {
  if (carrier === undefined && trackingNumber === undefined && trackingUrl === undefined) return undefined;
  const guessed = trackingNumber ? guessCarrier(trackingNumber) : undefined;
  return {
    carrier: (carrier && (findCarrier(carrier)?.name ?? carrier)) || guessed || null,
    tracking_number: trackingNumber || null,
    tracking_url: trackingUrl || null,
  };
}

/** A column with tracking numbers as the index `shipment_tracking` has it: in lower case and, on PostgreSQL, in byte order. */
export const lowerTrackingNumber = (engine: Engine, column: string) =>
  engine === 'postgres'
    ? sql<string>`lower(${sql.ref(column)} collate "C")`
    : sql<string>`lower(${sql.ref(column)})`;

/** The link that an admin entered, otherwise the carrier's page. */
function getTrackingUrl({ carrier, tracking_number, tracking_url }: Tracking): string | undefined {
  if (tracking_url) return tracking_url;
  return carrier && tracking_number ? createTrackingUrl(carrier, tracking_number) : undefined;
}

/** A parcel's tracking on the wire. */
export function describeTracking(row: Tracking): Pick<Parcel, 'carrier' | 'trackingNumber' | 'trackingUrl'> {
  const { carrier, tracking_number } = row;
  const trackingUrl = getTrackingUrl(row);
  return {
    ...(carrier ? { carrier } : {}),
    ...(tracking_number ? { trackingNumber: tracking_number } : {}),
    ...(trackingUrl ? { trackingUrl } : {}),
  };
}

/** How much of an order is shipped, and its last parcel, on the wire. */
export function describeShipping(
  row: OrderRow,
): Pick<Order, 'shippedQuantity' | 'shippedAt' | 'carrier' | 'trackingNumber' | 'trackingUrl'> {
  const { shipped, shipped_at } = row;
  return {
    ...(shipped > 0 ? { shippedQuantity: shipped } : {}),
    ...(shipped_at === null ? {} : { shippedAt: new Date(shipped_at).toISOString() }),
    ...describeTracking(row),
  };
}

/** The changed tracking values before and after, by the field's name on the wire, for the audit log. */
export function listTrackingChanges(before: Tracking, after: Tracking): Record<string, [string, string]> {
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
