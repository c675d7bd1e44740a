import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { invalid, notFound, ShopError } from '../../../contract/errors.ts';
import type { Order } from '../../../contract/orders/orders.ts';
import { parsePurchaseNumber } from '../../../contract/orders/purchase-number.ts';
import type { newPurchase, Purchase } from '../../../contract/orders/purchases.ts';
import { formatPrice, maxCharge, toMinor, toWire } from '../../config/currency.ts';
import type { Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { queueOrderPlaced, reportsNewPurchases } from '../mail/queue.ts';
import { findProducts, isArchived, type ProductRow } from '../products/products.ts';
import { type Line, takeStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { isPaid } from './orders.ts';
import {
  belowMinimum,
  countOrders,
  findUnpaidLimitError,
  insertPurchase,
  rejectOrder,
} from './place-order.ts';
import { listPurchaseOrders, type OrderRow } from './queries.ts';
import { checkUnconfirmedHolds } from './unconfirmed-holds.ts';

/**
 * Takes the stock of all lines, inserts their orders and removes the lines from the basket in one transaction. Returns the
 * purchase's id. Throws 409 if a product's stock is too low (`data.lines`), the total has changed (`data.price`), the customer has
 * too many unpaid purchases, or customers with unconfirmed addresses hold too many pieces; 422 if a quantity is below a product's
 * minimum or the total is too high; 429 after too many orders.
 */
export async function placePurchase(
  shop: Shop,
  viewer: SessionUser,
  body: z.output<typeof newPurchase>,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { currency, database } = shop;
  // On the wire, a line's `orderId` is the product's id, as in `placeOrder`.
  const lines = body.lines.map(({ orderId, orderQuantity }) => ({
    productId: orderId,
    quantity: orderQuantity,
    orderId: uuidv7(),
  }));
  const id = uuidv7();
  const isReported = await reportsNewPurchases(shop);
  const placed = await runIdempotently(database, idempotencyKey, id, async (tx) => {
    await countOrders(shop, tx, viewer, lines.length);
    const tooManyError = await findUnpaidLimitError(shop, tx, viewer.id);
    if (tooManyError) throw tooManyError;
    const products = await takeStock(shop, tx, lines, { reason: 'sale' });
    if (products.length < lines.length)
      await rejectOrder(shop, tx, viewer.id, await explainStock(tx, lines, products));
    const productsById = new Map(products.map((product) => [product.id, product]));
    const orders = lines.flatMap(({ productId, quantity, orderId }) => {
      const product = productsById.get(productId);
      if (!product) return [];
      const total = product.price * quantity;
      return { id: orderId, product_id: productId, product_name: product.name, quantity, total };
    });
    const total = orders.reduce((sum, order) => sum + order.total, 0);
    // The products are locked, so the prices cannot change any more.
    if (total !== toMinor(body.price, currency) || total > maxCharge(currency))
      await rejectOrder(shop, tx, viewer.id, totalChanged(shop, total));
    await checkUnconfirmedHolds(shop, tx, viewer, lines);
    await insertPurchase(shop, tx, viewer, { ...body, id, orders, total });
    if (isReported) await queueOrderPlaced(tx, { id, userId: viewer.id });
    await tx
      .deleteFrom('basket_line')
      .where('basket_id', '=', viewer.id)
      .where('product_id', 'in', [...productsById.keys()])
      .execute();
  });
  // Otherwise this is an idempotent replay: `placed` is the first purchase.
  if (placed === id) {
    shop.countEvent('order placed', lines.length);
    shop.invalidateStock();
  }
  return placed;
}

/** Explains why the stock of some lines could not be taken. `taken` are the products whose stock this transaction has taken. */
async function explainStock(tx: Tx, lines: Line[], taken: Pick<ProductRow, 'id'>[]): Promise<ShopError> {
  const productsById = await findProducts(
    tx,
    lines.map(({ productId }) => productId),
  );
  const findForSale = (id: string) => {
    const product = productsById.get(id);
    return product && !isArchived(product) ? product : undefined;
  };
  const takenIds = new Set(taken.map(({ id }) => id));
  const missing: { orderId: string; available: number }[] = [];
  for (const [index, { productId, quantity }] of lines.entries()) {
    if (takenIds.has(productId)) continue;
    const product = findForSale(productId);
    if (product && quantity < product.minimum) return belowMinimum(`lines.${index}.orderQuantity`);
    missing.push({ orderId: productId, available: product?.available ?? 0 });
  }
  const names = missing.map(
    ({ orderId }) => findForSale(orderId)?.name ?? 'a product that is no longer sold',
  );
  return new ShopError('out_of_stock', `There is not enough stock of: ${names.join(', ')}.`, {
    data: { lines: missing },
  });
}

function totalChanged(shop: Shop, total: number): ShopError {
  const max = maxCharge(shop.currency);
  if (total > max) return invalid('price', `An order can total at most ${formatPrice(shop, max)}`);
  return new ShopError('price_changed', `The total is now ${formatPrice(shop, total)}.`, {
    data: { price: toWire(total, shop.currency) },
  });
}

/** The orders of a purchase; at least one. */
export type PurchaseOrders = [OrderRow, ...OrderRow[]];

/**
 * The orders of a purchase that the viewer may see: their own, or any for an admin. Otherwise throws 404, as if it did not
 * exist. `reference` is the purchase's id or number.
 */
export async function getPurchase(
  { database: { db } }: Shop,
  viewer: SessionUser,
  reference: string,
): Promise<PurchaseOrders> {
  const number = parsePurchaseNumber(reference);
  const [first, ...others] = await listPurchaseOrders(db, number ? { number } : { id: reference });
  if (!first || (first.user_id !== viewer.id && viewer.role !== 'admin')) throw notFound('order');
  return [first, ...others];
}

/** Like `getPurchase`, but only for its customer: an admin gets a 404, too. */
export async function getOwnPurchase(
  shop: Shop,
  viewer: SessionUser,
  reference: string,
): Promise<PurchaseOrders> {
  const orders = await getPurchase(shop, viewer, reference);
  if (orders[0].user_id !== viewer.id) throw notFound('order');
  return orders;
}

/** Maps a purchase to the wire. `describe` maps its orders. */
export function toPurchase(
  orders: PurchaseOrders,
  describe: (order: OrderRow) => Order,
  charges: readonly Pick<OrderRow, 'refunded'>[],
): Purchase {
  const [
    { purchase_id, purchase_total, number, currency, created_at, status, hold_until, paid_at, version },
  ] = orders;
  return {
    _id: purchase_id,
    number,
    orders: orders.map(describe),
    price: toWire(purchase_total, currency),
    currency,
    paid: isPaid(orders[0]),
    refunded: toWire(
      [...orders, ...charges].reduce((sum, { refunded }) => sum + refunded, orders[0].unassigned),
      currency,
    ),
    version,
    createdAt: new Date(created_at).toISOString(),
    ...(status === '' ? { holdUntil: new Date(hold_until).toISOString() } : {}),
    ...(paid_at === null ? {} : { paidAt: new Date(paid_at).toISOString() }),
  };
}

export const toLines = (orders: readonly Pick<OrderRow, 'id' | 'product_id' | 'quantity'>[]) =>
  orders.map(({ id, product_id, quantity }) => ({ productId: product_id, quantity, orderId: id }));
