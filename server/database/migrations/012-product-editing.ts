import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Lets admins edit and archive products. One index serves the public list, the other that of archived products. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('product')
    .addColumn('version', 'bigint', (c) => c.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable('product').addColumn('category', 'text').execute();
  await db.schema.alterTable('product').addColumn('low_stock', 'bigint').execute();
  await db.schema.alterTable('product').addColumn('archived_at', 'bigint').execute();
  for (const [name, operator] of [
    ['product_current', 'is'],
    ['product_archived', 'is not'],
  ] as const)
    await db.schema
      .createIndex(name)
      .ifNotExists()
      .on('product')
      .column('id')
      .where(sql.ref('archived_at'), operator, sql.lit(null))
      .execute();
}
