import { sql } from 'kysely';
import type { Engine } from '../../database/schema.ts';

/**
 * The pieces of a product that are sold but still on its shelf, as a query of `product` selects them: those of unpaid orders,
 * which hold their stock, and of paid orders that are neither shipped nor refunded in full. Without the pieces that refunds have
 * returned to stock.
 */
export function countOrdered(engine: Engine) {
  // SQLite has no statistics, so this keeps it from reading all paid orders instead of all orders of the product.
  const isPaid = engine === 'sqlite' ? sql`(status || '') = 'paid'` : sql`status = 'paid'`;
  return sql<number>`cast((
      select coalesce(sum(quantity), 0) from orders
      where product_id = product.id and status = '' and hold_until > 0
    ) + (
      select coalesce(sum(quantity - restocked), 0) from orders
      where product_id = product.id and status <> '' and ${isPaid} and refunded < total
    ) as bigint)`;
}
