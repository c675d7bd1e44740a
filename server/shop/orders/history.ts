import type { Selectable } from 'kysely';
import type { HistoryEntry } from '../../../contract/orders/shipping.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';
import type { OrderRefund } from './refund-rows.ts';
import type { ShipmentRow } from './shipments/read.ts';

type Dispute = Selectable<Schema['dispute']>;
type TrackingAct = Pick<Selectable<Schema['audit']>, 'target' | 'created_at' | 'actor' | 'action'>;

/** The audit entries about changes of the tracking of these orders, and about parcels that were taken back. */
export async function listTrackingActs(db: Db, orders: readonly OrderRow[]): Promise<TrackingAct[]> {
  const ids = orders.map(({ id }) => id);
  return db
    .selectFrom('audit')
    .select(['target', 'created_at', 'actor', 'action'])
    .where('target', 'in', ids)
    .where('action', 'in', ['editTracking', 'undoShipment'])
    .execute();
}

type Facts = {
  shipments: readonly ShipmentRow[];
  refunds: readonly OrderRefund[];
  disputes: readonly Dispute[];
  deliveryChanges: readonly { created_at: number; actor: string }[];
  /** Only given for admins. */
  trackingActs: readonly TrackingAct[];
};

/** An order's history, oldest first. Only admins see who did what. */
export function describeHistory(
  order: OrderRow,
  { shipments, refunds, disputes, deliveryChanges, trackingActs }: Facts,
  isAdmin: boolean,
): HistoryEntry[] {
  const { created_at, paid_at, status, hold_until, currency } = order;
  const by = (who: string) => (isAdmin && who ? { who } : {});
  const entries: (Omit<HistoryEntry, 'at'> & { at: number })[] = [
    { at: created_at, what: 'placed' },
    ...(status === 'expired' ? [{ at: hold_until, what: 'expired' as const }] : []),
    ...(paid_at === null ? [] : [{ at: paid_at, what: 'paid' as const }]),
    ...shipments.map(({ created_at: at, quantity, actor }) => ({
      at,
      what: 'shipped' as const,
      ...(quantity < order.quantity ? { quantity } : {}),
      ...by(actor),
    })),
    ...deliveryChanges.map(({ created_at: at, actor }) => ({
      at,
      what: 'delivery_changed' as const,
      ...by(actor),
    })),
    ...trackingActs.map(({ created_at: at, actor, action }) => ({
      at,
      what: action === 'editTracking' ? ('tracking_changed' as const) : ('shipment_undone' as const),
      who: actor,
    })),
    ...refunds.map((refund) => ({
      ...{ at: refund.updated_at, what: 'refunded' as const, amount: toWire(refund.amount, currency) },
      ...{ status: refund.status, ...by(refund.actor) },
      ...(refund.quantity === null ? {} : { quantity: refund.quantity }),
    })),
    ...disputes.map((dispute) => ({
      // The provider rounds times down to the second: a dispute could seem to precede its payment.
      ...{ at: Math.max(dispute.created_at, paid_at ?? 0), what: 'disputed' as const },
      ...(isAdmin ? { status: dispute.status } : {}),
    })),
  ];
  return entries
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry }));
}
