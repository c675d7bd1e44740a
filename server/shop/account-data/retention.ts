import { sql } from 'kysely';
import { firstIdAt } from '../../database/id-range.ts';
import type { Tx } from '../../database/schema.ts';
import type { Shop } from '../shop.ts';

/** Highest number of orders per run, which so takes only milliseconds. */
const batchSize = 500;

/** An order of a deleted account that still names the customer. The condition of the index `orders_kept`. */
const isKept = sql<boolean>`email = '' and (user_name <> '' or address <> '')`;

/* Scalar subqueries: PostgreSQL might read whole tables for a join. */
const lastPaidAt = sql<number>`(select paid_at from purchase where purchase.id = orders.purchase_id)`;
const lastRefundedAt = sql<number>`coalesce((select max(updated_at) from refund where refund.order_id = orders.id), 0)`;

/**
 * Removes what identifies the customer from the paid orders of deleted accounts, once the law no longer requires the invoice:
 * `ORDER_RETENTION_YEARS` after the end of the year of the last payment or refund.
 */
export async function anonymizeOldOrders(
  { config, database }: Pick<Shop, 'config' | 'database'>,
  now = new Date(),
): Promise<void> {
  const before = Date.UTC(now.getUTCFullYear() - config.orderRetentionYears, 0, 1);
  await database.transaction(async (tx) => {
    const ids = await listOrdersToAnonymize(tx, before);
    if (ids.length === 0) return;
    await tx
      .updateTable('orders')
      .set({ user_name: '', address: '', carrier: null, tracking_number: null, tracking_url: null })
      .where('id', 'in', ids)
      .execute();
    await tx.updateTable('refund').set({ note: '' }).where('order_id', 'in', ids).execute();
  });
}

async function listOrdersToAnonymize(tx: Tx, before: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('orders')
    .select('id')
    .where(isKept)
    .where('id', '<', firstIdAt(before))
    .where(lastPaidAt, '<', before)
    .where(lastRefundedAt, '<', before)
    .orderBy('id')
    .limit(batchSize)
    .execute();
  return rows.map(({ id }) => id);
}
