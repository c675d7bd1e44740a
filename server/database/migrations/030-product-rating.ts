import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** How many visible reviews a product has, and the sum of their stars. */
export async function up(db: Kysely<Schema>): Promise<void> {
  for (const column of ['rating_count', 'rating_sum'])
    await db.schema
      .alterTable('product')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
}
