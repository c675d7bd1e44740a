import { notFound } from '../../../contract/errors.ts';
import type { Order } from '../../../contract/orders/orders.ts';
import { toWire } from '../../config/currency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { Shop } from '../shop.ts';
import { findOrder, type OrderRow } from './queries.ts';
import { describeShipping } from './tracking.ts';

/** An order that the viewer may see: their own, or any order for an admin. Otherwise throws 404, as if it did not exist. */
export async function getOrder(shop: Shop, viewer: SessionUser, id: string): Promise<OrderRow> {
  const row = await findOrder(shop.database.db, id);
  if (!row || (row.user_id !== viewer.id && viewer.role !== 'admin')) throw notFound('order');
  return row;
}

/** Replaces the name of a customer who has deleted their account, once the shop need not keep it. */
export const formerCustomer = 'Former customer';

export function isPaid(row: OrderRow): boolean {
  return row.status === 'paid' || row.status === 'sipping';
}

const maxFormattedTimes = 500;
const formattedTimes = new Map<number, string>();

/** Caches its results: formatting takes a microsecond, a list has up to a thousand orders, and orders of a purchase share times. */
function formatTime(ms: number): string {
  if (formattedTimes.size > maxFormattedTimes) formattedTimes.clear();
  return formattedTimes.getOrInsertComputed(ms, () => new Date(ms).toISOString());
}

export function toOrder(row: OrderRow): Order {
  return {
    _id: row.id,
    purchase: row.purchase_id,
    number: row.number,
    orderId: row.product_id,
    product: row.product_name,
    ...(row.image ? { img: row.image } : {}),
    orderQuantity: row.quantity,
    price: toWire(row.total, row.currency),
    currency: row.currency,
    user: row.email,
    userName: row.name || formerCustomer,
    phone: row.phone,
    address: row.address,
    orderStatus: row.status,
    paid: isPaid(row),
    ...(row.transaction_id ? { transactionId: row.transaction_id } : {}),
    createdAt: formatTime(row.created_at),
    ...(row.status === '' ? { holdUntil: formatTime(row.hold_until) } : {}),
    ...(row.paid_at === null ? {} : { paidAt: formatTime(row.paid_at) }),
    ...describeShipping(row),
    refunded: toWire(row.refunded, row.currency),
    ...(row.refund_pending > 0 ? { refundPending: toWire(row.refund_pending, row.currency) } : {}),
    ...(row.owed > 0 ? { owed: toWire(row.owed, row.currency) } : {}),
    ...(row.refunded_quantity > 0 ? { refundedQuantity: row.refunded_quantity } : {}),
    ...(row.removed > 0 ? { removedQuantity: row.removed } : {}),
    ...(row.returned > 0 ? { returnedQuantity: row.returned } : {}),
    ...(row.still_send === 1 ? { stillSend: true } : {}),
    version: row.version,
    ...(row.unassigned > 0 ? { unassigned: toWire(row.unassigned, row.currency) } : {}),
    disputed: Boolean(row.disputed),
    ...(row.charged_back > 0 ? { chargedBack: toWire(row.charged_back, row.currency) } : {}),
  };
}
