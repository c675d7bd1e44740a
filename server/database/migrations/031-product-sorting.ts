import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Indexes for products by rating, and for those of a category by price and name. Apart from the columns of migration 030,
 * because adding a column blocks readers, too, until its transaction ends.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const name = engine === 'sqlite' ? 'lower(name)' : '(lower(name) collate "C")';
  for (const index of [
    'product_rating on product (((rating_sum + 15) * 1000 / (rating_count + 5)), id)',
    'product_category_price on product (category, price, id) where archived_at is null',
    `product_category_name on product (category, ${name}, id) where archived_at is null`,
  ])
    await sql`create index if not exists ${sql.raw(index)}`.execute(db);
}
