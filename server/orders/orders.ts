import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import type { newOrder, Order } from '../../contract/orders.ts';
import { mostCharge, toMinor, toWire } from '../currency.ts';
import type { Tx } from '../database/database.ts';
import { invalid, ShopError } from '../errors.ts';
import type { Viewer } from '../identity/viewer.ts';
import { type Once, writeOnce } from '../once.ts';
import { type ProductRow, selectProduct, takeStock } from '../products/queries.ts';
import type { Shop } from '../shop.ts';
import * as queries from './queries.ts';

const hour = 60 * 60 * 1000;

export function holdEnd(shop: Shop): number {
  return Date.now() + shop.config.stockHoldHours * hour;
}

/**
 * Takes the stock and writes the order, both or neither, and gives the order's id. Throws 404 for an unknown
 * product, 409 for a total that is not the customer's (`price`), too little stock (`available`) or too many
 * unpaid orders, 422 for a quantity below the product's minimum.
 */
export async function placeOrder(
  shop: Shop,
  { viewer, body, once }: { viewer: Viewer; body: z.output<typeof newOrder>; once: Once | undefined },
): Promise<string> {
  const id = uuidv7();
  return writeOnce(shop.database, once, id, async (tx) => {
    const product = await selectProduct(tx, body.orderId);
    if (!product) throw new ShopError('not_found', 'This product is no longer sold.');
    const total = totalOf(product, body.orderQuantity, shop.currency);
    if (toMinor(body.price, shop.currency) !== total) throw priceChanged(product, total, shop.currency);
    await judgeUnpaid(shop, tx, viewer.email);
    // The statement carries its own condition: what was read above may have changed since.
    if (!(await takeStock(tx, product.id, body.orderQuantity, product.price))) {
      const now = await selectProduct(tx, product.id);
      if (now && now.price !== product.price)
        throw priceChanged(now, now.price * body.orderQuantity, shop.currency);
      throw outOfStock(now);
    }
    await queries.insertOrder(tx, {
      id,
      product_id: product.id,
      product_name: product.name,
      quantity: body.orderQuantity,
      total,
      currency: shop.currency,
      email: viewer.email,
      user_name: viewer.name,
      phone: body.phone,
      address: body.address,
      status: '',
      transaction_id: null,
      created_at: Date.now(),
      hold_until: holdEnd(shop),
    });
  });
}

/** Throws 409 for somebody who holds the stock of as many unpaid orders as one person may. */
export async function judgeUnpaid({ config }: Shop, tx: Tx, email: string): Promise<void> {
  const most = config.unpaidOrdersPerPerson;
  if (!Number.isFinite(most) || (await queries.countUnpaid(tx, email)) < most) return;
  throw new ShopError('too_many_unpaid', `You have ${most} unpaid orders: pay or delete one of them first.`);
}

/** The total of so many pieces, in minor units. Throws 422 where one order cannot be of so many. */
function totalOf(product: ProductRow, quantity: number, currency: string): number {
  if (quantity < product.minimum) throw invalid('orderQuantity', 'plz Input the write value');
  const total = product.price * quantity;
  const most = mostCharge(currency);
  if (total > most)
    throw invalid('orderQuantity', `One order is at most ${toWire(most, currency)} ${currency}`);
  return total;
}

export function outOfStock(product: ProductRow | undefined): ShopError {
  const available = product?.available ?? 0;
  const detail =
    !product || available < product.minimum
      ? 'This product is sold out.'
      : `There are only ${available} left: order fewer.`;
  return new ShopError('out_of_stock', detail, { data: { available } });
}

function priceChanged(product: ProductRow, total: number, currency: string): ShopError {
  const price = toWire(total, currency);
  const unit = toWire(product.price, currency);
  return new ShopError(
    'price_changed',
    `The price is now ${unit} ${currency} a piece, ${price} ${currency} in all.`,
    {
      data: { price },
    },
  );
}

/** An order that the viewer may see: their own, or any for an admin. Throws 404, as for one that is not there. */
export async function getOrder(shop: Shop, viewer: Viewer, id: string): Promise<queries.OrderRow> {
  const row = await queries.selectOrder(shop.database.db, id);
  if (!row || (row.email !== viewer.email && viewer.role !== 'admin')) {
    throw new ShopError('not_found', 'There is no such order.');
  }
  return row;
}

/** 1 where it was shipped by this, 0 where it had been. Throws 404, and 409 for an unpaid order. */
export async function shipOrder(shop: Shop, id: string): Promise<number> {
  const { db } = shop.database;
  const { numUpdatedRows } = await db
    .updateTable('orders')
    .set({ status: 'sipping' })
    .where('id', '=', id)
    .where('status', '=', 'paid')
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return 1;
  const row = await queries.selectOrder(db, id);
  if (!row) throw new ShopError('not_found', 'There is no such order.');
  if (row.status !== 'sipping') throw new ShopError('not_paid', 'Only a paid order can be shipped.');
  return 0;
}

export function isPaid(row: queries.OrderRow): boolean {
  return row.status === 'paid' || row.status === 'sipping';
}

/** An order as it goes over the wire. */
export function toOrder(row: queries.OrderRow): Order {
  return {
    _id: row.id,
    orderId: row.product_id,
    product: row.product_name,
    orderQuantity: row.quantity,
    price: toWire(row.total, row.currency),
    currency: row.currency,
    user: row.email,
    userName: row.user_name,
    phone: row.phone,
    address: row.address,
    orderStatus: row.status,
    paid: isPaid(row),
    ...(row.transaction_id ? { transactionId: row.transaction_id } : {}),
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.status === '' ? { holdUntil: new Date(row.hold_until).toISOString() } : {}),
  };
}
