import { type ExpressionBuilder, sql } from 'kysely';
import type { Schema, Tx } from '../../../database/schema.ts';
import { nextVersion } from '../../orders/version.ts';

/** The amount that the bank has taken back, in minor units. */
export const getLost = ({ status, amount }: { status: string; amount: number }): number =>
  status === 'lost' ? amount : 0;

/**
 * Adds `amount`, which may be negative, to what the bank has taken back. The orders of a purchase with a lost dispute are not listed
 * as to ship. Changes nothing if the purchase was not paid by the disputed payment; if it is paid by that payment later, `sumLost`
 * counts the dispute.
 */
export async function addChargedBack(
  tx: Tx,
  { purchaseId, intent }: { purchaseId: string; intent: string },
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

/** In an update of `purchase`: the sum of its payment's lost disputes, in minor units. */
export const sumLost = (
  { selectFrom }: ExpressionBuilder<Schema, 'purchase'>,
  { purchaseId, intent }: { purchaseId: string; intent: string | null },
) =>
  selectFrom('dispute')
    // The status is not in the condition: PostgreSQL would read the index of all lost disputes instead of the purchase's disputes.
    .select(sql<number>`coalesce(sum(case when status = 'lost' then amount else 0 end), 0)`.as('lost'))
    .where('purchase_id', '=', purchaseId)
    .where('intent', '=', intent);
