import { ShopError } from '../../../../contract/errors.ts';
import { listRefunds } from '../../orders/refund-rows.ts';
import type { Shop } from '../../shop.ts';
import { isOwnFailure, isRefusal } from '../stripe-client.ts';
import { isRefused } from './found-refunds.ts';
import { refuseRefund } from './refuse.ts';
import { isSameRefund, listReportedRefunds, syncRefunds } from './sync.ts';

/**
 * Requests a refund from the provider, unless the provider has accepted it. Throws 402 if the provider refuses or has refused, which
 * ends the refund. Throws 503, and leaves the refund pending, if the provider is unreachable. It does the same if the provider
 * refuses but cannot list its refunds, for example because the payment was made with another account: it may have made this refund.
 */
export async function sendRefund(shop: Shop, id: string, { isReplay = false } = {}): Promise<void> {
  const [refund] = await listRefunds(shop.database.db, { id });
  if (!refund || refund.provider_id !== null) return;
  if (refund.status !== 'pending') throw new ShopError('provider_refused', refund.failure);
  const { purchase_id: purchaseId, payment_id: paymentId, intent } = refund;
  const purchase = { purchaseId, paymentId, intent };
  if (isReplay) {
    // Look for the refund first: the response to an earlier request may be lost, and its idempotency key forgotten.
    await syncRefunds(shop, purchase);
    return sendRefund(shop, id);
  }
  try {
    await shop.provider.createRefund(shop.id, refund);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // The provider may have made this refund for an earlier request whose response was lost.
    const listed = await listReportedRefunds(shop, purchase);
    if (listed.some((one) => isSameRefund(shop, refund, one))) return syncRefunds(shop, purchase);
    await refuseRefund(shop, refund, error.message);
    // The provider may have refunds that the shop does not know yet. If reading them fails, a later sync finds them.
    await syncRefunds(shop, purchase).catch(() => {});
    // The sync may have found this refund, too, if another request for it was running.
    const [current] = await listRefunds(shop.database.db, { id });
    if (!current || isRefused(current)) throw error;
    return;
  }
  await syncRefunds(shop, purchase);
}

/**
 * Sends a refund that has just been recorded. Throws 402 if the provider refuses. If the provider is unreachable, or the outcome
 * is unknown, the refund stays pending, and the next reconciliation looks for it and tries again. A replay sends the refund if it
 * is still unsent, and throws 402 if the first request was refused.
 */
export async function sendNewRefund(shop: Shop, id: string, options: { isReplay: boolean }): Promise<void> {
  await sendRefund(shop, id, options).catch((error: unknown) => {
    if (isRefusal(error)) throw error;
    shop.log[isOwnFailure(error) ? 'error' : 'warn'](
      { refund: id, error },
      'a refund could not be requested; the next reconciliation tries again',
    );
  });
}
