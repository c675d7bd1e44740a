import { expect } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import type { Engine } from '../../server/database/schema.ts';
import { auditSettled } from './auditor.ts';
import { confirmIntent, openPurchasePayment, placePurchase, refundOrder, requestStripe } from './payments.ts';
import { startShop } from './shop.ts';

/** A purchase of four pliers at 10.00 and a winder at 5.50, paid without webhooks. */
export async function startPaidShop(
  engine: Engine,
  card = 'pm_card_visa',
  { allowErrorLogs = false }: { allowErrorLogs?: boolean } = {},
) {
  const shop = await startShop({ engine, allowErrorLogs });
  await shop.stripe.close();
  const [admin, customer] = [await shop.admin(), await shop.signUp()];
  const [pliers, winder] = [await shop.addProduct({ price: 10 }), await shop.addProduct({ price: 5.5 })];
  const purchase = await placePurchase(shop, customer, [
    [pliers, 4],
    [winder, 1],
  ]);
  const intent = await openPurchasePayment(shop, customer, purchase);
  await confirmIntent(shop, intent, card);
  const [first, second] = purchase.orders;
  if (!first || !second) return expect.unreachable();
  const params = { id: first._id };
  await shop.client(customer).call('markOrderPaid', { params, body: { transactionId: intent.id } });
  const client = shop.client(admin);
  return {
    shop,
    admin,
    customer,
    pliers,
    winder,
    intent,
    first,
    second,
    refund: (order: Order, body: object = {}, idempotencyKey?: string) =>
      refundOrder(client, {
        params: { id: order._id },
        body: { reason: 'other', ...body },
        idempotencyKey,
      }),
    refundAtProvider: (form: Record<string, string> = {}) =>
      requestStripe(shop, 'POST', '/refunds', { payment_intent: intent.id, ...form }),
    read: (order: Order) => client.call('getOrder', { params: { id: order._id } }),
    readPurchase: () => shop.client(customer).call('getPurchase', { params: { id: purchase.number } }),
    stock: async () => (await client.call('getProduct', { params: { id: pliers._id } })).a_quantity,
    amountsAtProvider: async () => {
      const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}&limit=100`);
      return data.map(({ amount }) => amount);
    },
    /** Finishes all refunds, as the bank does a minute later. */
    async finishRefunds() {
      const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent.id}&limit=100`);
      for (const { id } of data) await shop.stripe.finish(id);
    },
    /** Runs the periodic work as if all refunds had been requested two minutes ago. */
    async reconcile() {
      const { db } = shop.database;
      await db
        .updateTable('refund')
        .set({ created_at: Date.now() - 120_000 })
        .execute();
      await shop.doPeriodicWork();
    },
    /** Checks that paid − refunded is what the provider reports, and that the stock adds up. */
    async checkBooks() {
      const opening = new Map([pliers, winder].map(({ _id }) => [_id, { stock: 10 }]));
      expect(await auditSettled(shop.config.database, opening)).toEqual([]);
    },
    [Symbol.asyncDispose]: shop.close,
  };
}
