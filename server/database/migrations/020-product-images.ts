import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/**
 * A product's images after its first, which stays in `product.image`: the previous release reads and writes that column. They
 * have a table instead of a list in a column because unused images are found by their URL.
 */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('further_image')
    // The previous release deletes products, too.
    .addColumn('product_id', 'text', (c) => c.notNull().references('product.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (c) => c.notNull().check(sql`position between 1 and 7`))
    .addColumn('url', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('further_image_key', ['product_id', 'position'])
    .execute();
  await db.schema.createIndex('further_image_url').on('further_image').column('url').execute();
}
