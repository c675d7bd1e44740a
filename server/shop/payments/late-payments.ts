import { sql } from 'kysely';
import type { z } from 'zod';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { versionedCount } from '../../../contract/fields.ts';
import type { lateSettlement } from '../../../contract/orders/unknown-payments.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { ArrivalPromise } from '../delivery/dates.ts';
import { promiseArrival } from '../delivery/promise.ts';
import { toLines } from '../orders/purchases.ts';
import { lockPurchase, lockPurchaseOrders, type OrderRow } from '../orders/queries.ts';
import { getVersion, requireVersion } from '../orders/version.ts';
import { findProducts } from '../products/products.ts';
import { takePaidStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { addAutomaticRefund, refundPayment } from './refunds/payment-refunds.ts';
import { syncRefunds } from './refunds/sync.ts';
import { changePayment, findPaymentByIntent, type PaymentRow, payPurchase } from './settle.ts';

/*
 * A late payment succeeded before the hold of its purchase ended, but was found afterwards, when the stock was gone: an admin
 * accepts or refunds it. This happens only after a restore or lost commits.
 */

const undecided = ['undecided'] as const;

/** The late payments that await a decision. The state is a literal, to match the condition of the partial index. */
export const selectUndecided = (db: Db) => db.selectFrom('payment').where('state', '=', sql.lit('undecided'));

/** The late payments that await a decision, with the numbers of their purchases. */
export async function listLatePayments(db: Db) {
  return (
    selectUndecided(db)
      .innerJoin('purchase', 'purchase.id', 'payment.purchase_id')
      .select([
        'intent',
        'payment.amount',
        'payment.currency',
        'purchase_id',
        'payment.created_at',
        'purchase.number',
      ])
      // Always true: makes the engine choose the partial index.
      .where('payment.purchase_id', '>', '')
      .execute()
  );
}

/**
 * Accepts or refunds a late payment. Accepting it takes the stock of all products that are not deleted, and makes the purchase
 * paid. Throws 404 if the purchase is gone; 409 if the payment was decided otherwise or refunded in full at the provider, or if the
 * purchase has changed, is paid by another payment, or lacks stock; 503 if the provider is unreachable.
 */
export async function settleLatePayment(
  shop: Shop,
  found: PaymentRow,
  { outcome, version }: z.output<typeof lateSettlement>,
  actor: SessionUser,
): Promise<z.output<typeof versionedCount>> {
  const { database } = shop;
  const { intent: intentId, purchase_id: purchaseId } = found;
  // The shop may not know of the payment's refund at the provider, because a webhook was lost.
  if (outcome === 'accepted' && found.state === 'undecided') await recordRefundOfLate(shop, found);
  const promise = outcome === 'accepted' ? await promiseArrival(shop, purchaseId) : undefined;
  const changed = await database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, database.engine, purchaseId);
    // Another admin may have decided in the meantime.
    const payment = intentId === null ? undefined : await findPaymentByIntent(tx, intentId);
    const [first] = orders;
    if (!payment || !first) throw notFound('payment');
    if (isDecided(payment, outcome)) return undefined;
    if (payment.state !== 'undecided') throw new ShopError('conflict', explainState(payment));
    requireVersion(first.version, version);
    if (outcome === 'accepted') await acceptLate(shop, tx, { payment, promise }, orders);
    else await makeRefundDue(tx, payment, actor);
    await writeAudit(tx, {
      ...toActor(actor),
      action: outcome === 'accepted' ? 'acceptPayment' : 'refundPayment',
      target: first.id,
      name: first.product_name,
    });
    return payment;
  });
  if (changed) await finish(shop, changed, outcome);
  return { modifiedCount: changed ? 1 : 0, version: await getVersion(database.db, purchaseId) };
}

const isDecided = ({ state }: PaymentRow, outcome: 'accepted' | 'refunded'): boolean =>
  outcome === 'accepted' ? state === 'paid' : state === 'refund_due' || state === 'refunded';

const explainState = ({ state }: PaymentRow): string =>
  state === 'paid'
    ? 'This payment has been accepted.'
    : 'This payment has been refunded, or is being refunded.';

async function acceptLate(
  shop: Shop,
  tx: Tx,
  { payment, promise }: { payment: PaymentRow; promise: ArrivalPromise | undefined },
  orders: readonly OrderRow[],
): Promise<void> {
  // A deleted product has no stock to take. The admin refunds its order, or sends the pieces that are left.
  const products = await findProducts(
    tx,
    orders.map(({ product_id }) => product_id),
  );
  const lines = toLines(orders.filter(({ product_id }) => products.has(product_id)));
  if (!(await takePaidStock(shop, tx, lines, { reason: 'late_payment' }))) {
    const missing = orders.filter(({ product_id, quantity }) => {
      const product = products.get(product_id);
      return product && product.available < quantity;
    });
    const names = missing.map(({ product_name }) => product_name).join(', ');
    const detail = `There is not enough stock of: ${names}. Record a delivery first, or refund the payment.`;
    throw new ShopError('out_of_stock', detail);
  }
  if (await payPurchase(shop, tx, payment, { purchase: 'expired', payment: undecided, promise })) return;
  throw new ShopError('already_paid', 'This order has been paid by another payment: refund this one.');
}

/** Completes a committed decision, with calls to the provider. If the provider fails, the periodic work tries again. */
async function finish(shop: Shop, payment: PaymentRow, outcome: 'accepted' | 'refunded'): Promise<void> {
  const { purchase_id: purchaseId, intent } = payment;
  const fields = { order: purchaseId, intent };
  try {
    if (outcome === 'accepted') {
      shop.countEvent('payment paid');
      shop.invalidateCache();
      shop.log.info(fields, 'a late payment was accepted');
      // Record the refunds that were made at the provider before the acceptance.
      if (intent) await syncRefunds(shop, { intent, purchaseId, paymentId: payment.id });
    } else {
      shop.countEvent('payment refund due');
      await refundPayment(shop, payment);
    }
  } catch (error) {
    shop.log.warn({ ...fields, error }, 'the provider failed; the next reconciliation tries again');
  }
}

/** If the whole payment was refunded at the provider, that is the decision: records it. */
export async function recordRefundOfLate(shop: Shop, payment: PaymentRow): Promise<void> {
  if (!payment.intent) return;
  const refunds = await shop.provider.listRefunds(payment.intent);
  const refunded = refunds
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((sum, { amount }) => sum + amount, 0);
  if (refunded < payment.amount) return;
  const { database } = shop;
  const isDue = await database.transaction(async (tx) => {
    await lockPurchase(tx, database.engine, payment.purchase_id);
    return makeRefundDue(tx, payment);
  });
  if (isDue) await refundPayment(shop, payment);
}

/** The caller has locked the purchase. Returns whether the payment was undecided. `actor` is the admin who decided, if one did. */
async function makeRefundDue(tx: Tx, payment: PaymentRow, actor?: SessionUser): Promise<boolean> {
  const isChanged = await changePayment(tx, payment.id, undecided, { state: 'refund_due' });
  if (isChanged) await addAutomaticRefund(tx, payment, actor);
  return isChanged;
}
