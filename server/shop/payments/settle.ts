import type { Selectable } from 'kysely';
import type { z } from 'zod';
import { ShopError } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { Db, Schema, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { queueOrderPaid } from '../mail/queue.ts';
import { isPaid } from '../orders/orders.ts';
import { findOrder, lockPurchase, type OrderRow } from '../orders/queries.ts';
import { nextVersion } from '../orders/version.ts';
import type { Shop } from '../shop.ts';
import { countProviderCall } from './call-limit.ts';
import type { Intent } from './provider.ts';
import { refundPayment } from './refunds/payment-refunds.ts';

export type PaymentRow = Selectable<Schema['payment']>;

export function findPaymentByIntent(db: Db, intent: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payment').selectAll().where('intent', '=', intent).executeTakeFirst();
}

/**
 * Handles a client's report that an order is paid: asks the provider whether the payment succeeded. `modifiedCount` is 0
 * if the order was already paid with this transaction. Throws 409 if the payment belongs to another order, has not succeeded or is
 * being refunded, 404 if the order has been deleted in the meantime, 429 above the limit on calls to the provider, and 503 if
 * the provider is unreachable.
 */
export async function confirmPayment(
  shop: Shop,
  viewer: SessionUser,
  order: OrderRow,
  transactionId: string,
): Promise<z.output<typeof versionedCount>> {
  if (isPaid(order)) {
    if (order.transaction_id === transactionId) return { modifiedCount: 0, version: order.version };
    const detail = 'This order was paid by another payment. If this one was charged, it will be refunded.';
    throw new ShopError('already_paid', detail);
  }
  const { db } = shop.database;
  const payment = await findPaymentByIntent(db, transactionId);
  if (payment?.order_id !== order.purchase_id)
    throw new ShopError('payment_mismatch', 'That payment does not belong to this order.');
  await countProviderCall(shop, viewer);
  const becamePaid = await settlePayment(shop, payment, await shop.provider.getIntent(transactionId));
  const current = await findOrder(db, order.id);
  if (current?.transaction_id === transactionId)
    return { modifiedCount: becamePaid ? 1 : 0, version: current.version };
  const state = (await findPaymentByIntent(db, transactionId))?.state;
  const refundNote = state === 'refund_due' || state === 'refunded' ? 'This payment is being refunded.' : '';
  if (!current) throw new ShopError('not_found', `This order no longer exists. ${refundNote}`.trim());
  if (refundNote)
    throw new ShopError('conflict', `This payment could not be applied to the order. ${refundNote}`);
  throw new ShopError('not_paid', 'According to the payment provider, this payment has not succeeded.');
}

/**
 * Updates a payment and the orders of its purchase to match `intent`, just fetched from the provider: the only way an order
 * becomes paid. Repeated, simultaneous and out-of-order calls are harmless: one conditional statement lets the purchase
 * accept one success, and every other success is refunded. Returns whether this call made the orders paid.
 */
export async function settlePayment(shop: Shop, payment: PaymentRow, intent: Intent): Promise<boolean> {
  if (intent.status === 'canceled') {
    const changed = await changePayment(shop.database.db, payment.id, ['open'], { state: 'cancelled' });
    if (changed) shop.countEvent('payment cancelled');
  }
  if (intent.status !== 'succeeded') return false;
  const fields = { order: payment.order_id, intent: intent.id };
  const state = await shop.database.transaction((tx) => acceptSuccess(shop, tx, payment, intent));
  if (state === 'paid') {
    shop.countEvent('payment paid');
    shop.recordTime('paid');
    shop.log.info(fields, 'order paid');
  } else if (state === 'refund_due') {
    shop.countEvent('payment refund due');
    shop.log.warn(fields, 'a payment succeeded without an unpaid order; refunding it');
    await refundPayment(shop, { ...payment, intent: intent.id, state }).catch((error: unknown) =>
      shop.log.warn({ intent: intent.id, error }, 'the refund failed; the next reconciliation tries again'),
    );
  }
  return state === 'paid';
}

/** Returns the payment's new state; undefined if its success had already been recorded. */
async function acceptSuccess(
  shop: Shop,
  tx: Tx,
  { id, order_id, amount, currency }: PaymentRow,
  intent: Intent,
): Promise<'paid' | 'refund_due' | undefined> {
  // `order_id` is the purchase's id. Another success for this purchase waits for this lock.
  await lockPurchase(tx, shop.database.engine, order_id);
  // Set the payment to `refund_due` until the purchase accepts it. A refunded payment stays refunded. The intent's id is
  // missing if the order was deleted before the provider responded.
  const success = { state: 'refund_due', intent: intent.id } as const;
  if (!(await changePayment(tx, id, ['open', 'cancelled'], success))) return undefined;
  // The amounts of the purchase, the payment and the intent must agree.
  const purchase = await tx
    .updateTable('purchase')
    .set({ status: 'paid', transaction_id: intent.id, paid_at: Date.now(), version: nextVersion })
    .where('id', '=', order_id)
    // A purchase that names this intent already is paid by it, although its payment says otherwise: rows were edited by hand.
    .where((eb) => eb.or([eb('status', '=', ''), eb('transaction_id', '=', intent.id)]))
    .where('total', '=', amount)
    .where('total', '=', intent.amount_received)
    .where('currency', '=', currency)
    .where('currency', '=', intent.currency.toUpperCase())
    .returning('user_id')
    .executeTakeFirst();
  if (!purchase) return 'refund_due';
  await tx
    .updateTable('order_line')
    .set({ status: 'paid' })
    .where('purchase_id', '=', order_id)
    .where('status', '=', '')
    .execute();
  await changePayment(tx, id, ['refund_due'], { state: 'paid' });
  await queueOrderPaid(shop, tx, { id: order_id, userId: purchase.user_id });
  return 'paid';
}

/** Returns whether the payment was in one of the states `from`. */
async function changePayment(
  db: Db | Tx,
  id: string,
  from: PaymentRow['state'][],
  to: Partial<Pick<PaymentRow, 'state' | 'intent'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment')
    .set(to)
    .where('id', '=', id)
    .where('state', 'in', from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
