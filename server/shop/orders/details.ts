import type { Selectable } from 'kysely';
import type { Order } from '../../../contract/orders/orders.ts';
import type { Purchase } from '../../../contract/orders/purchases.ts';
import type { AutomaticRefund, Dispute, Refund } from '../../../contract/orders/refunds.ts';
import { toWire } from '../../config/currency.ts';
import type { Db, Schema } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { readCheckout, type SavedCheckout } from '../delivery/read-checkout.ts';
import { listDeliveryChanges } from './delivery.ts';
import { describeHistory, listOrderActs } from './history.ts';
import { toOrder } from './orders.ts';
import type { OrderRow } from './queries.ts';
import {
  type AutomaticRefundRow,
  isCounted,
  isOwed,
  listPurchaseRefunds,
  type OrderRefund,
  type Refund as RefundWithLines,
  wasOwed,
} from './refund-rows.ts';
import { listShipments, toParcel } from './shipments/read.ts';

type Details = {
  /**
   * Maps one of the orders to the wire, with its history, its parcels, its refunds and, for an admin, its disputes. The history
   * includes `chargeRefunds`.
   */
  describe: (order: OrderRow, chargeRefunds?: readonly OrderRefund[]) => Order;
  checkout: SavedCheckout;
  /** The refunds of the purchase's charges that the viewer may see. */
  chargeRefunds: OrderRefund[];
  /** The refunds of the purchase that belong to none of its orders. */
  purchaseRefunds: Pick<Purchase, 'unassignedRefunds' | 'automaticRefunds'>;
};

/** Reads the refunds, parcels and disputes of orders of one purchase. */
export async function readDetails(
  db: Db,
  viewer: Pick<SessionUser, 'role'>,
  orders: readonly [OrderRow, ...OrderRow[]],
): Promise<Details> {
  const isAdmin = viewer.role === 'admin';
  const [first] = orders;
  const { refunds, automaticRefunds } = await listPurchaseRefunds(db, first.purchase_id);
  // An unpaid purchase has a dispute only if its payment was not accepted and is due for a refund.
  const isPaid = first.transaction_id !== null;
  const disputes = isPaid || first.disputed ? await listDisputes(db, first) : [];
  const shipped = orders.filter((order) => order.shipped > 0).map(({ id }) => id);
  const shipments = shipped.length > 0 ? await listShipments(db, shipped) : [];
  // Every change advances the version, so version 1 has none.
  const deliveryChanges = first.version > 1 ? await listDeliveryChanges(db, first.purchase_id) : [];
  const checkout = await readCheckout(db, first);
  const { fields, charges } = checkout;
  const { shipTo, billTo, remark } = fields;
  const acts = isAdmin && isPaid ? await listOrderActs(db, orders) : [];
  // Only refunds made at the provider can have no lines.
  const unassignedRefunds = refunds.filter((refund) => isCounted(refund) && refund.lines.length === 0);
  const orderRefunds = refunds.flatMap(listOrderParts);
  // Customers don't see refunds that the provider refused, because that money was never on its way to them.
  const shown = isAdmin
    ? orderRefunds
    : orderRefunds.filter((row) => row.status !== 'failed' || row.provider_id);
  const refundsByOrder = Map.groupBy(shown, ({ subject_id }) => subject_id);
  const chargeRefunds = charges.flatMap(({ id }) => refundsByOrder.get(id) ?? []);
  const describe: Details['describe'] = (order, ofCharges = []) => {
    const ownRefunds = refundsByOrder.get(order.id) ?? [];
    const ownShipments = shipments.filter(({ order_line_id }) => order_line_id === order.id);
    const facts = {
      shipments: ownShipments,
      refunds: ownRefunds,
      unassignedRefunds,
      automaticRefunds,
      disputes,
      deliveryChanges,
      acts: acts.filter(({ target }) => target === order.id),
      chargeRefunds: ofCharges,
    };
    return {
      ...toOrder(order),
      ...(shipTo ? { shipTo } : {}),
      ...(billTo ? { billTo } : {}),
      ...(remark ? { remark } : {}),
      shipments: ownShipments.map((shipment) => toParcel(shipment, isAdmin)),
      refunds: ownRefunds.map((refund) => toRefund(refund, isAdmin)),
      ...(isAdmin ? { disputes: disputes.map(toDispute) } : {}),
      history: describeHistory(order, facts, isAdmin),
    };
  };
  const purchaseRefunds = {
    ...(isAdmin && unassignedRefunds.length > 0
      ? { unassignedRefunds: unassignedRefunds.map(toUnassigned) }
      : {}),
    ...(automaticRefunds.length > 0
      ? { automaticRefunds: automaticRefunds.map((row) => toAutomaticRefund(row, isAdmin)) }
      : {}),
  };
  const withRefunds = addChargeRefunds(checkout, chargeRefunds, isAdmin);
  return { describe, checkout: { ...checkout, fields: withRefunds }, chargeRefunds, purchaseRefunds };
}

