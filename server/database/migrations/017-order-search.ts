import { createIndexes } from '../index-migration.ts';

/**
 * Indexes for searching, filtering and sorting orders. Placing an order touches none of them: those on orders leave out
 * unpaid ones, which are few and have `orders_hold`.
 */
export const { prepare, up } = createIndexes((engine) => [
  "orders_status on orders (status, id) where status <> ''",
  "orders_status_price on orders (status, total, id) where status <> ''",
  "orders_product on orders (product_id, id, status, total) where status <> ''",
  'orders_refunded on orders (id) where refunded > 0',
  'orders_refunded_price on orders (total, id) where refunded > 0',
  `orders_transaction on orders (transaction_id${engine === 'postgres' ? ' collate "C"' : ''}) where transaction_id is not null`,
]);
