import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Indexes for searching, filtering and sorting orders. Placing an order touches none of them: those on orders leave out
 * unpaid ones, which are few and have `orders_hold`.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const collate = engine === 'postgres' ? ' collate "C"' : '';
  const indexes = [
    "orders_status on orders (status, id) where status <> ''",
    "orders_status_price on orders (status, total, id) where status <> ''",
    "orders_product on orders (product_id, id, status, total) where status <> ''",
    'orders_refunded on orders (id) where refunded > 0',
    'orders_refunded_price on orders (total, id) where refunded > 0',
    `orders_transaction on orders (transaction_id${collate}) where transaction_id is not null`,
  ];
  for (const index of indexes) await sql`create index if not exists ${sql.raw(index)}`.execute(db);
}
