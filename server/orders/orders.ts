import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { amount } from '../../contract/health-words.ts';
import type { newOrder, Order } from '../../contract/orders.ts';
import { writeAudit } from '../audit/audit.ts';
import { formatPrice, mostCharge, toMinor, toWire } from '../currency.ts';
import type { Tx } from '../database/database.ts';
import { invalid, ShopError } from '../errors.ts';
import type { Viewer } from '../identity/viewer.ts';
import { type Once, writeOnce } from '../once.ts';
import { type ProductRow, selectProduct, takeForOrder } from '../products/queries.ts';
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
  const { currency } = shop;
  const pieces = body.orderQuantity;
  // No total is equal to a price that the currency cannot express.
  const total = toMinor(body.price, currency) ?? Number.NaN;
  const id = uuidv7();
  const placed = await writeOnce(shop.database, once, id, async (tx) => {
    const tooMany = await findTooMany(shop, tx, viewer.email);
    const product =
      !tooMany &&
      total <= mostCharge(currency) &&
      (await takeForOrder(tx, { id: body.orderId, pieces, total }));
    if (!product) {
      const now = await selectProduct(tx, body.orderId);
      throw findWrong(shop, now, pieces) ?? tooMany ?? findChanged(shop, now, pieces, total);
    }
    await queries.insertOrder(tx, {
      id,
      product_id: body.orderId,
      product_name: product.name,
      quantity: pieces,
      total,
      currency,
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
  // Else it is the one that was placed under this key before.
  if (placed === id) shop.count('order placed');
  return placed;
}

/** 409 for somebody who holds the stock of as many unpaid orders as one person may. */
export async function findTooMany({ config }: Shop, tx: Tx, email: string): Promise<ShopError | undefined> {
  const most = config.unpaidOrdersPerPerson;
  if (!Number.isFinite(most) || (await queries.countUnpaid(tx, email)) < most) return undefined;
  return new ShopError(
    'too_many_unpaid',
    `You have ${amount(most, 'unpaid order')}: pay or delete one of them first.`,
  );
}

/** Why so many pieces of a product can never be one order; undefined where they can. */
function findWrong(shop: Shop, product: ProductRow | undefined, pieces: number): ShopError | undefined {
  if (!product) return new ShopError('not_found', 'This product is no longer sold.');
  if (pieces < product.minimum) return invalid('orderQuantity', 'plz Input the write value');
  const most = mostCharge(shop.currency);
  if (product.price * pieces <= most) return undefined;
  return invalid('orderQuantity', `One order is at most ${formatPrice(shop, most)}`);
}

/**
 * Why an order of `pieces` for `total`, in minor units, cannot be placed now. Stock is reported first: a new price does
 * not help if the quantity is not available.
 */
function findChanged(shop: Shop, product: ProductRow | undefined, pieces: number, total: number): ShopError {
  if (product && product.available >= pieces && product.price * pieces !== total)
    return priceChanged(shop, product, pieces);
  return outOfStock(product);
}

export function outOfStock(product: ProductRow | undefined): ShopError {
  const available = product?.available ?? 0;
  const detail =
    !product || available < product.minimum
      ? 'This product is sold out.'
      : `There are only ${available} left: order fewer.`;
  return new ShopError('out_of_stock', detail, { data: { available } });
}

function priceChanged(shop: Shop, product: ProductRow, pieces: number): ShopError {
  const total = product.price * pieces;
  return new ShopError(
    'price_changed',
    `The price is now ${formatPrice(shop, product.price)} a piece, ${formatPrice(shop, total)} in all.`,
    { data: { price: toWire(total, shop.currency) } },
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
export async function shipOrder(shop: Shop, id: string, by: Viewer): Promise<number> {
  const count = await shop.database.transaction(async (tx) => {
    const shipped = await tx
      .updateTable('orders')
      .set({ status: 'sipping' })
      .where('id', '=', id)
      .where('status', '=', 'paid')
      .returning('product_name as name')
      .executeTakeFirst();
    if (shipped) {
      await writeAudit(tx, { who: by.email, what: 'shipOrder', of: id, name: shipped.name });
      return 1;
    }
    const row = await queries.selectOrder(tx, id);
    if (!row) throw new ShopError('not_found', 'There is no such order.');
    if (row.status !== 'sipping') throw new ShopError('not_paid', 'Only a paid order can be shipped.');
    return 0;
  });
  if (count === 1) shop.count('order shipped');
  return count;
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
