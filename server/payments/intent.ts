import { uuidv7 } from 'uuidv7';
import { formatPrice, toMinor, toWire } from '../currency.ts';
import { ShopError } from '../errors.ts';
import type { Viewer } from '../identity/viewer.ts';
import { findTooMany, getOrder, holdEnd, isPaid, outOfStock } from '../orders/orders.ts';
import { lockOrder, type OrderRow, selectUnpaidOfTotal } from '../orders/queries.ts';
import { selectProduct, takeStock } from '../products/queries.ts';
import type { Shop } from '../shop.ts';
import type { Intent } from './provider.ts';
import { cancelUnmade, findOpenPayment, insertPayment, type PaymentRow, storeIntent } from './queries.ts';
import { settle } from './settle.ts';

/**
 * The secret with which the browser pays an order of the viewer's own; the same one however often it is
 * asked for. `price` is the order's total on the wire. Throws 404, 409, 402 and 503.
 */
export async function getClientSecret(
  shop: Shop,
  viewer: Viewer,
  asked: { price: number; order?: string | undefined },
): Promise<string> {
  const order = await findAskedOrder(shop, viewer, asked);
  // A cancelled intent gives way to a new one; it takes a second round, and a third where two pages race.
  for (let round = 0; round < 3; round++) {
    const payment = await openPayment(shop, order.id);
    const intent = payment.intent
      ? await shop.provider.getIntent(payment.intent)
      : await makeIntent(shop, payment);
    if (!intent) throw new ShopError('conflict', 'This order was deleted or paid meanwhile.');
    if (intent.status === 'processing')
      throw new ShopError('payment_processing', 'A payment of this order is on its way.');
    if (intent.status !== 'succeeded' && intent.status !== 'canceled' && intent.client_secret)
      return intent.client_secret;
    await settle(shop, payment, intent);
  }
  throw new ShopError('conflict', 'This order cannot be paid at the moment. Try again.');
}

/** The order that is named; without a name the viewer's one unpaid order of that price. */
async function findAskedOrder(
  shop: Shop,
  viewer: Viewer,
  { price, order: id }: { price: number; order?: string | undefined },
): Promise<OrderRow> {
  if (id === undefined) {
    const total = toMinor(price, shop.currency);
    const [only, another] =
      total === undefined
        ? []
        : await selectUnpaidOfTotal(shop.database.db, {
            email: viewer.email,
            total,
            currency: shop.currency,
          });
    // An expired one beside it does not make it doubtful which is meant.
    if (only && (!another || (only.status === '' && another.status === 'expired'))) return only;
    throw new ShopError(
      'conflict',
      another
        ? 'You have several unpaid orders of that price: name one.'
        : 'You have no unpaid order of that price.',
    );
  }
  const order = await getOrder(shop, viewer, id);
  // Only its owner pays an order, an admin too only their own.
  if (order.email !== viewer.email) throw new ShopError('not_found', 'There is no such order.');
  if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid.');
  if (toMinor(price, order.currency) !== order.total) {
    const total = formatPrice(shop, order.total, order.currency);
    throw new ShopError('price_changed', `The order's price is ${total}.`, {
      data: { price: toWire(order.total, order.currency) },
    });
  }
  return order;
}

/** The order's open payment; makes one where there is none, and takes an expired order's stock again. */
async function openPayment(shop: Shop, orderId: string): Promise<PaymentRow> {
  let retaken = false;
  const payment = await shop.database.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw new ShopError('not_found', 'There is no such order.');
    if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid.');
    retaken = order.status === 'expired';
    if (retaken) {
      const tooMany = await findTooMany(shop, tx, order.email);
      if (tooMany) throw tooMany;
      if (!(await takeStock(tx, order.product_id, order.quantity))) {
        throw outOfStock(await selectProduct(tx, order.product_id));
      }
      await tx
        .updateTable('orders')
        .set({ status: '', hold_until: holdEnd(shop) })
        .where('id', '=', orderId)
        .execute();
    }
    return (
      (await findOpenPayment(tx, orderId)) ??
      insertPayment(tx, {
        id: uuidv7(),
        order_id: orderId,
        amount: order.total,
        currency: order.currency,
        created_at: Date.now(),
      })
    );
  });
  if (retaken) shop.changed();
  return payment;
}

/**
 * Asks the provider for a payment's intent, which is the same one after a crash, and notes its id. Where the
 * order was deleted or paid meanwhile the intent is cancelled: then undefined. Throws 402 where the provider
 * refuses; that ends the payment, since an order with an open one can neither be deleted nor expire.
 */
export async function makeIntent(shop: Shop, payment: PaymentRow): Promise<Intent | undefined> {
  const { order_id: order, attempt, amount, currency, created_at: since } = payment;
  const intent = await shop.provider
    .createIntent({
      amount,
      currency,
      metadata: { shop: shop.id, order },
      key: `${shop.id}:${order}:${attempt}:${amount}:${currency}`,
      since,
    })
    .catch(async (error: unknown) => {
      if (isRefusal(error)) await cancelUnmade(shop.database.db, payment.id);
      throw error;
    });
  if (await storeIntent(shop.database.db, payment.id, intent.id)) return intent;
  await settle(shop, payment, await shop.provider.cancelIntent(intent.id));
  return undefined;
}

export function isRefusal(error: unknown): boolean {
  return error instanceof ShopError && error.code === 'provider_refused';
}
