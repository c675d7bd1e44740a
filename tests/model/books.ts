import { expect } from 'vitest';
import { askStripe } from '../support/payments.ts';
import type { State } from './rules.ts';
import type { World } from './world.ts';

/** What stands on both sides of the shop: its orders and stock, and the provider's payments. */
export async function readBooks({ shop, admin }: Pick<World, 'shop' | 'admin'>) {
  const client = shop.client(admin);
  const [products, orders, { data: intents }, { data: refunds }] = await Promise.all([
    client.call('listProducts', {}),
    client.call('listAllOrders', {}),
    askStripe(shop, 'GET', '/payment_intents?limit=100'),
    askStripe(shop, 'GET', '/refunds?limit=100'),
  ]);
  return { products, orders, intents, refunds };
}

/** The stock of each product before a sequence. */
export const stockIn = ({ products }: State): Map<string, number> =>
  new Map(Object.entries(products).map(([id, { available }]) => [id, available]));

/**
 * Fails where the books do not balance, once the look has run: initial stock (by product) = available + held +
 * sold; what was paid at the provider has paid one order, or was given back; a paid order has its money, and no other
 * has any.
 */
export async function judgeBooks(
  world: Pick<World, 'shop' | 'admin'>,
  initial: Map<string, number>,
): Promise<void> {
  const { products, orders, intents, refunds } = await readBooks(world);
  for (const { _id, a_quantity } of products) {
    const before = initial.get(_id);
    if (before === undefined) continue;
    const taken = orders.filter(({ orderId, orderStatus }) => orderId === _id && orderStatus !== 'expired');
    const pieces = taken.reduce((sum, { orderQuantity }) => sum + orderQuantity, 0);
    expect(a_quantity + pieces, `stock of ${_id}: available + held + sold`).toBe(before);
    expect(a_quantity).toBeGreaterThanOrEqual(0);
  }
  const own = orders.filter(({ orderId }) => initial.has(orderId));
  const paying = own.flatMap(({ transactionId }) => transactionId ?? []);
  expect(new Set(paying).size, 'one payment pays one order').toBe(paying.length);
  for (const order of own) {
    const succeeded = intents.filter(
      ({ status, metadata }) => status === 'succeeded' && metadata.order === order._id,
    );
    const kept = succeeded.filter(({ id }) => !isRefunded(id));
    expect(
      kept.map(({ id }) => id),
      `money of the ${order.orderStatus || 'unpaid'} order ${order._id}`,
    ).toEqual(order.paid ? [order.transactionId] : []);
    for (const { amount } of kept) expect(amount).toBe(Math.round(order.price * 100));
  }
  const known = new Set(orders.map(({ _id }) => _id));
  for (const { id, status, metadata } of intents) {
    if (metadata.order === undefined || known.has(metadata.order)) continue;
    const over = status === 'canceled' || (status === 'succeeded' && isRefunded(id));
    expect(over, `${id} (${status}) of an order that is gone`).toBe(true);
  }

  function isRefunded(intent: string): boolean {
    return refunds.some(({ payment_intent }) => payment_intent === intent);
  }
}
