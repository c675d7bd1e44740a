import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import type { Shop } from '../shop.ts';
import { expirePurchase } from './end-order.ts';
import { getIntent } from './intents.ts';
import { refundPayment } from './refunds.ts';
import { type PaymentRow, settlePayment } from './settle.ts';

const batchSize = 100;

/**
 * Settles every unfinished payment with the provider, makes refunds that are due, and ends holds that have run out. A
 * failure is logged and left to the next run. `signal` stops it between two payments.
 */
export async function reconcilePayments(shop: Shop, signal?: AbortSignal): Promise<void> {
  const { db } = shop.database;
  for (let after = ''; ; ) {
    const payments = await db
      .selectFrom('payment')
      .selectAll()
      // Here and below, literals match the condition of a partial index.
      .where('state', 'in', sql<'open' | 'refund_due'>`('open', 'refund_due')`)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    for (const payment of payments) {
      if (signal?.aborted) return;
      await attempt(shop, { payment: payment.id }, () => reconcilePayment(shop, payment));
      after = payment.id;
    }
    if (payments.length < batchSize) break;
  }
  // Only one batch per run: purchases that cannot be ended stay overdue, and a loop until none is left would not end.
  const overdue = await db
    .selectFrom('orders')
    .select('purchase_id')
    .where('status', '=', sql.lit(''))
    .where('hold_until', '<', Date.now())
    .orderBy('hold_until')
    .limit(batchSize * 10)
    .execute();
  for (const id of new Set(overdue.map(({ purchase_id }) => purchase_id))) {
    if (signal?.aborted) return;
    await attempt(shop, { purchase: id }, () => expirePurchase(shop, id));
  }
}

async function reconcilePayment(shop: Shop, payment: PaymentRow): Promise<void> {
  if (payment.state === 'refund_due') return refundPayment(shop, payment);
  // Without an intent id, the provider's response was lost, or the request is still running. Wait a minute before
  // retrying. A time in the future means that the clock has been set back.
  if (!payment.intent && Math.abs(payment.created_at - Date.now()) < 60_000) return;
  const intent = await getIntent(shop, payment);
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
    const level = error instanceof ShopError ? 'info' : 'error';
    shop.log[level]({ ...fields, error }, 'reconciliation failed; the next run tries again');
  }
}
