import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/**
 * How many pieces a refund is for. Unknown (null) for refunds made earlier, by the previous release or at the provider, except
 * for the pieces that they returned to stock.
 */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('refund').addColumn('quantity', 'bigint').execute();
}
