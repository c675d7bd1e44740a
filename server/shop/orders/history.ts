import type { Selectable } from 'kysely';
import type { HistoryEntry } from '../../../contract/orders/shipping.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';

type Refund = Selectable<Schema['refund']>;
type Dispute = Selectable<Schema['dispute']>;
type ShippingAct = Pick<Selectable<Schema['audit']>, 'of' | 'at' | 'who' | 'what'>;

/** The audit entries about the shipping of these orders and changes of their tracking. */
export async function listShippingActs(db: Db, orders: readonly OrderRow[]): Promise<ShippingAct[]> {
  const ids = orders.filter(({ status }) => status === 'sipping').map(({ id }) => id);
  if (ids.length === 0) return [];
  return db
    .selectFrom('audit')
    .select(['of', 'at', 'who', 'what'])
    .where('of', 'in', ids)
    .where('what', 'in', ['shipOrder', 'editTracking'])
    .execute();
}

/** An order's history, oldest first. `shippingActs` are only given for admins, who also see who did what. */
export function describeHistory(
  order: OrderRow,
  refunds: readonly Refund[],
  disputes: readonly Dispute[],
  { isAdmin, shippingActs }: { isAdmin: boolean; shippingActs: readonly ShippingAct[] },
): HistoryEntry[] {
  const { created_at, paid_at, shipped_at, status, hold_until, currency } = order;
  const shipping = shippingActs.find(({ what }) => what === 'shipOrder');
  const trackingChanges = shippingActs.filter(({ what }) => what === 'editTracking');
  const by = (who: string | undefined) => (isAdmin && who ? { who } : {});
  const entries: (Omit<HistoryEntry, 'at'> & { at: number })[] = [
    { at: created_at, what: 'placed' },
    ...(status === 'expired' ? [{ at: hold_until, what: 'expired' as const }] : []),
    ...(paid_at === null ? [] : [{ at: paid_at, what: 'paid' as const }]),
    ...(shipped_at === null ? [] : [{ at: shipped_at, what: 'shipped' as const, ...by(shipping?.who) }]),
    ...trackingChanges.map(({ at, who }) => ({ at, what: 'tracking_changed' as const, who })),
    ...refunds.map((refund) => ({
      ...{ at: refund.updated_at, what: 'refunded' as const, amount: toWire(refund.amount, currency) },
      ...{ status: refund.status, ...by(refund.requested_by) },
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
