import { sql } from 'kysely';
import type { Engine } from '../../database/schema.ts';

/**
 * For a query of `product`: how many of its pieces are ordered but still on the shelf. These are the pieces of unpaid orders
 * that hold stock, and the pieces of paid orders that are left to ship.
 */
export function countOrdered(engine: Engine) {
  // SQLite has no statistics. This expression keeps it from reading all paid orders instead of the product's orders.
  const isPaid = engine === 'sqlite' ? sql`(status || '') = 'paid'` : sql`status = 'paid'`;
  return sql<number>`cast((
      select coalesce(sum(quantity), 0) from order_line
      where product_id = product.id and status = ''
    ) + (
      select coalesce(sum(quantity - removed - shipped), 0) from order_line
      where product_id = product.id and status <> '' and ${isPaid} and (refunded < total or still_send = 1) and is_charged_back = 0
    ) as bigint)`;
}
