import { uuidv7 } from 'uuidv7';
import { ShopError } from '../../../contract/errors.ts';
import { lockPurchaseOrders } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { cancelPayment, findLastPayment } from './intents.ts';
import type { Intent } from './provider.ts';
import { findPaymentByIntent, type PaymentRow } from './settle.ts';

/**
 * Adds a payment that is missing here, if its purchase waits for exactly this amount, or did when the card was charged. Otherwise
 * returns undefined: the payment would be refunded, which an admin has to decide. If the customer has opened another payment since,
 * cancels that payment first: a purchase can have only one open payment, and otherwise both could be paid.
 */
export async function addLostPayment(
  shop: Shop,
  purchaseId: string,
  intent: Intent,
): Promise<PaymentRow | undefined> {
  const account = await shop.provider.getAccountId();
  const chargedAt = await shop.provider.getChargeTime(intent);
  // A payment page may open another payment after the cancellation: cancel that one too.
  for (let attempt = 0; attempt < 5; attempt++) {
    const payment = await findOrInsertPayment(shop, purchaseId, { intent, chargedAt, account });
    if (!payment || payment.intent === intent.id) return payment;
    // The payment's row was committed, but the intent's id was lost.
    if (payment.intent === null && payment.amount === intent.amount_received) return payment;
    if (!(await cancelUnlessProcessing(shop, payment))) return undefined;
  }
  return undefined;
}

/** Returns the intent's payment or, if there is none, the purchase's open payment. If there is neither, inserts the payment. */
function findOrInsertPayment(
  shop: Shop,
  purchaseId: string,
  { intent, chargedAt, account }: { intent: Intent; chargedAt: number; account: string | null },
): Promise<PaymentRow | undefined> {
  return shop.database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, shop.database.engine, purchaseId);
    // A concurrent reconciliation or webhook may have added the payment since.
    const known = await findPaymentByIntent(tx, intent.id);
    if (known) return known;
    const currency = intent.currency.toUpperCase();
    const isPayable = orders.every(
      ({ status, hold_until, ...order }) =>
        order.currency === currency && (status === '' || (status === 'expired' && chargedAt <= hold_until)),
    );
    if (!isPayable || orders[0]?.purchase_total !== intent.amount_received) return undefined;
    const last = await findLastPayment(tx, purchaseId);
    if (last?.state === 'open') return last;
    return tx
      .insertInto('payment')
      .values({
        id: uuidv7(),
        purchase_id: purchaseId,
        attempt: (last?.attempt ?? 0) + 1,
        amount: intent.amount,
        currency,
        intent: intent.id,
        account,
        created_at: intent.created * 1000,
        state: 'open',
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Returns whether the payment has ended: cancelled, or paid in the meantime. */
async function cancelUnlessProcessing(shop: Shop, payment: PaymentRow): Promise<boolean> {
  try {
    await cancelPayment(shop, payment);
    return true;
  } catch (error) {
    if (error instanceof ShopError && error.code === 'payment_processing') return false;
    throw error;
  }
}
