import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Totals of products by calendar month and year, so that the best sellers of a period that long are read from an index. The
 * periodic work adds a day once it is over (`server/shop/sales/daily-totals.ts`).
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('product_sales_by_period')
    // Such as `2026-11` or `2026`, in UTC.
    .addColumn('period', 'text', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('product_name', 'text', (c) => c.notNull())
    .addColumn('pieces', 'bigint', (c) => c.notNull())
    .addColumn('revenue', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('product_sales_by_period_key', ['period', 'currency', 'product_id'])
    .execute();
  // Migration 019 is of the same release, so it has counted at most a development shop's orders.
  for (const format of engine === 'sqlite' ? ['%Y-%m', '%Y'] : ['YYYY-MM', 'YYYY']) {
    const period =
      engine === 'sqlite'
        ? sql`strftime(${sql.lit(format)}, day * 86400, 'unixepoch')`
        : sql`to_char(to_timestamp(day * 86400) at time zone 'UTC', ${sql.lit(format)})`;
    await sql`insert into product_sales_by_period (period, currency, product_id, product_name, pieces, revenue)
      select ${period}, currency, product_id, max(product_name), sum(pieces), sum(revenue) from product_sales_by_day
      where day < (select cast(value as bigint) / 86400000 from setting where name = 'sales counted until')
      group by 1, 2, 3`.execute(db);
  }
  await db.schema
    .createIndex('product_sales_by_period_revenue')
    .on('product_sales_by_period')
    .columns(['period', 'currency', 'revenue'])
    .execute();
}
