import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import type { Product } from '../../contract/catalogue/products.ts';
import type { OpeningStock } from './auditor.ts';
import { postImage } from './image-upload.ts';
import { addPasskey } from './passkeys.ts';
import { buy, confirmIntent, openPayment, placeOrder, refundOrder, requestStripe } from './payments.ts';
import type { TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';
import { turnOnTwoFactor } from './two-factor.ts';

export type FilledShop = Awaited<ReturnType<typeof fillShop>>;

/** Characters that are easily corrupted: line ends, quotes, and characters that JSON or SQL escapes. */
const specialText = 'O’Brien "Tom" \\ \u2028 — 時計 🕰️\r\n\t%_$1';

/**
 * Fills an empty shop with users, and with orders, payments, reviews, images and audit entries of every kind.
 * `opening` is for the auditor.
 */
export async function fillShop(shop: TestShop) {
  const { db } = shop.database;
  const ada = await shop.admin();
  const tom = await shop.signUpConfirmed(specialText.slice(0, 40).replace(/\s/g, ' '));
  const nora = await shop.signUp('Nora Newcomer');
  const gauge = await shop.addProduct({ a_quantity: 100_000 });
  const lamp = await shop.addProduct({ name: 'Bench lamp', a_quantity: 50 });
  const retired = await shop.addProduct({ name: 'Retired', price: 9, a_quantity: 5 });
  const soldOut = await shop.addProduct({ name: 'Sold out', a_quantity: 0 });

  await shop.client(tom).call('saveUser', {
    params: { email: tom.email },
    body: {
      user: tom.email,
      name: tom.name,
      address: specialText,
      phone: '1',
      education: 'none',
      linkedIn: 'tom',
    },
  });
  await shop.client(ada).call('makeAdmin', { params: { email: nora.email } });
  await addReviewAndRequests(shop, { ada, tom, nora }, { gauge, lamp, soldOut });
  const hana = await shop.signUpConfirmed('Hana Arnold');
  await addPasskey(shop, hana);
  const enrolled = await turnOnTwoFactor(shop, hana, 0);

  const paid = await buy(shop, tom, gauge, 2);
  const shipped = await buy(shop, tom, gauge);
  await shop
    .client(ada)
    .call('shipOrder', { params: { id: shipped.order._id }, body: { orderStatus: 'sipping' } });
  await shop
    .client(ada)
    .call('addOrderNote', { params: { id: shipped.order._id }, body: { text: specialText } });
  const { version } = await shop.client(tom).call('getOrder', { params: { id: paid.order._id } });
  await shop.client(tom).call('changeDelivery', {
    params: { id: paid.order.purchase },
    body: { version, address: '1 Dial Lane', phone: '2' },
  });
  const refunded = await buy(shop, nora, gauge, 3);
  await refundOrder(shop.client(ada), {
    params: { id: refunded.order._id },
    body: { amount: 1, reason: 'requested_by_customer', note: specialText, restock: 2 },
  });
  const disputed = await buy(shop, nora, gauge, 1, 'pm_card_createDispute');
  const unpaid = await placeOrder(shop, tom, gauge, 3);
  const begun = { order: await placeOrder(shop, tom, lamp), intent: { id: '' } };
  begun.intent = await openPayment(shop, tom, begun.order);
  const body = { orderId: gauge._id, orderQuantity: 1, price: gauge.price, user: tom.email };
  const keyedRequest = { body, idempotencyKey: randomUUID() };
  const keyedResponse = await shop.client(tom).call('placeOrder', keyedRequest);
  // The order outlives its product.
  const orphan = await placeOrder(shop, nora, retired);
  await shop.client(ada).call('deleteProduct', { params: { id: retired._id } });

  const expired = await placeOrder(shop, nora, lamp, 2);
  await db.updateTable('purchase').set({ hold_until: 1 }).where('id', '=', expired._id).execute();
  // A payment cancelled with its order, and one refunded because its order no longer exists.
  const cancelled = await placeOrder(shop, nora, lamp);
  await openPayment(shop, nora, cancelled);
  await shop.client(nora).call('deleteOrder', { params: { id: cancelled._id } });
  const gone = await placeOrder(shop, nora, gauge);
  await confirmIntent(shop, await openPayment(shop, nora, gone));
  for (const table of ['order_line', 'purchase'] as const)
    await db.deleteFrom(table).where('id', '=', gone._id).execute();
  const { stock_seq: seq, available: level } = await db
    .updateTable('product')
    .set((eb) => ({ available: eb('available', '+', 1), stock_seq: eb('stock_seq', '+', 1) }))
    .where('id', '=', gauge._id)
    .returning(['stock_seq', 'available'])
    .executeTakeFirstOrThrow();
  await db
    .insertInto('stock_change')
    .values({
      id: randomUUID(),
      product_id: gauge._id,
      seq,
      change: 1,
      level,
      reason: 'order_deleted',
      note: '',
      actor: '',
      order_id: gone._id,
      created_at: Date.now(),
    })
    .execute();
  // The totals by day have no orders of the last minutes yet.
  const soldAt = Date.now() - 2 * 24 * 60 * 60 * 1000;
  await db
    .updateTable('purchase')
    .set({ created_at: soldAt, paid_at: soldAt })
    .where('id', '=', paid.order.purchase)
    .execute();
  await db.updateTable('order_line').set({ created_at: soldAt }).where('id', '=', paid.order._id).execute();
  await shop.doPeriodicWork();

  const unknown = {
    intent: 'pi_of_before',
    amount: 1250,
    currency: 'USD',
    purchase_id: randomUUID(),
    number: 'K7QD-2M4X',
  };
  await db
    .insertInto('unknown_payment')
    .values({ ...unknown, outcome: '', seen_at: Date.now() })
    .execute();
  await requestStripe(shop, 'POST', '/payment_intents', { amount: '900', currency: 'usd' });
  const opening = new Map<string, OpeningStock>(
    [gauge, lamp, retired, soldOut].map(({ _id, a_quantity }) => [_id, { stock: a_quantity }]),
  );
  return {
    ada,
    tom,
    nora,
    enrolled,
    gauge,
    lamp,
    opening,
    keyedRequest,
    paid,
    shipped,
    refunded,
    disputed,
    unpaid,
    begun,
    orphan,
    expired,
    keyedResponse,
  };
}

/** Adds a reported review, a second image of a product, a basket, and what visitors and customers have asked for. */
async function addReviewAndRequests(
  shop: TestShop,
  { ada, tom, nora }: Record<'ada' | 'tom' | 'nora', TestUser>,
  { gauge, lamp, soldOut }: Record<'gauge' | 'lamp' | 'soldOut', Product>,
): Promise<void> {
  const { insertedId: review } = await shop
    .client(tom)
    .call('addReview', { body: { product: gauge._id, rating: 4, reviews: specialText, img: gauge.img } });
  await shop.client(nora).call('reportReview', { params: { id: review }, body: { reason: specialText } });
  const image = sharp({ create: { width: 2, height: 2, channels: 3, background: '#4a7' } });
  await shop.client(ada).call('editProduct', {
    params: { id: lamp._id },
    body: {
      version: lamp.version,
      images: [lamp.img, await postImage(shop, ada, await image.png().toBuffer())],
    },
  });
  await shop.client(tom).call('setBasketLine', { params: { id: lamp._id }, body: { quantity: 3 } });
  await shop.client(tom).call('requestBackInStock', { params: { id: soldOut._id } });
  const { db } = shop.database;
  const email = 'visitor@example.com';
  await db
    .insertInto('contact_message')
    .values({ id: randomUUID(), email, text: specialText, created_at: Date.now() })
    .execute();
  await db
    .insertInto('subscriber')
    .values({ id: randomUUID(), email, token: randomUUID(), confirmed_at: Date.now() })
    .execute();
}
