import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/**
 * How many pieces a refund is for. Null if unknown, as for refunds made earlier, by the previous release or at the provider:
 * such a refund counts the pieces that it returned to stock.
 */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('refund').addColumn('quantity', 'bigint').execute();
}
