import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Indexes for archived products in each sort order and for the best sellers of a day, and product totals by calendar week,
 * like migration 021's by month and year.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const name = sql.raw(engine === 'sqlite' ? 'lower(name)' : '(lower(name) collate "C")');
  for (const [index, key] of [
    ['product_archived_name', name],
    ['product_archived_price', sql`price`],
    ['product_archived_available', sql`available`],
  ] as const)
    await sql`create index if not exists ${sql.id(index)} on product (${key}, id) where archived_at is not null`.execute(
      db,
    );
  await db.schema
    .createIndex('product_sales_by_day_revenue')
    .ifNotExists()
    .on('product_sales_by_day')
    .columns(['day', 'currency', 'revenue'])
    .execute();
  // 1 January 1970 was a Thursday.
  const monday = sql`(day - (day + 3) % 7) * 86400`;
  const date =
    engine === 'sqlite'
      ? sql`strftime('%Y-%m-%d', ${monday}, 'unixepoch')`
      : sql`to_char(to_timestamp(${monday}) at time zone 'UTC', 'YYYY-MM-DD')`;
  await sql`insert into product_sales_by_period (period, currency, product_id, product_name, pieces, revenue)
    select 'week of ' || ${date}, currency, product_id, max(product_name), sum(pieces), sum(revenue)
    from product_sales_by_day
    where day < (select cast(value as bigint) / 86400000 from setting where name = 'sales counted until')
    group by 1, 2, 3`.execute(db);
}
