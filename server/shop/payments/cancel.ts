import { ShopError } from '../../../contract/errors.ts';
import type { Shop } from '../shop.ts';
import { createIntent, isRefusal } from './create-intent.ts';
import type { PaymentRow } from './queries.ts';
import { settlePayment } from './settle.ts';

/**
 * Cancels an open payment at the provider, or settles it if it has succeeded meanwhile. Throws 409 while the payment is
 * processing, and 503 if the provider is unreachable.
 */
export async function cancelPayment(shop: Shop, payment: PaymentRow): Promise<void> {
  // Without an intent id, the provider's response was lost: the same idempotency key returns the same intent.
  const id = payment.intent ?? (await findIntent(shop, payment));
  if (!id) return;
  const intent = await shop.provider.cancelIntent(id);
  if (intent.status === 'processing') {
    throw new ShopError(
      'payment_processing',
      'A payment for this order is processing: wait until it has succeeded or failed.',
    );
  }
  await settlePayment(shop, payment, intent);
}

/** Undefined if the provider refuses to create an intent: then there is nothing to cancel. */
async function findIntent(shop: Shop, payment: PaymentRow): Promise<string | undefined> {
  try {
    return (await createIntent(shop, payment))?.id;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
