import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { dayMs, minuteMs } from '../../../contract/durations.ts';
import { invalid, ShopError } from '../../../contract/errors.ts';
import type { newOrder } from '../../../contract/orders/orders.ts';
import { numberAlphabet } from '../../../contract/orders/purchase-number.ts';
import { formatPrice, maxCharge, toMinor, toWire } from '../../config/currency.ts';
import { executePrepared } from '../../database/prepared-statements.ts';
import type { Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import { consumeRateLimit } from '../../http/rate-limit.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { queueOrderPlaced, reportsNewPurchases } from '../mail/queue.ts';
import { findProduct, isArchived, type ProductRow } from '../products/products.ts';
import { takeStockForOrder } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { lockCustomer, requireAccount } from '../users/account-lock.ts';
import type { OrderRow } from './queries.ts';
import { checkUnconfirmedHolds, computeHoldEnd } from './unconfirmed-holds.ts';

/**
 * Places an order and returns its id. This is where the price is decided: the statement that takes the stock also compares
 * price × quantity with the total that the customer saw. Throws 404 for an unknown product; 409 if the price has changed
 * (`data.price`), the stock is too low (`data.available`), the customer has too many unpaid orders, or customers with unconfirmed
 * addresses hold too many pieces; 422 if the quantity is too low or the total too high; 429 after too many orders.
 */
export async function placeOrder(
  shop: Shop,
  viewer: SessionUser,
  body: z.output<typeof newOrder>,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { currency } = shop;
  const quantity = body.orderQuantity;
  // If the currency cannot express this price, it becomes NaN, which differs from every total.
  const total = toMinor(body.price, currency) ?? Number.NaN;
  const id = uuidv7();
  const isReported = await reportsNewPurchases(shop);
  const placed = await runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    await countOrders(shop, tx, viewer, 1);
    const tooManyError = await findUnpaidLimitError(shop, tx, viewer.id);
    // On the wire, `orderId` is the product's id: the name is the specification's.
    const take = async () =>
      !tooManyError && total <= maxCharge(currency)
        ? takeStockForOrder(shop, tx, { productId: body.orderId, quantity, total, orderId: id })
        : undefined;
    let product = await take();
    while (!product) {
      const current = await findProduct(tx, body.orderId);
      const rejection = explainRejection(shop, current, { quantity, total, tooManyError });
      if (rejection) await rejectOrder(shop, tx, viewer.id, rejection);
      // On PostgreSQL, an edit or a delivery that was committed in between has made the order possible.
      product = await take();
    }
    await checkUnconfirmedHolds(shop, tx, viewer, [{ productId: body.orderId, quantity }]);
    const order = { id, product_id: body.orderId, product_name: product.name, quantity, total };
    await insertPurchase(shop, tx, viewer, { ...body, id, orders: [order], total });
    if (isReported) await queueOrderPlaced(tx, { id, userId: viewer.id });
  });
  // Otherwise this is an idempotent replay: `placed` is the first order.
  if (placed === id) {
    shop.countEvent('order placed');
    shop.invalidateStock();
  }
  return placed;
}

type NewOrder = Pick<OrderRow, 'id' | 'product_id' | 'product_name' | 'quantity' | 'total'>;
type NewPurchase = { id: string; orders: readonly NewOrder[]; total: number; phone: string; address: string };

/**
 * Inserts a purchase with a unique number, and its unpaid orders. On PostgreSQL, the account cannot be deleted before the
 * transaction ends. Throws 401 if it is already deleted.
 */
export async function insertPurchase(
  shop: Shop,
  tx: Tx,
  viewer: SessionUser,
  { id, orders, total, phone, address }: NewPurchase,
): Promise<void> {
  const { currency, database } = shop;
  const created_at = Date.now();
  for (let isInserted = false; !isInserted; ) {
    const query = sql`
      insert into purchase (id, number, user_id, name, phone, address, currency, total, status, created_at, hold_until)
      select ${id}, ${makePurchaseNumber()}, id, ${viewer.name}, ${phone}, ${address}, ${currency},
        cast(${total} as bigint), '', cast(${created_at} as bigint), cast(${computeHoldEnd(shop, viewer)} as bigint)
      from "user" where id = ${viewer.id}
      ${database.engine === 'postgres' ? sql`for key share` : sql``}
      on conflict (number) do nothing`;
    const { numAffectedRows } = await executePrepared(tx, query.compile(tx));
    isInserted = numAffectedRows === 1n;
    if (!isInserted) await requireAccount(tx, database.engine, viewer.id);
  }
  const lines = tx.insertInto('order_line').values(
    orders.map((order) => ({
      ...order,
      purchase_id: id,
      user_id: viewer.id,
      status: '' as const,
      created_at,
    })),
  );
  await executePrepared(tx, lines.compile());
}

