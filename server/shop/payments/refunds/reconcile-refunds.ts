import type { Db } from '../../../database/schema.ts';
import { isNotAutomatic } from '../../orders/refund-rows.ts';
import type { Shop } from '../../shop.ts';
import type { PaidPurchase } from './found-refunds.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { sendRefund } from './send.ts';
import { syncRefunds } from './sync.ts';
import { toStatus } from './update-refund.ts';

type PendingRefund = { id: string; created_at: number } & PaidPurchase;

/** The next pending refunds after the one with the id `after`, without automatic refunds. */
export function listPendingRefunds(db: Db, after: string, limit: number): Promise<PendingRefund[]> {
  return db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.payment_id')
    .select(['refund.id', 'refund.created_at', 'refund.purchase_id as purchaseId'])
    .select(['payment.id as paymentId', 'payment.intent'])
    .$narrowType<{ intent: string }>()
    .where('refund.status', '=', 'pending')
    .where(isNotAutomatic)
    .where('refund.id', '>', after)
    .orderBy('refund.id')
    .limit(limit)
    .execute();
}

/** Reads a pending refund from the provider, and requests it there if the first request has failed. */
export async function reconcileRefund(shop: Shop, refund: PendingRefund): Promise<void> {
  // The first request may still be running. A time in the future means that the clock was set back.
  if (Math.abs(refund.created_at - Date.now()) < 60_000) return;
  // Look for the refund first: the provider forgets idempotency keys after a day.
  await syncRefunds(shop, refund);
  await sendRefund(shop, refund.id);
}

/** Lists the purchases in which one of the provider's newest refunds is missing or outdated, because a webhook was lost. */
export const listUnsyncedPurchases = async (shop: Shop): Promise<PaidPurchase[]> =>
  findUnsyncedPurchases(shop, await shop.provider.listNewestRefunds());

/** Lists the purchases in which one of these refunds is missing or outdated. */
export async function findUnsyncedPurchases(
  { database: { db } }: Shop,
  refunds: readonly ProviderRefund[],
): Promise<PaidPurchase[]> {
  const reported = Map.groupBy(refunds, ({ payment_intent }) => payment_intent ?? '');
  if (reported.size === 0) return [];
  const payments = await db
    .selectFrom('payment')
    .select(['id as paymentId', 'intent', 'purchase_id as purchaseId'])
    .$narrowType<{ intent: string }>()
    .where('intent', 'in', [...reported.keys()])
    .where('state', '=', 'paid')
    .execute();
  const known = await db
    .selectFrom('refund')
    .select(['provider_id', 'status'])
    .where(
      'provider_id',
      'in',
      refunds.map(({ id }) => id),
    )
    .execute();
  const statusOf = new Map(known.map(({ provider_id, status }) => [provider_id, status]));
  return payments.filter(({ intent }) =>
    reported.get(intent)?.some((refund) => statusOf.get(refund.id) !== toStatus(refund)),
  );
}
