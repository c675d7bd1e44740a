import { sql } from 'kysely';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import type { Config } from '../../config/config.ts';
import type { Db } from '../../database/schema.ts';
import { compareSales } from '../../shop/sales/compare-sales.ts';
import { listFirst, type Report } from './report.ts';

/** Checks what the shop has recorded. Read-only. */
export async function checkRecords(config: Config, db: Db, report: Report): Promise<void> {
  await checkAdmins(config, db, report);
  await checkStock(db, report);
  await checkSales(db, config.timeZone, report);
  await checkRatings(db, report);
}

/** Checks that all admins can use their rights. */
async function checkAdmins(config: Config, db: Db, report: Report): Promise<void> {
  if (!config.requireAdminTwoFactor) return;
  const admins = await db.selectFrom('user').select('twoFactorEnabled').where('role', '=', 'admin').execute();
  const without = admins.filter(({ twoFactorEnabled }) => !twoFactorEnabled).length;
  if (without === 0) report.ok('Admins: all have two-factor sign-in.');
  else
    report.warn(
      `REQUIRE_ADMIN_2FA is yes: ${without} of ${formatQuantity(admins.length, 'admin')} cannot use the admin pages, because two-factor sign-in is off.`,
      'They can sign in and turn it on. An account without a password needs one first: npm run reset-password.',
    );
}

/** How many of the newest changes are checked one by one. */
const maxChanges = 10_000;

/** Checks that the history of each product ends with its stock, and that the newest changes add up. */
async function checkStock(db: Db, report: Report): Promise<void> {
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

/** Checks that the overview's totals match the orders. */
async function checkSales(db: Db, timeZone: string, report: Report): Promise<void> {
  const different = await compareSales(db, timeZone);
  if (different.length === 0) return report.ok('Sales: the daily totals match the orders.');
  report.warn(
    `Sales: the daily totals differ from the orders: ${listFirst(different)}.`,
    'The running shop checks one day after another and corrects wrong totals. Run this again tomorrow.',
  );
}

/** Checks that the rating of each product counts its visible reviews. */
async function checkRatings(db: Db, report: Report): Promise<void> {
  const { rows } = await sql<{ products: number; different: number }>`
    select count(*) as products, count(case when
        rating_count <> coalesce(reviews, 0) or rating_sum <> coalesce(stars, 0) then 1 end) as different
    from product left join (
      select product_id, count(*) as reviews, sum(rating) as stars from review
      where state = 'visible' and product_id is not null group by product_id
    ) as visible on visible.product_id = product.id`.execute(db);
  for (const { products, different } of rows)
    if (different === 0)
      report.ok(`Ratings: each product's rating counts its visible reviews (${products}).`);
    else
      report.error(
        `Ratings: the rating of ${formatQuantity(different, 'product')} differs from the visible reviews.`,
        "Something other than the shop changed the database. To correct it, run this SQL: update product set rating_count = (select count(*) from review where product_id = product.id and state = 'visible'), rating_sum = (select coalesce(sum(rating), 0) from review where product_id = product.id and state = 'visible');",
      );
}