/**
 * Counts new orders against the customer's limits, so that placing and deleting orders cannot fill the stock history. Orders of a
 * transaction that rolls back do not count. Throws 429.
 */
export async function countOrders(
  { config: { ordersPerMinute } }: Shop,
  tx: Tx,
  { id }: SessionUser,
  amount: number,
): Promise<void> {
  if (!Number.isFinite(ordersPerMinute)) return;
  const options = { amount, message: 'Too many orders' };
  const perMinute = { ...options, windowMs: minuteMs };
  await consumeRateLimit(tx, `orders per minute ${id}`, ordersPerMinute, perMinute);
  await consumeRateLimit(tx, `orders per day ${id}`, 10 * ordersPerMinute, {
    ...options,
    windowMs: dayMs,
  });
}

/**
 * Locks the customer's account, then returns an error if too many of their orders are unpaid. Call it before purchases and
 * products are locked: the deletion of an account and a change of its address lock in that order, too. SQLite has one writer at a
 * time, so without a limit it locks nothing there. May throw 401 if the account is already deleted; `insertPurchase` always does.
 */
export async function findUnpaidLimitError(
  { config: { unpaidOrdersPerPerson: max }, database: { engine } }: Shop,
  tx: Tx,
  userId: string,
): Promise<ShopError | undefined> {
  if (!Number.isFinite(max)) {
    if (engine === 'postgres') await requireAccount(tx, engine, userId);
    return undefined;
  }
  await lockCustomer(tx, userId);
  const unpaid = await tx
    .selectFrom('purchase')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', sql.lit(''))
    .limit(max)
    .execute();
  if (unpaid.length < max) return undefined;
  const detail = `You have ${formatQuantity(max, 'unpaid order')}: pay or delete one of them first.`;
  return new ShopError('too_many_unpaid', detail);
}

/**
 * Throws an error about an order's stock or price, or 401 if the account is already deleted: a repeated order, whose key went with the
 * account, is not told that the stock is too low.
 */
export async function rejectOrder(
  { database: { engine } }: Shop,
  tx: Tx,
  userId: string,
  error: ShopError,
): Promise<never> {
  await requireAccount(tx, engine, userId);
  throw error;
}

/**
 * Returns undefined if the order is possible. Missing stock is reported before a changed price: a new price does not help if
 * the quantity is not available.
 */
function explainRejection(
  shop: Shop,
  product: ProductRow | undefined,
  { quantity, total, tooManyError }: { quantity: number; total: number; tooManyError: ShopError | undefined },
): ShopError | undefined {
  if (!product || isArchived(product)) return noLongerSold();
  if (quantity < product.minimum) return belowMinimum('orderQuantity');
  const current = product.price * quantity;
  const max = maxCharge(shop.currency);
  if (current > max) return invalid('orderQuantity', `An order can total at most ${formatPrice(shop, max)}`);
  if (tooManyError) return tooManyError;
  if (product.available < quantity) return outOfStock(product);
  if (current === total) return undefined;
  const detail = `The price is now ${formatPrice(shop, product.price)} each, ${formatPrice(shop, current)} in total.`;
  return new ShopError('price_changed', detail, { data: { price: toWire(current, shop.currency) } });
}

/** A quantity below the product's minimum, in the specification's wording. */
export const belowMinimum = (field: string): ShopError => invalid(field, 'plz Input the write value');

export const noLongerSold = () => new ShopError('not_found', 'This product is no longer sold.');

export function outOfStock(product: ProductRow | undefined): ShopError {
  if (product && isArchived(product)) return noLongerSold();
  const available = product?.available ?? 0;
  const detail =
    !product || available < product.minimum
      ? 'This product is sold out.'
      : `Only ${available} left: order fewer.`;
  return new ShopError('out_of_stock', detail, { data: { available } });
}

/** A random purchase number, such as `K7QD-2M4X`. */
function makePurchaseNumber(): string {
  const characters = Array.from({ length: 8 }, () => numberAlphabet.charAt(randomInt(32))).join('');
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}
