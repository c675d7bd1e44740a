import type { ExpressionBuilder, Selectable } from 'kysely';
import type { z } from 'zod';
import { ShopError } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { Db, Schema, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import type { ArrivalPromise } from '../delivery/dates.ts';
import { promiseArrival } from '../delivery/promise.ts';
import { queueOrderPaid } from '../mail/queue.ts';
import { isPaid } from '../orders/orders.ts';
import { toLines } from '../orders/purchases.ts';
import { findOrder, listPurchaseOrders, lockPurchase, type OrderRow } from '../orders/queries.ts';
import { nextVersion } from '../orders/version.ts';
import { takePaidStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { countProviderCall } from './call-limit.ts';
import type { Intent } from './provider.ts';
import { sumLost } from './refunds/charged-back.ts';
import { addAutomaticRefund, refundPayment } from './refunds/payment-refunds.ts';

export type PaymentRow = Selectable<Schema['payment']>;

export function findPaymentByIntent(db: Db, intent: string): Promise<PaymentRow | undefined> {
  return db.selectFrom('payment').selectAll().where('intent', '=', intent).executeTakeFirst();
}

/**
 * Handles a client's report that an order is paid: asks the provider whether the payment succeeded. `modifiedCount` is 0 if the
 * order was already paid with this transaction. Throws 404 if the order has been deleted in the meantime, 409 if the payment
 * belongs to another order, has not succeeded or is being refunded, 429 above the limit on calls to the provider, and 503 if the
 * provider is unreachable.
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
  if (payment?.purchase_id !== order.purchase_id)
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
  if (state === 'undecided') throw new ShopError('conflict', foundLate);
  throw new ShopError('not_paid', 'According to the payment provider, this payment has not succeeded.');
}

const foundLate =
  'This payment was found after the reservation of the order had ended. We will either send the order or refund you in full.';

/**
 * Updates a payment and the orders of its purchase to match `intent`, which was just fetched from the provider. This is the only
 * way an order becomes paid. Returns whether this call made the orders paid.
 *
 * Repeated, simultaneous and out-of-order calls are harmless: one conditional statement makes the purchase accept one successful
 * payment, and every other successful payment is refunded. An expired purchase accepts a payment that was made in time, if its
 * stock can be taken again. Otherwise an admin decides (`late-payments.ts`).
 */
export async function settlePayment(shop: Shop, payment: PaymentRow, intent: Intent): Promise<boolean> {
  if (intent.status === 'canceled') {
    const changed = await changePayment(shop.database.db, payment.id, ['open'], { state: 'cancelled' });
    if (changed) shop.countEvent('payment cancelled');
  }
  if (intent.status !== 'succeeded') return false;
  const fields = { order: payment.purchase_id, intent: intent.id };
  const promise = await promiseArrival(shop, payment.purchase_id);
  const accept = (chargedAt?: number) =>
    shop.database.transaction((tx) => acceptSuccess(shop, tx, { payment, intent, promise, chargedAt }));
  let state = await accept();
  const wasExpired = state === 'expired';
  if (wasExpired) state = await accept(await shop.provider.getChargeTime(intent));
  if (state === 'paid') {
    shop.countEvent('payment paid');
    shop.recordTime('paid');
    shop.log.info(fields, 'order paid');
    // The order has taken its stock again.
    if (wasExpired) shop.invalidateCache();
  } else if (state === 'undecided') {
    shop.log.warn(fields, 'a payment of an expired order was found, but its stock is gone: an admin decides');
  } else if (state === 'refund_due') {
    shop.countEvent('payment refund due');
    shop.log.warn(fields, 'a payment succeeded without an unpaid order; refunding it');
    await refundPayment(shop, { id: payment.id, intent: intent.id }).catch((error: unknown) =>
      shop.log.warn({ intent: intent.id, error }, 'the refund failed; the next reconciliation tries again'),
    );
  }
  return state === 'paid';
}

type Success = {
  payment: PaymentRow;
  intent: Intent;
  promise: ArrivalPromise | undefined;
  /** When the payment was charged, in milliseconds; undefined if not yet known. */
  chargedAt: number | undefined;
};

/** States of a payment whose success has not been recorded. */
const unsettled = ['open', 'cancelled'] as const;

/**
 * Returns the payment's new state, or undefined if its success had already been recorded. For an expired purchase, the state
 * depends on when the payment was charged: without `chargedAt`, returns `expired` and changes nothing.
 */
async function acceptSuccess(
  shop: Shop,
  tx: Tx,
  { payment, intent, promise, chargedAt }: Success,
): Promise<'paid' | 'undecided' | 'refund_due' | 'expired' | undefined> {
  // Another successful payment for this purchase waits for this lock.
  await lockPurchase(tx, shop.database.engine, payment.purchase_id);
  // The amounts of the purchase, the payment and the intent must agree.
  const isInFull =
    payment.amount === intent.amount_received && payment.currency === intent.currency.toUpperCase();
  // The intent's id is missing if the order was deleted before the provider responded.
  const success = { ...payment, intent: intent.id };
  if (isInFull && (await payPurchase(shop, tx, success, { purchase: '', payment: unsettled, promise })))
    return 'paid';
  const expired = isInFull ? await findExpired(tx, payment) : undefined;
  if (expired && chargedAt === undefined) return 'expired';
  const wasInTime = expired !== undefined && chargedAt !== undefined && chargedAt <= expired.hold_until;
  if (wasInTime) {
    const lines = toLines(await listPurchaseOrders(tx, { id: payment.purchase_id }));
    if (await takePaidStock(shop, tx, lines, { reason: 'late_payment' })) {
      await payPurchase(shop, tx, success, { purchase: 'expired', payment: unsettled, promise });
      return 'paid';
    }
  }
  const state = wasInTime ? 'undecided' : 'refund_due';
  const isChanged = await changePayment(tx, payment.id, unsettled, { state, intent: intent.id });
  if (!isChanged) return undefined;
  if (state === 'refund_due')
    await addAutomaticRefund(tx, {
      ...payment,
      amount: intent.amount_received,
      currency: intent.currency.toUpperCase(),
    });
  return state;
}

/** For a query of `purchase`: selects the purchase of a payment, if the payment is in one of these states and the amounts agree. */
const isFor =
  ({ id, purchase_id, amount, currency }: PaymentRow, states: readonly PaymentRow['state'][]) =>
  (eb: ExpressionBuilder<Schema, 'purchase'>) =>
    eb.and([
      eb('purchase.id', '=', purchase_id),
      eb('total', '=', amount),
      eb('currency', '=', currency),
      eb.exists(
        eb
          .selectFrom('payment')
          .select('payment.id')
          .where('payment.id', '=', id)
          .where('state', 'in', states),
      ),
    ]);

/** The expired purchase of a payment whose success has not been recorded. */
const findExpired = (tx: Tx, payment: PaymentRow) =>
  tx
    .selectFrom('purchase')
    .select('hold_until')
    .where(isFor(payment, unsettled))
    .where('status', '=', 'expired')
    .executeTakeFirst();

/**
 * Marks a purchase and its orders as paid by a payment, if their states are these and the amounts agree, and stores what is promised.
 * Returns whether it did. The caller has locked the purchase and, if the purchase has expired, taken its stock again. Throws 409 if
 * the payment changes despite the lock.
 */
export async function payPurchase(
  shop: Shop,
  tx: Tx,
  payment: PaymentRow,
  {
    promise,
    ...from
  }: {
    purchase: '' | 'expired';
    payment: readonly PaymentRow['state'][];
    promise: ArrivalPromise | undefined;
  },
): Promise<boolean> {
  const { purchase_id, intent } = payment;
  const purchase = await tx
    .updateTable('purchase')
    .set((eb) => ({
      status: 'paid',
      transaction_id: intent,
      paid_at: Date.now(),
      // The bank may have taken the payment back before the shop learned that it had succeeded.
      charged_back: sumLost(eb, { purchaseId: purchase_id, intent }),
      arrives_from: promise?.from ?? null,
      arrives_to: promise?.to ?? null,
      send_by: promise?.sendBy ?? null,
      version: nextVersion,
    }))
    .where(isFor(payment, from.payment))
    // A purchase that already names this intent was paid by it. Its payment says otherwise only if someone edited the rows by hand.
    .where((eb) => eb.or([eb('status', '=', from.purchase), eb('transaction_id', '=', intent)]))
    .returning(['user_id', 'charged_back'])
    .executeTakeFirst();
  if (!purchase) return false;
  await tx
    .updateTable('order_line')
    .set({ status: 'paid', is_charged_back: purchase.charged_back > 0 ? 1 : 0 })
    .where('purchase_id', '=', purchase_id)
    .where('status', '=', from.purchase)
    .execute();
  if (!(await changePayment(tx, payment.id, from.payment, { state: 'paid', intent })))
    throw new ShopError('conflict', 'This payment has changed in the meantime. Try again.');
  await queueOrderPaid(shop, tx, { id: purchase_id, userId: purchase.user_id });
  return true;
}

/** Returns whether the payment was in one of the states `from`. */
export async function changePayment(
  db: Db | Tx,
  id: string,
  from: readonly PaymentRow['state'][],
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
