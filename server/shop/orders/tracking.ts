import { sql } from 'kysely';
import { createTrackingUrl, findCarrier, guessCarrier } from '../../../contract/orders/carriers.ts';
import type { Order } from '../../../contract/orders/orders.ts';
import type { Shipment } from '../../../contract/orders/shipping.ts';
import type { Engine } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';

export type Tracking = Pick<OrderRow, 'carrier' | 'tracking_number' | 'tracking_url'>;

/** The tracking columns for a request's fields. Undefined if it has none of them. */
export function parseTracking({ carrier, trackingNumber, trackingUrl }: Shipment): Tracking | undefined {
  if (carrier === undefined && trackingNumber === undefined && trackingUrl === undefined) return undefined;
  const guessed = trackingNumber ? guessCarrier(trackingNumber) : undefined;
  return {
    carrier: (carrier && (findCarrier(carrier)?.name ?? carrier)) || guessed || null,
    tracking_number: trackingNumber || null,
    tracking_url: trackingUrl || null,
  };
}

/** A column with tracking numbers as the index `order_line_tracking` has it: in lower case and, on PostgreSQL, in byte order. */
export const lowerTrackingNumber = (engine: Engine, column: string) =>
  engine === 'postgres'
    ? sql<string>`lower(${sql.ref(column)} collate "C")`
    : sql<string>`lower(${sql.ref(column)})`;

/** The link that an admin entered, otherwise the carrier's page. */
function getTrackingUrl({ carrier, tracking_number, tracking_url }: Tracking): string | undefined {
  if (tracking_url) return tracking_url;
  return carrier && tracking_number ? createTrackingUrl(carrier, tracking_number) : undefined;
}

/** The fields of a shipped order on the wire. */
export function describeShipping(
  row: OrderRow,
): Pick<Order, 'shippedAt' | 'carrier' | 'trackingNumber' | 'trackingUrl'> {
  const { shipped_at, carrier, tracking_number } = row;
  const trackingUrl = getTrackingUrl(row);
  return {
    ...(shipped_at === null ? {} : { shippedAt: new Date(shipped_at).toISOString() }),
    ...(carrier ? { carrier } : {}),
    ...(tracking_number ? { trackingNumber: tracking_number } : {}),
    ...(trackingUrl ? { trackingUrl } : {}),
  };
}
