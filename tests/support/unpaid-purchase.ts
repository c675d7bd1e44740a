import { expect } from 'vitest';
import type { Engine } from '../../server/database/schema.ts';
import { auditSettled } from './auditor.ts';
import { openPurchasePayment, placePurchase, reportPaid, requestStripe } from './payments.ts';
import { startShop } from './shop.ts';

/** A customer with an unpaid purchase of three orders, in a shop without webhooks. */
export async function openPurchase(engine: Engine, options: { allowErrorLogs?: boolean } = {}) {
  const shop = await startShop({ engine, ...options });
  await shop.stripe.close();
  const person = await shop.signUp();
  const products = [
    await shop.addProduct({ price: 20 }),
    await shop.addProduct({ price: 5.01 }),
    await shop.addProduct({ price: 7.5 }),
  ] as const;
  const purchase = await placePurchase(shop, person, [
    [products[0], 2],
    [products[1], 3],
    [products[2], 1],
  ]);
  const { db } = shop.database;
  const client = shop.client(person);
  const getPurchase = () => client.call('getPurchase', { params: { id: purchase._id } });

  return {
    shop,
    person,
    purchase,
    getPurchase,
    open: async () => openPurchasePayment(shop, person, await getPurchase()),
    /** Reports the payment by one of the orders, as the payment page does. */
    report: (intent: { id: string }, at = 0) =>
      reportPaid(shop, person, purchase.orders[at] ?? expect.unreachable(), intent),
    remove: (at: number) =>
      client.call('deleteOrder', { params: { id: purchase.orders[at]?._id ?? expect.unreachable() } }),
    endHold: () => db.updateTable('purchase').set({ hold_until: 1 }).execute(),
    /** Adds another payment of the purchase, which the customer can confirm even if the first is open or paid. */
    async addPayment(amount: number, { charged = amount, state = 'open' as 'open' | 'cancelled' } = {}) {
      const intent = await requestStripe(shop, 'POST', '/payment_intents', {
        amount: `${charged}`,
        currency: 'usd',
      });
      const row = { purchase_id: purchase._id, attempt: 9, amount, currency: 'USD', created_at: 1, state };
      await db
        .insertInto('payment')
        .values({ ...row, id: `payment-${intent.id}`, intent: intent.id })
        .execute();
      return intent;
    },
    /** The parts that must agree: the purchase, the stock, and the money at the provider. */
    async read() {
      const [{ price, orders }, intents, refunds, stock] = await Promise.all([
        getPurchase(),
        requestStripe(shop, 'GET', '/payment_intents?limit=10'),
        requestStripe(shop, 'GET', '/refunds?limit=10'),
        Promise.all(
          products.map(
            async ({ _id: id }) => (await client.call('getProduct', { params: { id } })).a_quantity,
          ),
        ),
      ]);
      return {
        price,
        stock,
        orders: orders.map(({ orderStatus, transactionId }) =>
          transactionId ? `${orderStatus} by ${transactionId}` : orderStatus,
        ),
        intents: intents.data.map(({ status, amount }) => `${status} ${amount}`).reverse(),
        refunded: refunds.data.map(({ amount }) => amount),
      };
    },
    /** Checks the books. Call it after the periodic work. */
    async expectBalanced() {
      const opening = new Map(products.map(({ _id, a_quantity }) => [_id, { stock: a_quantity }]));
      expect(await auditSettled(shop.config.database, opening)).toEqual([]);
    },
    [Symbol.asyncDispose]: shop.close,
  };
}

/* Results of `read`: */

export const unpaid = {
  price: 62.53,
  orders: ['', '', ''],
  stock: [8, 7, 9],
  intents: ['requires_payment_method 6253'],
  refunded: [] as number[],
};
export const expired = {
  price: 62.53,
  orders: ['expired', 'expired', 'expired'],
  stock: [10, 10, 10],
  intents: ['canceled 6253'],
  refunded: [],
};
export const paidBy = ({ id }: { id: string }) => ({
  price: 62.53,
  orders: Array(3).fill(`paid by ${id}`),
  stock: [8, 7, 9],
  intents: ['succeeded 6253'],
  refunded: [],
});
/** The result after the second order was deleted. The first intent was for all three orders. */
export const withoutSecond = {
  price: 47.5,
  orders: ['', ''],
  stock: [8, 10, 9],
  intents: ['canceled 6253'],
  refunded: [],
};
export const restPaidBy = ({ id }: { id: string }) => ({
  ...withoutSecond,
  orders: Array(2).fill(`paid by ${id}`),
  intents: ['canceled 6253', 'succeeded 4750'],
});
