import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { formatQuantity } from '../../../contract/admin/health-format.ts';
import { invalid, notFound, ShopError } from '../../../contract/errors.ts';
import type { newOrder, Order } from '../../../contract/orders/orders.ts';
import { formatPrice, maxCharge, toMinor, toWire } from '../../config/currency.ts';
import type { Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { queueOrderPlaced } from '../mail/queue.ts';
import { findProduct, isArchived, type ProductRow } from '../products/products.ts';
import { takeStockForOrder } from '../products/stock.ts';
import type { Shop } from '../shop.ts';
import { requireAccount } from '../users/account-lock.ts';
import { findOrder, insertPurchase, lockUser, type OrderRow } from './queries.ts';
import { describeShipping } from './tracking.ts';

export function computeHoldEnd(shop: Shop): number {
  return Date.now() + shop.config.stockHoldHours * 60 * 60 * 1000;
}

/**
 * Returns the order's id. This is where its price is decided: the statement that takes the stock also compares price ×
 * quantity with the total that the customer saw. Throws 404 for an unknown product, 409 if the price has changed
 * (`data.price`), the stock is too low (`data.available`) or too many orders are unpaid, and 422 for a bad quantity.
 */
export async function placeOrder(
  shop: Shop,
  viewer: SessionUser,
  body: z.output<typeof newOrder>,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { currency } = shop;
  const quantity = body.orderQuantity;
  // NaN equals no total: the currency cannot express this price.
  const total = toMinor(body.price, currency) ?? Number.NaN;
  const id = uuidv7();
  const placed = await runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    const tooMany = await findUnpaidLimitError(shop, tx, viewer.email);
    const take = async () =>
      !tooMany && total <= maxCharge(currency)
        ? takeStockForOrder(shop, tx, { productId: body.orderId, quantity, total, orderId: id })
        : undefined;
    let product = await take();
    while (!product) {
      const current = await findProduct(tx, body.orderId);
      const rejection = explainRejection(shop, current, { quantity, total, tooMany });
      if (rejection) throw rejection;
      // On PostgreSQL, an edit or a delivery that was committed in between has made the order possible.
      product = await take();
    }
    const order = { id, product_id: body.orderId, product_name: product.name, quantity, total };
    await insertPurchase(tx, shop.database.engine, id, [order], describeCustomer(shop, viewer, body));
    await queueOrderPlaced(shop, tx, { id, email: viewer.email });
  });
  // Otherwise this is an idempotent replay: `placed` is the first order.
  if (placed === id) shop.countEvent('order placed');
  return placed;
}

/** The columns that all orders of a purchase share. */
export function describeCustomer(shop: Shop, viewer: SessionUser, body: { phone: string; address: string }) {
  return {
    currency: shop.currency,
    email: viewer.email,
    user_name: viewer.name,
    phone: body.phone,
    address: body.address,
    created_at: Date.now(),
    hold_until: computeHoldEnd(shop),
  };
}

/**
 * Locks the customer's account, then returns an error if too many of their orders are unpaid. Call it before purchases and
 * products are locked: the deletion of an account and a change of its address lock in that order, too. SQLite has one writer
 * at a time. Throws 401 if the account is already deleted.
 */
export async function findUnpaidLimitError(
  { config: { unpaidOrdersPerPerson: max }, database: { engine } }: Shop,
  tx: Tx,
  email: string,
): Promise<ShopError | undefined> {
  if (!Number.isFinite(max)) {
    if (engine === 'postgres') await requireAccount(tx, engine, email);
    return undefined;
  }
  await lockUser(tx, email);
  const unpaid = await tx
    .selectFrom('orders')
    .select('purchase_id')
    .where('email', '=', email)
    .where('status', '=', sql.lit(''))
    .execute();
  if (new Set(unpaid.map(({ purchase_id }) => purchase_id)).size < max) return undefined;
  const detail = `You have ${formatQuantity(max, 'unpaid order')}: pay or delete one of them first.`;
  return new ShopError('too_many_unpaid', detail);
}

/**
 * Returns undefined if the order is possible. Missing stock is reported before a changed price: a new price does not help if
 * the quantity is not available.
 */
function explainRejection(
  shop: Shop,
  product: ProductRow | undefined,
  { quantity, total, tooMany }: { quantity: number; total: number; tooMany: ShopError | undefined },
): ShopError | undefined {
  if (!product || isArchived(product)) return noLongerSold();
  if (quantity < product.minimum) return belowMinimum('orderQuantity');
  const current = product.price * quantity;
  const max = maxCharge(shop.currency);
  if (current > max) return invalid('orderQuantity', `An order can total at most ${formatPrice(shop, max)}`);
  if (tooMany) return tooMany;
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
      : `There are only ${available} left: order fewer.`;
  return new ShopError('out_of_stock', detail, { data: { available } });
}

/** An order that the viewer may see: their own, or any order for an admin. Otherwise throws 404, as if it did not exist. */
export async function getOrder(shop: Shop, viewer: SessionUser, id: string): Promise<OrderRow> {
  const row = await findOrder(shop.database.db, id);
  if (!row || (row.email !== viewer.email && viewer.role !== 'admin')) throw notFound('order');
  return row;
}

/** The name of a customer who has deleted their account, once the shop need not keep theirs. */
export const formerCustomer = 'Former customer';

export function isPaid(row: OrderRow): boolean {
  return row.status === 'paid' || row.status === 'sipping';
}

export function toOrder(row: OrderRow): Order {
  return {
    _id: row.id,
    purchase: row.purchase_id,
    number: row.number,
    orderId: row.product_id,
    product: row.product_name,
    orderQuantity: row.quantity,
    price: toWire(row.total, row.currency),
    currency: row.currency,
    user: row.email,
    userName: row.user_name || formerCustomer,
    phone: row.phone,
    address: row.address,
    orderStatus: row.status,
    paid: isPaid(row),
    ...(row.transaction_id ? { transactionId: row.transaction_id } : {}),
    createdAt: new Date(row.created_at).toISOString(),
    ...(row.status === '' ? { holdUntil: new Date(row.hold_until).toISOString() } : {}),
    ...(row.paid_at === null ? {} : { paidAt: new Date(row.paid_at).toISOString() }),
    ...describeShipping(row),
    refunded: toWire(row.refunded, row.currency),
    ...(row.refund_pending > 0 ? { refundPending: toWire(row.refund_pending, row.currency) } : {}),
    disputed: Boolean(row.disputed),
  };
}
