import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Totals of paid orders by day, so that the overview never reads all orders. The periodic work fills them, the existing
 * orders included (`server/shop/sales/daily-totals.ts`).
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('sales_by_day')
    // Whole days since 1970, in UTC.
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('orders', 'bigint', (c) => c.notNull())
    .addColumn('revenue', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('sales_by_day_key', ['day', 'currency'])
    .execute();
  await db.schema
    .createTable('product_sales_by_day')
    .addColumn('day', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('product_name', 'text', (c) => c.notNull())
    .addColumn('pieces', 'bigint', (c) => c.notNull())
    .addColumn('revenue', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('product_sales_by_day_key', ['day', 'currency', 'product_id'])
    .$call((table) => (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  await db.schema
    .createTable('recent_product_sales')
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('product_name', 'text', (c) => c.notNull())
    .addColumn('pieces', 'bigint', (c) => c.notNull())
    .addColumn('revenue', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('recent_product_sales_key', ['currency', 'product_id'])
    .execute();
  await db.schema
    .createIndex('recent_product_sales_revenue')
    .on('recent_product_sales')
    .columns(['currency', 'revenue'])
    .execute();

  // Last, because on PostgreSQL they block writes until the commit. A large shop creates them by hand before the upgrade.
  await sql`create index if not exists purchase_sold on purchase ((coalesce(paid_at, created_at)), id)`.execute(
    db,
  );
  await db.schema
    .createIndex('refund_time')
    .ifNotExists()
    .on('refund')
    .columns(['created_at', 'status', 'currency', 'amount'])
    .execute();
  for (const index of sharedIndexes) await sql`create index if not exists ${sql.raw(index)}`.execute(db);
}

/** Migrations 016 and 017 create the same ones, for the lists of orders and products. */
const sharedIndexes = [
  "orders_status on orders (status, id) where status <> ''",
  'product_sold_out on product (available, id) where archived_at is null and available < minimum',
  'product_low on product (available, id) where archived_at is null and available < low_stock',
];
