import { queueOrderRefunded, queueRefundFailed } from '../../mail/queue.ts';
import { listRefunds, type Refund, type RefundRow } from '../../orders/refund-rows.ts';
import { removeRest } from '../../orders/removed-pieces.ts';
import { lockSubjects } from '../../orders/subjects.ts';
import type { Shop } from '../../shop.ts';
import { requireOwnAccount } from '../account.ts';
import { isUnknownObject } from '../stripe-client.ts';
import { addRefund, assignLater, isRefused, type PaidPurchase } from './found-refunds.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { reportRefund } from './report.ts';
import { advancePurchase, restock, type SyncState } from './sync-state.ts';
import { updateRefund } from './update-refund.ts';

/**
 * All refunds of a payment at the provider, newest first. None if the payment was made with our account, but the provider does not
 * know it. Throws 503 if the payment was made with another account, or if the provider does not list the refunds for another
 * reason.
 */
export async function listReportedRefunds(
  shop: Shop,
  { paymentId, intent }: PaidPurchase,
): Promise<ProviderRefund[]> {
  try {
    return await shop.provider.listRefunds(intent);
  } catch (error) {
    if (!isUnknownObject(error)) throw error;
    const { account } = await shop.database.db
      .selectFrom('payment')
      .select('account')
      .where('id', '=', paymentId)
      .executeTakeFirstOrThrow();
    await requireOwnAccount(shop, { intent, account }, error);
    return [];
  }
}

/**
 * Updates the refunds of a purchase to match the provider's, and adds the refunds that were made there. Idempotent. Throws 503 if
 * the provider is unreachable.
 */
export async function syncRefunds(shop: Shop, purchase: PaidPurchase): Promise<void> {
  const reported = await listReportedRefunds(shop, purchase);
  const { changed, hasRestocked } = await shop.database.transaction(async (tx) => {
    const orders = await lockSubjects(tx, shop.database.engine, purchase.purchaseId);
    const list = () => listRefunds(tx, { payment_id: purchase.paymentId });
    let refunds = await list();
    const state: SyncState = {
      tx,
      orders: new Map(orders.map((order) => [order.id, order])),
      restocked: [],
      money: 0,
      unassigned: 0,
      isChanged: false,
    };
    const changed: Refund[] = [];
    /** Refunds that have failed after the customer got a message about their success. */
    const failedLater: Refund[] = [];
    // Oldest first, in the order in which people made them. The map leaves out duplicates: a refund that is listed twice would
    // count twice.
    for (const refund of new Map(reported.toReversed().map((one) => [one.id, one])).values()) {
      // Each refund may have changed the refund that it replaces, or the refund that replaces it.
      if (changed.length > 0) refunds = await list();
      const known = refunds.find((row) => isSameRefund(shop, row, refund));
      const current =
        known && !isRefused(known) ? known : await addRefund(shop, state, purchase, refund, known);
      const updated = await updateRefund(shop, state, current, refund);
      if (updated) changed.push(updated);
      if (updated && current.status === 'succeeded') failedLater.push(updated);
    }
    for (const refund of refunds)
      if (!changed.some(({ id }) => id === refund.id)) await assignLater(shop, state, refund, reported);
    for (const order of state.orders.values()) {
      const after = await removeRest(tx, order);
      if (after !== order) state.isChanged = true;
    }
    await restock(shop, state);
    await advancePurchase(state, purchase.purchaseId);
    const [order] = orders;
    for (const { id, status } of changed)
      if (order && status === 'succeeded') await queueOrderRefunded(shop, tx, { id, userId: order.user_id });
    for (const { id } of failedLater)
      if (order) await queueRefundFailed(shop, tx, { id, userId: order.user_id });
    return { changed, hasRestocked: state.restocked.length > 0 };
  });
  if (hasRestocked) shop.invalidateCache();
  for (const refund of changed) reportRefund(shop, refund);
}

/** Whether a refund that the provider lists is this one. While the provider's id of the refund is unknown, the metadata decide. */
export function isSameRefund(shop: Shop, row: RefundRow, { id, metadata }: ProviderRefund): boolean {
  if (row.provider_id !== null) return row.provider_id === id;
  return metadata?.shop === shop.id && metadata.refund === row.id;
}
