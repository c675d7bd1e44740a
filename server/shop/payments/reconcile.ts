import { ShopError } from '../../../contract/errors.ts';
import { listOverdueOrders } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { createIntent } from './create-intent.ts';
import { endUnpaidOrder } from './end-order.ts';
import { listUnfinishedPayments, type PaymentRow } from './queries.ts';
import { refundPayment } from './refund.ts';
import { settlePayment } from './settle.ts';

const batchSize = 100;

/**
 * The periodic reconciliation: settles every unfinished payment with the provider, makes refunds that are due, and ends
 * holds that have run out. A failure is logged and left to the next run. `signal` stops it between two payments.
 */
export async function reconcilePayments(shop: Shop, signal?: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const payments = await listUnfinishedPayments(shop.database.db, after, batchSize);
    for (const payment of payments) {
      if (signal?.aborted) return;
      await attempt(shop, { payment: payment.id }, () => reconcilePayment(shop, payment));
      after = payment.id;
    }
    if (payments.length < batchSize) break;
  }
  // Only one batch per run: orders that cannot be ended stay overdue, and a loop until none is left would not end.
  for (const order of await listOverdueOrders(shop.database.db, Date.now(), batchSize * 10)) {
    if (signal?.aborted) return;
    await attempt(shop, { order: order.id }, () => endUnpaidOrder(shop, order.id, 'expire'));
  }
}

async function reconcilePayment(shop: Shop, payment: PaymentRow): Promise<void> {
  if (payment.state === 'refund_due') return refundPayment(shop, payment);
  // Without an intent id, the provider's response was lost, or the request is still running. Wait a minute before
  // retrying. A time in the future means that the clock has been set back.
  if (!payment.intent && Math.abs(payment.created_at - Date.now()) < 60_000) return;
  const intent = payment.intent
    ? await shop.provider.getIntent(payment.intent)
    : await createIntent(shop, payment);
  if (intent) await settlePayment(shop, payment, intent);
}

async function attempt(
  shop: Shop,
  fields: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const expected = error instanceof ShopError;
    shop.log[expected ? 'info' : 'error'](
      { ...fields, error },
      'a payment or order could not be reconciled; the next run tries again',
    );
  }
}
