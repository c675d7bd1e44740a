import { randomUUID } from 'node:crypto';
import type { Opening } from './auditor.ts';
import { askStripe, buy, confirm, openPayment, placeOrder } from './payments.ts';
import type { TestShop } from './shop.ts';

export type BusyShop = Awaited<ReturnType<typeof makeBusy>>;

/** A letter of every kind that could be lost on the way: ends of lines, quotes, what JSON or a database marks. */
const letters = 'O’Brien "Tom" \\ \u2028 — 時計 🕰️\r\n\t%_$1';

/**
 * Fills an empty shop with people, and with orders, payments, reviews, pictures and lines of the audit log of every
 * kind. `opening` is for the auditor.
 */
export async function makeBusy(shop: TestShop) {
  const { db } = shop.database;
  const ada = await shop.admin();
  const tom = await shop.signUp(letters.slice(0, 40).replace(/\s/g, ' '));
  const nora = await shop.signUp('Nora Newcomer');
  const gauge = await shop.addProduct({ a_quantity: 100_000 });
  const lamp = await shop.addProduct({ name: 'Bench lamp', a_quantity: 50 });
  const retired = await shop.addProduct({ name: 'Retired', price: 9, a_quantity: 5 });

  await shop.client(tom).call('saveUser', {
    params: { email: tom.email },
    body: {
      user: tom.email,
      name: tom.name,
      address: letters,
      phone: '1',
      education: 'none',
      linkedIn: 'tom',
    },
  });
  await shop.client(ada).call('makeAdmin', { params: { email: nora.email } });
  await shop.client(tom).call('addReview', { body: { rating: 4, reviews: letters, img: gauge.img } });

  const paid = await buy(shop, tom, gauge, 2);
  const shipped = await buy(shop, tom, gauge);
  await shop
    .client(ada)
    .call('shipOrder', { params: { id: shipped.order._id }, body: { orderStatus: 'sipping' } });
  const unpaid = await placeOrder(shop, tom, gauge, 3);
  const begun = { order: await placeOrder(shop, tom, lamp), intent: { id: '' } };
  begun.intent = await openPayment(shop, tom, begun.order);
  const sentTwice = { orderId: gauge._id, orderQuantity: 1, price: gauge.price, user: tom.email };
  const once = { body: sentTwice, idempotencyKey: randomUUID() };
  const first = await shop.client(tom).call('placeOrder', once);
  // Its product goes, and it stays.
  const orphan = await placeOrder(shop, nora, retired);
  await shop.client(ada).call('deleteProduct', { params: { id: retired._id } });

  const expired = await placeOrder(shop, nora, lamp, 2);
  await db.updateTable('orders').set({ hold_until: 1 }).where('id', '=', expired._id).execute();
  // Paid by somebody whose order was gone by then: cancelled, and refunded.
  const cancelled = await placeOrder(shop, nora, lamp);
  await openPayment(shop, nora, cancelled);
  await shop.client(nora).call('deleteOrder', { params: { id: cancelled._id } });
  const gone = await placeOrder(shop, nora, gauge);
  await confirm(shop, await openPayment(shop, nora, gone));
  await db.deleteFrom('orders').where('id', '=', gone._id).execute();
  await db
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '+', 1) }))
    .where('id', '=', gauge._id)
    .execute();
  await shop.doPeriodicWork();

  const seen = { intent: 'pi_of_before', amount: 1250, currency: 'USD', order_id: randomUUID() };
  await db
    .insertInto('unknown_payment')
    .values({ ...seen, seen_at: Date.now() })
    .execute();
  await askStripe(shop, 'POST', '/payment_intents', { amount: '900', currency: 'usd' });
  const opening = new Map<string, Opening>(
    [gauge, lamp, retired].map(({ _id, a_quantity }) => [_id, { stock: a_quantity }]),
  );
  return {
    ...{ ada, tom, nora, gauge, lamp, opening, once },
    ...{ paid, shipped, unpaid, begun, orphan, expired, first },
  };
}
