import { sql } from 'kysely';
import { listRefunds, type Refund } from '../../orders/refund-rows.ts';
import { lockSubjects } from '../../orders/subjects.ts';
import { advanceVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { changeCounters } from './counters.ts';
import { reportRefund } from './report.ts';

/**
 * Ends a refund that the provider has refused. Its amount is not refunded, and its pieces can be shipped again. If the rest of the
 * order has been shipped without these pieces meanwhile, they stay removed, and the shop owes the amount.
 */
export async function refuseRefund(shop: Shop, refund: Refund, failure: string): Promise<void> {
  const isRefused = await shop.database.transaction(async (tx) => {
    const subjects = await lockSubjects(tx, shop.database.engine, refund.purchase_id);
    // Read the lines again: taking a parcel back may have changed them.
    const [current] = await listRefunds(tx, { id: refund.id });
    const { numUpdatedRows } = await tx
      .updateTable('refund')
      .set({ status: 'failed', failure, updated_at: Date.now() })
      .where('id', '=', refund.id)
      .where('status', '=', 'pending')
      .where('provider_id', 'is', null)
      .executeTakeFirst();
    if (!current || numUpdatedRows === 0n) return false;
    await tx.updateTable('refund_line').set({ restock: 0 }).where('refund_id', '=', refund.id).execute();
    for (const { id, subject_id, amount, quantity, removed } of current.lines) {
      const order = subjects.find((one) => one.id === subject_id);
      if (!order) continue;
      const money = { refunded: -amount, refund_pending: -amount };
      if (removed > 0 && order.status === 'sipping') {
        await changeCounters(tx, order, { ...money, owed: amount });
        continue;
      }
      if (removed > 0) await tx.updateTable('refund_line').set({ removed: 0 }).where('id', '=', id).execute();
      await changeCounters(tx, order, { ...money, removed: -removed, refunded_quantity: -(quantity ?? 0) });
    }
    await advanceVersion(tx, refund.purchase_id, { refunded: sql<number>`refunded - ${refund.amount}` });
    return true;
  });
  if (isRefused) reportRefund(shop, { ...refund, status: 'failed', failure });
}
