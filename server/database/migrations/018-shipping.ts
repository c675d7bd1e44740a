import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** When and how orders were shipped, and admins' notes about purchases, which end with their purchase. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('orders').addColumn('shipped_at', 'bigint').execute();
  for (const column of ['carrier', 'tracking_number', 'tracking_url'])
    await db.schema.alterTable('orders').addColumn(column, 'text').execute();

  await db.schema
    .createTable('order_note')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('purchase_id', 'text', (c) => c.notNull().references('purchase.id').onDelete('cascade'))
    .addColumn('text', 'text', (c) => c.notNull().check(sql`text <> ''`))
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('order_note_purchase')
    .on('order_note')
    .columns(['purchase_id', 'id'])
    .execute();
}
