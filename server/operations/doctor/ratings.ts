import { sql } from 'kysely';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import type { Db } from '../../database/schema.ts';
import type { Report } from './report.ts';

/** Checks that the rating of each product counts its visible reviews. Read-only. */
export async function checkRatings(db: Db, report: Report): Promise<void> {
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
