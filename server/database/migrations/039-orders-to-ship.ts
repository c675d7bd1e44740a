import { createIndexes } from '../index-migration.ts';

/**
 * Indexes of the orders to ship, which leave out those refunded in full. The previous release still finds paid orders in the
 * indexes of migration 017, which the other statuses need anyway.
 */
export const { prepare, up } = createIndexes(() => [
  "orders_to_ship on orders (id) where status = 'paid' and refunded < total",
  "orders_to_ship_price on orders (total, id) where status = 'paid' and refunded < total",
]);
