import type { Selectable } from 'kysely';
import { chargeNames } from '../../../contract/delivery/charge-names.ts';
import type { HistoryEntry } from '../../../contract/orders/shipping.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import type { OrderRow } from './queries.ts';
import { type AutomaticRefundRow, isCounted, type OrderRefund, type Refund, wasOwed } from './refund-rows.ts';
import type { ShipmentRow } from './shipments/read.ts';

type Dispute = Selectable<Schema['dispute']>;
type OrderAct = Pick<
  Selectable<Schema['audit']>,
  'target' | 'name' | 'created_at' | 'actor' | 'action' | 'quantity'
>;
type Entry = Omit<HistoryEntry, 'at'> & { at: number };

/** The audit entries with facts about these orders that no other table has. */
export async function listOrderActs(db: Db, orders: readonly OrderRow[]): Promise<OrderAct[]> {
  const ids = orders.map(({ id }) => id);
  return db
    .selectFrom('audit')
    .select(['target', 'name', 'created_at', 'actor', 'action', 'quantity'])
    .where('target', 'in', ids)
    .where('action', 'in', ['editTracking', 'undoShipment', 'recordReturn', 'assignRefund'])
    .execute();
}

type Facts = {
  shipments: readonly ShipmentRow[];
  refunds: readonly OrderRefund[];
  /** These refunds, and the next three properties, are about the whole purchase. */
  unassignedRefunds: readonly Refund[];
  automaticRefunds: readonly AutomaticRefundRow[];
  disputes: readonly Dispute[];
  deliveryChanges: readonly { created_at: number; actor: string }[];
  /** The refunds of the purchase's charges that this history includes. */
  chargeRefunds: readonly OrderRefund[];
  /** Empty unless the viewer is an admin. */
  acts: readonly OrderAct[];
};

/** An order's history, oldest first. Only admins see who did what. */
export function describeHistory(order: OrderRow, facts: Facts, isAdmin: boolean): HistoryEntry[] {
  const { created_at, paid_at, status, hold_until, currency } = order;
  const entries: Entry[] = [
    { at: created_at, what: 'placed' },
    ...(status === 'expired' ? [{ at: hold_until, what: 'expired' as const }] : []),
    ...(paid_at === null ? [] : [{ at: paid_at, what: 'paid' as const }]),
    ...facts.shipments.map(
      ({ created_at: at, quantity, actor }): Entry => ({
        at,
        what: 'shipped',
        ...(quantity < order.quantity ? { quantity } : {}),
        who: actor,
      }),
    ),
    ...facts.deliveryChanges.map(
      ({ created_at: at, actor }): Entry => ({ at, what: 'delivery_changed', who: actor }),
    ),
    ...facts.acts.flatMap(describeAct),
    ...facts.refunds.flatMap((refund) => describePart(refund, paid_at, isAdmin)),
    ...facts.chargeRefunds
      .flatMap((refund) => describePart(refund, paid_at, isAdmin))
      .map((entry): Entry => ({ ...entry, charge: 'delivery' })),
    ...facts.unassignedRefunds.flatMap((refund) =>
      describeRefund(refund, paid_at, { started: 'unassigned_refund_started', ended: 'unassigned_refunded' }),
    ),
    ...facts.automaticRefunds.flatMap((refund) =>
      describeRefund(refund, null, { started: 'automatic_refund_started', ended: 'automatic_refunded' }).map(
        (entry) => (refund.currency === currency ? entry : { ...entry, currency: refund.currency }),
      ),
    ),
    ...facts.disputes.flatMap((dispute) => describeDispute(dispute, paid_at, isAdmin)),
  ];
  return entries
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, who, ...entry }) => ({
      at: new Date(at).toISOString(),
      ...entry,
      ...(isAdmin && who ? { who } : {}),
    }));
}

function describeAct({ created_at: at, name, action, actor: who, quantity }: OrderAct): Entry[] {
  if (action === 'editTracking') return [{ at, what: 'tracking_changed', who }];
  if (action === 'undoShipment') return [{ at, what: 'shipment_undone', who }];
  if (action === 'assignRefund')
    return [
      { at, what: 'refund_assigned', who, ...(name === chargeNames.delivery ? { charge: 'delivery' } : {}) },
    ];
  if (action !== 'recordReturn' || quantity === null) return [];
  return [{ at, what: 'returned', quantity, who }];
}

/** A refund's part for an order or a charge. */
const describePart = (refund: OrderRefund, paidAt: number | null, isAdmin: boolean): Entry[] => [
  ...describeRefund(refund, paidAt, {
    started: 'refund_started',
    ended: refund.provider_id === null ? 'refund_refused' : 'refunded',
  }),
  ...(isAdmin ? describeSettlement(refund) : []),
];

/**
 * Only the start of a refund names an admin, because the provider ends it. The provider rounds times down, so a time before the
 * payment is raised to the payment's time.
 */
function describeRefund(
  refund: Omit<AutomaticRefundRow, 'reason' | 'intent'> & { quantity?: number | null },
  paidAt: number | null,
  { started, ended }: Record<'started' | 'ended', Entry['what']>,
): Entry[] {
  const { status, quantity = null, actor: who } = refund;
  const amount = toWire(refund.amount, refund.currency);
  const pieces = quantity === null ? {} : { quantity };
  const at = Math.max(refund.created_at, paidAt ?? 0);
  return [
    { at, what: started, amount, ...pieces, who },
    ...(status === 'pending'
      ? []
      : [{ at: Math.max(refund.updated_at, at), what: ended, amount, ...pieces, status }]),
  ];
}

/** How a failed refund was settled, for admins only. If it was refunded again, the new refund has entries of its own. */
function describeSettlement(refund: OrderRefund): Entry[] {
  const { settled_at: at, outcome, currency, settled_by: who } = refund;
  if (at === null || outcome === null || outcome === 'refunded') return [];
  const amount = toWire(refund.amount, currency);
  const settled: Entry = { at, what: 'owed_settled', amount, status: outcome, who };
  if (!isCounted(refund)) return wasOwed(refund, refund) ? [settled] : [];
  // The provider made the refund after an admin had settled it.
  return [settled, { at: refund.updated_at, what: 'paid_twice', amount }];
}

function describeDispute(dispute: Dispute, paidAt: number | null, isAdmin: boolean): Entry[] {
  const { status, currency, decided_at, created_at } = dispute;
  const at = Math.max(created_at, paidAt ?? 0);
  const amount = toWire(dispute.amount, currency);
  const disputed: Entry = { at, what: 'disputed', amount };
  if (!isAdmin) return [disputed];
  if (decided_at === null) return [{ ...disputed, status }];
  return [disputed, { at: Math.max(decided_at, at), what: 'dispute_decided', amount, status }];
}
