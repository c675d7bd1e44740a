import type { Tx } from '../../../database/schema.ts';
import { nextVersion } from '../../orders/version.ts';

/** The amount that the bank has taken back, in minor units. */
export const getLost = ({ status, amount }: { status: string; amount: number }): number =>
  status === 'lost' ? amount : 0;

type PaidPurchase = { purchaseId: string; intent: string };

/**
 * The orders of a purchase whose dispute was lost are not to ship, until the bank decides otherwise. A dispute of a payment that has
 * not paid the purchase changes nothing, unless that payment is accepted later (`addEarlierChargebacks`).
 */
export async function addChargedBack(
  tx: Tx,
  { purchaseId, intent }: PaidPurchase,
  amount: number,
): Promise<void> {
  const purchase = await tx
    .updateTable('purchase')
    .set((eb) => ({ charged_back: eb('charged_back', '+', amount), version: nextVersion }))
    .where('id', '=', purchaseId)
    .where('transaction_id', '=', intent)
    .returning('charged_back')
    .executeTakeFirst();
  if (purchase)
    await tx
      .updateTable('order_line')
      .set({ is_charged_back: purchase.charged_back > 0 ? 1 : 0 })
      .where('purchase_id', '=', purchaseId)
      .execute();
}

/** Adds the disputes that were lost before the payment paid this purchase. */
export async function addEarlierChargebacks(tx: Tx, purchase: PaidPurchase): Promise<void> {
  const disputes = await tx
    .selectFrom('dispute')
    .select(['status', 'amount'])
    .where('purchase_id', '=', purchase.purchaseId)
    .where('intent', '=', purchase.intent)
    .execute();
  const lost = disputes.reduce((sum, dispute) => sum + getLost(dispute), 0);
  if (lost > 0) await addChargedBack(tx, purchase, lost);
}
