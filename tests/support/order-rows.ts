import type { Insertable } from 'kysely';
import { UUID } from 'uuidv7';
import type { Schema } from '../../server/database/schema.ts';
import type { TestShop } from './shop.ts';

type OrderRow = Insertable<Schema['orders']>;
/** The columns of an order that a test sets; the others get defaults. */
export type OrderSeed = Partial<OrderRow> & { number?: string; disputed?: boolean };

/** Inserts paid orders, each as a purchase of its own, and returns their ids. Their ids begin with `created_at`. */
export async function insertOrders({ database: { db } }: TestShop, seeds: OrderSeed[]): Promise<string[]> {
  const orders = seeds.map((seed, at) => toRow(seed, at));
  for (let from = 0; from < orders.length; from += 500) {
    const batch = orders.slice(from, from + 500);
    await db
      .insertInto('purchase')
      .values(
        batch.map(({ id, email, created_at }, at) => ({
          id,
          email,
          created_at,
          number: seeds[from + at]?.number ?? `0000-${String(from + at).padStart(4, '0')}`,
        })),
      )
      .execute();
    await db.insertInto('orders').values(batch).execute();
  }
  const disputes = orders.filter((_, at) => seeds[at]?.disputed).map(({ id }) => toDispute(id));
  if (disputes.length > 0) await db.insertInto('dispute').values(disputes).execute();
  return orders.map(({ id }) => id);
}

function toRow({ number: _number, disputed: _disputed, ...seed }: OrderSeed, at: number): OrderRow {
  const created_at = seed.created_at ?? Date.UTC(2026, 0, 1) + at * 60_000;
  const id = seed.id ?? makeId(created_at, at);
  const isPaid = seed.status === undefined || seed.status === 'paid' || seed.status === 'sipping';
  return {
    ...{ id, purchase_id: id, created_at, status: 'paid', transaction_id: isPaid ? `pi_${at}` : null },
    ...{ product_id: 'p', product_name: 'Pivot Gauge', quantity: 1, total: 1250, currency: 'USD' },
    ...{ email: 'tom@example.com', user_name: 'Tom', phone: '', address: '', hold_until: 4_000_000_000_000 },
    refunded: 0,
    ...seed,
  };
}

const makeId = (ms: number, at: number): string => UUID.fromFieldsV7(ms, 0, 0, at).toString();

const toDispute = (purchase_id: string) => ({
  ...{ id: `dp_${purchase_id}`, purchase_id, intent: 'pi', amount: 1, currency: 'USD', reason: 'general' },
  ...{ status: 'needs_response', is_open: 1, respond_by: null, created_at: 1 },
});
