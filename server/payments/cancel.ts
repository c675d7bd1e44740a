import { ShopError } from '../errors.ts';
import type { Shop } from '../shop.ts';
import { isRefusal, makeIntent } from './intent.ts';
import type { PaymentRow } from './queries.ts';
import { settle } from './settle.ts';

/**
 * Cancels an open payment at the provider, or settles it where its money has come meanwhile. Throws 409 while
 * the money is on its way, 503 where the provider is out of reach.
 */
export async function cancelPayment(shop: Shop, payment: PaymentRow): Promise<void> {
  // No id yet: an answer of the provider was lost. Asking again with the same key gives the same intent.
  const id = payment.intent ?? (await findIntent(shop, payment));
  if (!id) return;
  const intent = await shop.provider.cancelIntent(id);
  if (intent.status === 'processing') {
    throw new ShopError(
      'payment_processing',
      'A payment of this order is on its way: wait until it has come or failed.',
    );
  }
  await settle(shop, payment, intent);
}

/** Undefined where the provider refuses to make one: then there is nothing to cancel. */
async function findIntent(shop: Shop, payment: PaymentRow): Promise<string | undefined> {
  try {
    return (await makeIntent(shop, payment))?.id;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}
