import { ShopError } from '../errors.ts';
import { endUnpaidOrder } from '../orders/end.ts';
import { selectOverdue } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { makeIntent } from './intent.ts';
import { type PaymentRow, selectUnfinished } from './queries.ts';
import { refund } from './refund.ts';
import { settle } from './settle.ts';

const batch = 100;

/**
 * The periodic look: asks the provider about every payment that is not finished, refunds what is due, and
 * ends the holds that are over. What fails is logged and left to the next look; `signal` ends it between two.
 */
export async function lookAtPayments(shop: Shop, signal?: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const payments = await selectUnfinished(shop.database.db, after, batch);
    for (const payment of payments) {
      if (signal?.aborted) return;
      await attempt(shop, { payment: payment.id }, () => lookAt(shop, payment));
      after = payment.id;
    }
    if (payments.length < batch) break;
  }
  // Those that cannot be ended now stay overdue, so one batch a look, or it would never end.
  for (const order of await selectOverdue(shop.database.db, Date.now(), batch * 10)) {
    if (signal?.aborted) return;
    await attempt(shop, { order: order.id }, () => endUnpaidOrder(shop, order.id, 'expire'));
  }
}

async function lookAt(shop: Shop, payment: PaymentRow): Promise<void> {
  if (payment.state === 'refund_due') return refund(shop, payment);
  // Without an id the provider's answer was lost, or is on its way to the page that asked; a time far ahead is one
  // of before the clock was set back.
  if (!payment.intent && Math.abs(payment.created_at - Date.now()) < 60_000) return;
  const intent = payment.intent
    ? await shop.provider.getIntent(payment.intent)
    : await makeIntent(shop, payment);
  if (intent) await settle(shop, payment, intent);
}

async function attempt(
  shop: Shop,
  about: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const expected = error instanceof ShopError;
    shop.log[expected ? 'info' : 'error'](
      { ...about, error },
      'a payment or order could not be looked after, and is left to the next look',
    );
  }
}
