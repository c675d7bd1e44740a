import { sql } from 'kysely';
import { firstIdAt } from '../../database/id-range.ts';
import type { Tx } from '../../database/schema.ts';
import { noTracking } from '../orders/tracking.ts';
import { nextVersion } from '../orders/version.ts';
import type { Shop } from '../shop.ts';

/** The most purchases per run, so that a run takes only milliseconds. */
const batchSize = 500;

/* A scalar subquery, because PostgreSQL might read whole tables for a join. */
const lastRefundedAt = sql<number>`coalesce((
  select max(refund.updated_at) from refund where refund.purchase_id = purchase.id), 0)`;

/**
 * Removes what identifies the customer from the paid purchases of deleted accounts, once the law no longer requires the invoice:
 * `ORDER_RETENTION_YEARS` after the end of the year of the last payment or refund.
 */
export async function anonymizeOldOrders(
  { config, database }: Pick<Shop, 'config' | 'database'>,
  now = new Date(),
): Promise<void> {
  const before = Date.UTC(now.getUTCFullYear() - config.orderRetentionYears, 0, 1);
  await database.transaction(async (tx) => {
    const ids = await listPurchasesToAnonymize(tx, before);
    if (ids.length === 0) return;
    const changes = {
      name: '',
      address: '',
      phone: '',
      ship_to: null,
      bill_to: null,
      remark: null,
      version: nextVersion,
    };
    await tx.updateTable('purchase').set(changes).where('id', 'in', ids).execute();
    const orders = tx.selectFrom('order_line').select('id').where('purchase_id', 'in', ids);
    await tx.updateTable('refund').set({ note: '' }).where('purchase_id', 'in', ids).execute();
    await tx.updateTable('order_line').set(noTracking).where('purchase_id', 'in', ids).execute();
    await tx
      .updateTable('shipment')
      .set({ name: '', address: '', ...noTracking })
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('shipment_line').select('shipment_id').where('order_line_id', 'in', orders),
      )
      .execute();
  });
}

async function listPurchasesToAnonymize(tx: Tx, before: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('purchase')
    .select('id')
    // The condition of the index `purchase_kept`.
    .where(sql<boolean>`account_deleted_at is not null and (name <> '' or address <> '')`)
    .where('id', '<', firstIdAt(before))
    .where('paid_at', '<', before)
    .where(lastRefundedAt, '<', before)
    .orderBy('id')
    .limit(batchSize)
    .execute();
  return rows.map(({ id }) => id);
}
