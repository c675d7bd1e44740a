import type { Insertable } from 'kysely';
import { UUID } from 'uuidv7';
import type { Schema } from '../../server/database/schema.ts';
import type { TestShop } from './shop.ts';

type Line = Insertable<Schema['order_line']>;
type Purchase = Insertable<Schema['purchase']>;
/** The columns of an order and its purchase that a test sets; the others get defaults. */
export type OrderSeed = Partial<Line & Omit<Purchase, 'status'>> & { disputed?: boolean };

/** Inserts paid orders, each as a purchase of its own, and returns their ids. Their ids begin with `created_at`. */
export async function insertOrders({ database: { db } }: TestShop, seeds: OrderSeed[]): Promise<string[]> {
  const rows = seeds.map((seed, index) => toRows(seed, index));
  for (let from = 0; from < rows.length; from += 500) {
    const batch = rows.slice(from, from + 500);
    await db
      .insertInto('purchase')
      .values(batch.map(({ purchase }) => purchase))
      .execute();
    await db
      .insertInto('order_line')
      .values(batch.map(({ line }) => line))
      .execute();
    const shipments = batch.flatMap(({ line }) => toShipment(line));
    if (shipments.length === 0) continue;
    await db
      .insertInto('shipment')
      .values(shipments.map(({ shipment }) => shipment))
      .execute();
    await db
      .insertInto('shipment_line')
      .values(shipments.map(({ line }) => line))
      .execute();
  }
  const disputes = rows.filter((_, index) => seeds[index]?.disputed).map(({ line }) => toDispute(line.id));
  if (disputes.length > 0) await db.insertInto('dispute').values(disputes).execute();
  return rows.map(({ line }) => line.id);
}

function toRows(seed: OrderSeed, at: number): { purchase: Purchase; line: Line } {
  const created_at = seed.created_at ?? Date.UTC(2026, 0, 1) + at * 60_000;
  const id = seed.id ?? makeId(created_at, at);
  const status = seed.status ?? 'paid';
  const isPaid = status === 'paid' || status === 'sipping';
  const total = seed.total ?? 1250;
  const user_id = seed.user_id ?? null;
  return {
    purchase: {
      id,
      number: seed.number ?? `0000-${String(at).padStart(4, '0')}`,
      user_id,
      guest_email: seed.guest_email ?? (user_id === null ? 'tom@example.com' : ''),
      name: seed.name ?? 'Tom',
      phone: seed.phone ?? '',
      address: seed.address ?? '',
      currency: seed.currency ?? 'USD',
      total,
      status: isPaid ? 'paid' : status,
      created_at,
      hold_until: 4_000_000_000_000,
      paid_at: seed.paid_at ?? null,
      transaction_id: isPaid ? (seed.transaction_id ?? `pi_${at}-${id}`) : null,
    },
    line: {
      id,
      purchase_id: id,
      user_id,
      product_id: seed.product_id ?? 'p',
      product_name: seed.product_name ?? 'Pivot Gauge',
      quantity: seed.quantity ?? 1,
      total,
      status,
      created_at,
      refunded: seed.refunded ?? 0,
      refund_pending: seed.refund_pending ?? 0,
      owed: seed.owed ?? 0,
      refunded_quantity: seed.refunded_quantity ?? 0,
      removed: seed.removed ?? 0,
      returned: seed.returned ?? 0,
      shipped: seed.shipped ?? (status === 'sipping' ? (seed.quantity ?? 1) : 0),
      shipped_at: seed.shipped_at ?? null,
      carrier: seed.carrier ?? null,
      tracking_number: seed.tracking_number ?? null,
      tracking_url: seed.tracking_url ?? null,
    },
  };
}

/** The parcel of a shipped order. */
function toShipment({
  id,
  shipped = 0,
  carrier = null,
  tracking_number = null,
  tracking_url = null,
  ...line
}: Line) {
  if (shipped === 0) return [];
  const shipment = {
    id,
    name: 'Tom',
    address: '',
    carrier,
    tracking_number,
    tracking_url,
    actor_id: 'admin',
    actor: 'admin@example.com',
    created_at: line.shipped_at ?? line.created_at,
  };
  return [{ shipment, line: { shipment_id: id, order_line_id: id, quantity: shipped } }];
}

/** Changes purchases of one order each, or only the one with `id`, and their orders. */
export async function changeOrders(
  { database: { db } }: TestShop,
  changes: { status?: '' | 'expired'; total?: number },
  id?: string,
): Promise<void> {
  for (const table of ['purchase', 'order_line'] as const) {
    const update = db.updateTable(table).set(changes);
    await (id === undefined ? update : update.where('id', '=', id)).execute();
  }
}

const makeId = (ms: number, at: number): string => UUID.fromFieldsV7(ms, 0, 0, at).toString();

const toDispute = (purchase_id: string) => ({
  id: `dp_${purchase_id}`,
  purchase_id,
  intent: 'pi',
  amount: 1,
  currency: 'USD',
  reason: 'general',
  status: 'needs_response',
  is_open: 1,
  respond_by: null,
  created_at: 1,
});
