import { uuidv7 } from 'uuidv7';
import { ShopError } from '../../../contract/errors.ts';
import { formatPrice, toMinor, toWire } from '../../config/currency.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { computeHoldEnd, findUnpaidLimitError, getOrder, isPaid, outOfStock } from '../orders/orders.ts';
import { listUnpaidOrdersByTotal, lockOrder, type OrderRow } from '../orders/queries.ts';
import { findProduct, takeStock } from '../products/products.ts';
import type { Shop } from '../shop.ts';
import type { Intent } from './provider.ts';
import { type PaymentRow, settlePayment } from './settle.ts';

/**
 * Returns the client secret with which the browser pays one of the viewer's own orders; repeated calls return the same
 * one. `price` is the order's total on the wire. Throws 404, 409, 402 and 503.
 */
export async function getClientSecret(
  shop: Shop,
  viewer: SessionUser,
  { price, order: id }: { price: number; order?: string | undefined },
): Promise<string> {
  const order =
    id === undefined
      ? await getOrderByPrice(shop, viewer, price)
      : await getOrderToPay(shop, viewer, price, id);
  // A cancelled intent is replaced by a new one, which takes a second attempt, or a third if two pages race.
  for (let attempt = 0; attempt < 3; attempt++) {
    const payment = await openPayment(shop, order.id);
    const intent = await getIntent(shop, payment);
    if (!intent) throw new ShopError('conflict', 'This order has been deleted or paid meanwhile.');
    if (intent.status === 'processing')
      throw new ShopError('payment_processing', 'A payment for this order is processing.');
    if (intent.status !== 'succeeded' && intent.status !== 'canceled' && intent.client_secret)
      return intent.client_secret;
    await settlePayment(shop, payment, intent);
  }
  throw new ShopError('conflict', 'This order cannot be paid at the moment. Try again.');
}

async function getOrderByPrice(shop: Shop, { email }: SessionUser, price: number): Promise<OrderRow> {
  const { currency } = shop;
  // No order has a negative total.
  const total = toMinor(price, currency) ?? -1;
  const [only, another] = await listUnpaidOrdersByTotal(shop.database.db, { email, total, currency });
  if (!only) throw new ShopError('conflict', 'You have no unpaid order with that price.');
  // An expired order beside one that still holds its stock does not make the choice ambiguous.
  if (!another || (only.status === '' && another.status === 'expired')) return only;
  throw new ShopError('conflict', 'You have several unpaid orders with that price: send an order id.');
}

async function getOrderToPay(shop: Shop, viewer: SessionUser, price: number, id: string): Promise<OrderRow> {
  const order = await getOrder(shop, viewer, id);
  // Even an admin can pay only for their own orders.
  if (order.email !== viewer.email) throw new ShopError('not_found', 'There is no such order.');
  if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid.');
  if (toMinor(price, order.currency) === order.total) return order;
  const { total, currency } = order;
  const detail = `The order's price is ${formatPrice(shop, total, currency)}.`;
  throw new ShopError('price_changed', detail, { data: { price: toWire(total, currency) } });
}

/** Returns the order's open payment, or inserts one. For an expired order, takes the stock again first. */
async function openPayment(shop: Shop, orderId: string): Promise<PaymentRow> {
  let reopened = false;
  const payment = await shop.database.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw new ShopError('not_found', 'There is no such order.');
    if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid.');
    reopened = order.status === 'expired';
    if (reopened) {
      const tooMany = await findUnpaidLimitError(shop, tx, order.email);
      if (tooMany) throw tooMany;
      if (!(await takeStock(tx, order.product_id, order.quantity)))
        throw outOfStock(await findProduct(tx, order.product_id));
      await tx
        .updateTable('orders')
        .set({ status: '', hold_until: computeHoldEnd(shop) })
        .where('id', '=', orderId)
        .execute();
    }
    const last = await findLastPayment(tx, orderId);
    if (last?.state === 'open') return last;
    return tx
      .insertInto('payment')
      .values({
        id: uuidv7(),
        order_id: orderId,
        attempt: (last?.attempt ?? 0) + 1,
        amount: order.total,
        currency: order.currency,
        intent: null,
        state: 'open',
        created_at: Date.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  if (reopened) shop.invalidateCache();
  return payment;
}

/** The newest attempt to pay an order. Only this one can be open. */
export function findLastPayment(db: Db | Tx, orderId: string): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The current intent of an open payment. Creates one if the payment has none or the provider's response was lost. */
export async function getIntent(shop: Shop, payment: PaymentRow): Promise<Intent | undefined> {
  return payment.intent ? shop.provider.getIntent(payment.intent) : createIntent(shop, payment);
}

/**
 * Creates the payment's intent and stores its id; after a crash, the idempotency key returns the same one. Cancels it and
 * returns undefined if the order has been deleted or paid meanwhile. Throws 402 if the provider refuses; that also ends
 * the payment, because an order with an open payment can neither be deleted nor expire.
 */
export async function createIntent(shop: Shop, payment: PaymentRow): Promise<Intent | undefined> {
  const updateOpen = shop.database.db
    .updateTable('payment')
    .where('id', '=', payment.id)
    .where('state', '=', 'open');
  const intent = await shop.provider.createIntent(shop.id, payment).catch(async (error: unknown) => {
    if (isRefusal(error)) await updateOpen.set({ state: 'cancelled' }).where('intent', 'is', null).execute();
    throw error;
  });
  const { numUpdatedRows } = await updateOpen
    .set({ intent: intent.id })
    .where((eb) => eb.or([eb('intent', 'is', null), eb('intent', '=', intent.id)]))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('orders').select('id').where('id', '=', payment.order_id).where('status', '=', '')),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return intent;
  await settlePayment(shop, payment, await shop.provider.cancelIntent(intent.id));
  return undefined;
}

export function isRefusal(error: unknown): boolean {
  return error instanceof ShopError && error.code === 'provider_refused';
}
