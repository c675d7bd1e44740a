import type { Db } from '../../../database/schema.ts';
import type { Shop } from '../../shop.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { sendRefund } from './send.ts';
import { type PaidPurchase, syncRefunds, toStatus } from './sync.ts';

type PendingRefund = { id: string; created_at: number } & PaidPurchase;

/** The next pending refunds after the one with the id `after`. */
export function listPendingRefunds(db: Db, after: string, limit: number): Promise<PendingRefund[]> {
  return db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.payment_id')
    .select(['refund.id', 'refund.created_at', 'refund.purchase_id as purchaseId'])
    .select(['payment.id as paymentId', 'payment.intent'])
    .$narrowType<{ intent: string }>()
    .where('refund.status', '=', 'pending')
    .where('refund.id', '>', after)
    .orderBy('refund.id')
    .limit(limit)
    .execute();
}

/** Reads a pending refund from the provider, and requests it there if the first request has failed. */
export async function reconcileRefund(shop: Shop, refund: PendingRefund): Promise<void> {
  // The first request may still be running. A time in the future means that the clock was set back.
  if (Math.abs(refund.created_at - Date.now()) < 60_000) return;
  // First look for it: the provider forgets idempotency keys after a day.
  await syncRefunds(shop, refund);
  await sendRefund(shop, refund.id);
}

/** Lists the purchases that lack one of the provider's newest refunds or its current status, because a webhook was lost. */
export const listUnsyncedPurchases = async (shop: Shop): Promise<PaidPurchase[]> =>
  findUnsyncedPurchases(shop, await shop.provider.listNewestRefunds());

/** Lists the purchases that lack one of these refunds or its current status. */
export async function findUnsyncedPurchases(
  { database: { db } }: Shop,
  refunds: readonly ProviderRefund[],
): Promise<PaidPurchase[]> {
  const reported = Map.groupBy(refunds, ({ payment_intent }) => payment_intent ?? '');
  if (reported.size === 0) return [];
  const payments = await db
    .selectFrom('payment')
    .leftJoin('refund', 'refund.payment_id', 'payment.id')
    .select(['payment.id', 'payment.intent', 'payment.order_id', 'refund.provider_id', 'refund.status'])
    .where('payment.intent', 'in', [...reported.keys()])
    .where('payment.state', '=', 'paid')
    .execute();
  return [...Map.groupBy(payments, (row) => row.intent)].flatMap(([intent, rows]) => {
    const isSynced = (reported.get(intent ?? '') ?? []).every((refund) =>
      rows.some((row) => row.provider_id === refund.id && row.status === toStatus(refund)),
    );
    const [first] = rows;
    if (!intent || !first || isSynced) return [];
    return { intent, purchaseId: first.order_id, paymentId: first.id };
  });
}
