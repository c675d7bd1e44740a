import { sql } from 'kysely';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import type { Db } from '../../database/schema.ts';
import type { Report } from './report.ts';

/** How many of the newest changes are checked one by one. */
const maxChanges = 10_000;

/** Checks that the history of each product ends with its stock, and that the newest changes add up. Read-only. */
export async function checkStock(db: Db, report: Report): Promise<void> {
  const { rows } = await sql<{ products: number; different: number; gaps: number }>`
    select
      (select count(*) from product) as products,
      (
        select count(*) from product
        left join stock_change as last on last.product_id = product.id and last.seq = product.stock_seq
        where product.available <> coalesce(last.level, 0)
      ) as different,
      (
        select count(*) from (select * from stock_change order by id desc limit ${sql.lit(maxChanges)}) as newer
        left join stock_change as older on older.product_id = newer.product_id and older.seq = newer.seq - 1
        where newer.level <> coalesce(older.level, 0) + newer.change
      ) as gaps`.execute(db);
  for (const { products, different, gaps } of rows) {
    if (different > 0)
      report.error(
        `Stock: the stock of ${formatQuantity(different, 'product')} differs from the history.`,
        'Something other than the shop changed the stock. Count the products and correct it.',
      );
    if (gaps > 0)
      report.error(
        `Stock: the level after ${formatQuantity(gaps, 'change')} is not the previous level plus the change.`,
        'Something other than the shop changed the table stock_change, so the histories and the stock may be wrong. Count the stock and correct it.',
      );
    if (different + gaps === 0) report.ok(`Stock: each product's stock matches its history (${products}).`);
  }
}
