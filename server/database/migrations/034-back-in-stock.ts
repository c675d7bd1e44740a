import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/**
 * The users who are waiting for a sold-out product. A deleted product has no foreign key: deleting a hundred thousand
 * requests with it would take long, so the periodic work does that in batches.
 */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('back_in_stock')
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('asked_at', 'bigint', (c) => c.notNull())
    // The same in all requests of a user. It is in the link that ends them.
    .addColumn('stop_token', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('back_in_stock_key', ['user_id', 'product_id'])
    .execute();
  await db.schema
    .createIndex('back_in_stock_product')
    .on('back_in_stock')
    .columns(['product_id', 'asked_at', 'user_id'])
    .execute();
  await db.schema.createIndex('back_in_stock_token').on('back_in_stock').column('stop_token').execute();
}
