import { sql } from 'kysely';
import type { Engine } from '../../database/schema.ts';
import { countRefunded } from '../orders/queries.ts';

/**
 * For a query of `product`: how many of its pieces are ordered but still on the shelf. These are the pieces of unpaid orders
 * that hold stock, and those of paid orders that are left to ship. Left out are pieces that are refunded, or
 * that a refund has returned to stock, even if it failed later.
 */
export function countOrdered(engine: Engine) {
  // SQLite has no statistics, so this keeps it from reading all paid orders instead of the product's orders.
  const isPaid = engine === 'sqlite' ? sql`(status || '') = 'paid'` : sql`status = 'paid'`;
  return sql<number>`cast((
      select coalesce(sum(quantity), 0) from order_line
      where product_id = product.id and status = ''
    ) + (
      select coalesce(sum(quantity - shipped - off_the_shelf), 0)
      from (select counted.*, case when restocked > refunded_quantity then restocked else refunded_quantity end as off_the_shelf
        from (select order_line.*, ${countRefunded()} as refunded_quantity from order_line) as counted) as counted
      where product_id = product.id and status <> '' and ${isPaid} and refunded < total and shipped + off_the_shelf < quantity
    ) as bigint)`;
}