/** The fields of a checkout, each charge with its refunds. */
export function addChargeRefunds(
  { fields, charges }: SavedCheckout,
  chargeRefunds: readonly OrderRefund[],
  isAdmin: boolean,
): SavedCheckout['fields'] {
  if (!fields.charges || chargeRefunds.length === 0) return fields;
  const idsByKind = new Map(charges.map(({ kind, id }) => [kind, id]));
  return {
    ...fields,
    charges: fields.charges.map((charge) => {
      const own = chargeRefunds.filter(({ subject_id }) => subject_id === idsByKind.get(charge.kind));
      return own.length > 0 ? { ...charge, refunds: own.map((row) => toRefund(row, isAdmin)) } : charge;
    }),
  };
}

const listOrderParts = ({ lines, ...refund }: RefundWithLines): OrderRefund[] =>
  lines.map(({ subject_id, amount, quantity, restock, removed }) => ({
    ...refund,
    subject_id,
    amount,
    quantity,
    restock,
    removed,
  }));

const toUnassigned = (refund: RefundWithLines): Refund =>
  toRefund({ ...refund, subject_id: '', quantity: null, restock: 0, removed: 0 }, true);

/** Only admins see why a refund failed. */
export const toAutomaticRefund = (row: AutomaticRefundRow, isAdmin: boolean): AutomaticRefund => ({
  _id: row.id,
  amount: toWire(row.amount, row.currency),
  currency: row.currency,
  status: row.status,
  transactionId: row.intent,
  createdAt: new Date(row.created_at).toISOString(),
  updatedAt: new Date(row.updated_at).toISOString(),
  ...(isAdmin && row.failure ? { failure: row.failure } : {}),
});

function listDisputes(db: Db, { purchase_id }: OrderRow): Promise<Selectable<Schema['dispute']>[]> {
  return db
    .selectFrom('dispute')
    .selectAll()
    .where('purchase_id', '=', purchase_id)
    .orderBy('created_at')
    .execute();
}

export function toRefund(row: OrderRefund, isAdmin: boolean): Refund {
  const { id, amount, currency, status, reason, created_at, updated_at } = row;
  return {
    _id: id,
    amount: toWire(amount, currency),
    status,
    reason,
    ...(row.quantity === null ? {} : { quantity: row.quantity }),
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
    ...(isOwed(row, row) ? { owed: toWire(amount, currency) } : {}),
    ...(row.outcome !== null && wasOwed(row, row) ? { outcome: row.outcome } : {}),
    ...(row.replaces === null ? {} : { replaces: row.replaces }),
    ...(isAdmin ? { restock: row.restock, note: row.note, requestedBy: row.actor } : {}),
    ...(isAdmin && row.failure ? { failure: row.failure } : {}),
  };
}

export function toDispute(row: Selectable<Schema['dispute']>): Dispute {
  const { id, amount, currency, status, reason, is_open, created_at, respond_by } = row;
  return {
    _id: id,
    amount: toWire(amount, currency),
    status,
    isOpen: is_open === 1,
    reason,
    createdAt: new Date(created_at).toISOString(),
    ...(respond_by === null ? {} : { respondBy: new Date(respond_by).toISOString() }),
  };
}
