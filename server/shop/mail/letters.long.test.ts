import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { dayMs } from '../../../contract/durations.ts';
import { maxLines } from '../../../contract/orders/purchases.ts';
import { engines } from '../../../tests/support/database.ts';
import {
  buyDelivered,
  home,
  payPurchase,
  saveCheckout,
  setUpDelivery,
} from '../../../tests/support/delivery.ts';
import { hurryMail, listLetters, waitForDelivery, waitForLetter } from '../../../tests/support/letters.ts';
import {
  buy,
  buyTogether,
  confirmIntent,
  openPayment,
  openPurchasePayment,
  placeOrder,
  placePurchase,
  refundOrder,
  shipOrder,
  shipParcel,
} from '../../../tests/support/payments.ts';
import { cookieHeaders, sendRequest, type TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { claimMail } from '../../mail/outbox.ts';
import { queueOrderShipped } from './queue.ts';

test('the customer gets a message when an order is placed, paid, shipped and refunded', async () => {
  await using shop = await startShop({
    settings: { SHOP_ADDRESS: '1 Dial Lane\\nPrescot', SHOP_TAX_ID: 'VAT 1' },
  });
  await shop.listen();
  const admin = await shop.admin();
  const tom = await shop.signUp('Tom <b>Graham</b>');
  const product = await shop.addProduct({ name: 'Gauge & <i>Broach</i>' });
  const order = await placeOrder(shop, tom, product, 2);
  const placed = await waitForLetter(shop, tom.email, /^Your order/);
  await confirmIntent(shop, await openPayment(shop, tom, order));
  const receipt = await waitForLetter(shop, tom.email, /^Receipt for/);
  const { number } = await shop.client(tom).call('getOrder', { params: { id: order._id } });
  await shop.database.db.updateTable('purchase').set({ address: '1 Mill Lane' }).execute();
  await shipOrder(shop.client(admin), {
    params: { id: order._id },
    body: { orderStatus: 'sipping', trackingNumber: '1Z5R89390357567127' },
  });
  await refundOrder(shop.client(admin), {
    params: { id: order._id },
    body: { amount: 5, reason: 'other', note: 'Internal!' },
  });
  await hurryMail(shop);
  const shipped = await waitForLetter(shop, tom.email, /on its way/);
  const refund = await waitForLetter(shop, tom.email, /^Refund for/);
  expect([placed, receipt, shipped, refund].map(({ subject }) => subject)).toEqual([
    `Your order ${number}`,
    `Receipt for your order ${number}`,
    `Your order ${number} is on its way`,
    `Refund for your order ${number}`,
  ]);
  expect(receipt.text).toContain(
    `* 2 × Gauge & <i>Broach</i>: USD 25.00\n  USD 12.50 each\nTotal: USD 25.00\n\nInvoice number: ${number}\n`,
  );
  expect(receipt.text).toContain('Customer: Tom <b>Graham</b>\n');
  expect(receipt.text).toContain('-- \nHand-Tools Shop\n1 Dial Lane\nPrescot\nVAT 1\n');
  expect(receipt.html).toContain('Hand-Tools Shop · 1 Dial Lane · Prescot<br/>VAT 1');
  expect(receipt.html).toContain('Gauge &amp; &lt;i&gt;Broach&lt;/i&gt;');
  expect(receipt.html).not.toContain('<b>Graham');
  expect(shipped.text).toMatch(
    /Tracking number: 1Z5R89390357567127\nDelivery address: 1 Mill Lane\n\nTrack the parcel:\nhttps:\/\/www\.ups\.com\/\S+\n\nView your order:\n\S+\/dashboard\/orders\/[\w-]{9}\n/,
  );
  // One filled button; the order is a text link.
  expect(`${shipped.html}`.match(/class="key"/g)).toHaveLength(1);
  expect(`${shipped.html}`).toMatch(/class="key".*Track the parcel.*class="link" [^>]*>View your order/s);
  expect(refund.text).toContain('We’ve refunded USD 5.00 of the USD 25.00 for 2 × ');
  expect(`${refund.text}${refund.html}`).not.toContain('Internal!');
  const notice = await waitForLetter(shop, admin.email, /^New order/);
  expect(notice.subject).toBe(`New order ${number}: USD 25.00`);
  expect(notice.text).toContain(`Open the order:\n${shop.origin}/dashboard/orders/`);
  for (const [reader, letter] of [
    ...[placed, receipt, shipped, refund].map((letter) => [tom, letter] as const),
    [admin, notice] as const,
  ]) {
    const paths = [...(letter.text ?? '').matchAll(/^http:\/\/[^/\s]+(\/\S+)$/gm)].map(
      ([, path = '']) => path,
    );
    expect(paths.filter((path) => path.includes('/dashboard/orders/'))).toHaveLength(1);
    for (const path of paths) {
      const page = await sendRequest(shop, 'GET', path, { headers: cookieHeaders(reader) });
      expect([path, page.status]).toEqual([path, 200]);
      expect([path, (await page.text()).includes(number)]).toEqual([path, true]);
    }
  }
});

test('the messages that confirm an order and its payment contain the promises that the owner shows', async () => {
  await using shop = await startShop();
  await shop.listen();
  const [tom, ann] = [await shop.signUp(), await shop.signUp()];
  const product = await shop.addProduct();
  const order = await placeOrder(shop, tom, product);
  const early = await waitForLetter(shop, tom.email, /^Your order/);
  const promises = {
    delivery: 'Sent within two days',
    deliveryShown: true,
    returns: 'Send it back',
    guarantee: 'Two years on <every> tool',
    guaranteeShown: true,
  };
  const body = { name: 'Hand-Tools Shop', ...promises, version: 0 };
  await shop.client(await shop.admin()).call('saveShopDetails', { body });
  await placeOrder(shop, ann, product);
  const placed = await waitForLetter(shop, ann.email, /^Your order/);
  await confirmIntent(shop, await openPayment(shop, tom, order));
  const receipt = await waitForLetter(shop, tom.email, /^Receipt for/);
  expect(early.text).not.toMatch(/Delivery:|Guarantee:/);
  for (const { text, html } of [placed, receipt]) {
    expect(text).toContain('\n\nDelivery: Sent within two days\nGuarantee: Two years on <every> tool\n\n');
    expect(html).toContain('Two years on &lt;every&gt; tool');
    expect(`${text}${html}`).not.toContain('Send it back');
  }
});

test('one message reports all orders of a purchase, with each tracking number once and without refunded pieces', async () => {
  await using shop = await startShop();
  await shop.listen();
  const admin = await shop.admin();
  const tom = await shop.signUp();
  const products = [
    await shop.addProduct(),
    await shop.addProduct({ name: 'Broach' }),
    await shop.addProduct({ name: 'Reamer' }),
  ];
  const purchase = await placePurchase(
    shop,
    tom,
    products.map((product) => [product, product.name === 'Broach' ? 3 : 1]),
  );
  await confirmIntent(shop, await openPurchasePayment(shop, tom, purchase));
  await waitForLetter(shop, tom.email, /^Receipt for/);
  const { db } = shop.database;
  const orders = await db.selectFrom('order_line').select(['id', 'product_name']).execute();
  await refundOrder(shop.client(admin), {
    params: { id: orders.find(({ product_name }) => product_name === 'Broach')?.id ?? '' },
    body: { amount: 12.5, quantity: 1, reason: 'other' },
  });
  const refunded = await waitForLetter(shop, tom.email, /^Refund for/);
  expect(refunded.text).toContain(
    `We’ve refunded USD 12.50 for 1 × Broach in your order ${purchase.number}.`,
  );
  const [gauge, broach, reamer] = ['Pivot Gauge', 'Broach', 'Reamer'].map(
    (name) => orders.find(({ product_name }) => product_name === name)?.id ?? '',
  );
  await shipParcel(shop.client(admin), {
    lines: [
      { order: gauge ?? '', quantity: 1 },
      { order: broach ?? '', quantity: 2 },
    ],
    trackingNumber: '1Z5R89390357567127',
  });
  await shop
    .client(admin)
    .call('shipOrder', { params: { id: reamer ?? '' }, body: { orderStatus: 'sipping' } });
  await hurryMail(shop);
  const shipped = await waitForLetter(shop, tom.email, /on its way/);
  expect(shipped.text).toMatch(
    /Parcel 1 of 2\n\n\* 1 × Pivot Gauge\n\* 2 × Broach\n\nCarrier: UPS\nTracking number: 1Z5R89390357567127\n\nTrack parcel 1:\n.*\n\nParcel 2 of 2\n\n\* 1 × Reamer\n/,
  );
  expect(await db.selectFrom('mail').selectAll().where('kind', '=', 'order shipped').execute()).toHaveLength(
    1,
  );
});

type Tracking = { carrier?: string; trackingNumber?: string };

/** A paid purchase of a gauge, a broach and a reamer. */
async function buyThreeTools(shop: TestShop) {
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  const { number, orders } = await buyTogether(shop, tom, [
    [await shop.addProduct(), 1],
    [await shop.addProduct({ name: 'Broach' }), 1],
    [await shop.addProduct({ name: 'Reamer' }), 1],
  ]);
  return {
    tom,
    number,
    /** As one parcel. */
    async ship(products: RegExp, tracking: Tracking = {}) {
      const lines = orders
        .filter(({ product }) => products.test(product))
        .map(({ _id }) => ({ order: _id, quantity: 1 }));
      await shipParcel(shop.client(admin), { lines, ...tracking });
    },
    async correct(product: string, tracking: Tracking) {
      const id = orders.find((order) => order.product === product)?._id ?? '';
      await shipOrder(shop.client(admin), { params: { id }, body: { orderStatus: 'sipping', ...tracking } });
    },
    async sendAll() {
      await hurryMail(shop);
      await waitForDelivery(shop);
    },
    /** The messages about shipping, newest first. */
    listShippingLetters: async () =>
      (await listLetters(shop, tom.email)).filter(({ subject = '' }) => /on its way|racking/.test(subject)),
  };
}

describe.each(engines)('on %s', (engine) => {
  test('a correction of the tracking has its own message, one for each parcel, which says that it is the same parcel', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const { tom, number, ship, correct, sendAll, listShippingLetters } = await buyThreeTools(shop);
    const listSubjects = async () => (await listShippingLetters()).map(({ subject }) => subject);
    await ship(/Gauge|Broach/, { trackingNumber: 'A-1' });
    await ship(/Reamer/);
    // The message about the shipment is still waiting, so it has the corrected number.
    await correct('Broach', { trackingNumber: 'A-2' });
    await sendAll();
    const onItsWay = `Your order ${number} is on its way`;
    expect(await listSubjects()).toEqual([onItsWay]);

    await correct('Broach', { trackingNumber: 'A-3' });
    await correct('Pivot Gauge', { trackingNumber: 'A-4' });
    await correct('Reamer', { trackingNumber: 'B-1' });
    await sendAll();
    const [corrected, added] = [
      `Corrected tracking for your order ${number}`,
      `Tracking for your order ${number}`,
    ];
    expect((await listSubjects()).sort()).toEqual([corrected, added, onItsWay].sort());
    const { text: correction } = await waitForLetter(shop, tom.email, /^Corrected/);
    expect(correction).toContain(
      `We corrected the tracking details of your order ${number}. It’s the same parcel: we haven’t sent another one.`,
    );
    expect(correction).toMatch(/\* 1 × Pivot Gauge\n\* 1 × Broach\n\nTracking number: A-4\n/);
    expect(correction).not.toMatch(/Reamer|shipped/);
    const { text: addition } = await waitForLetter(shop, tom.email, /^Tracking/);
    expect(addition).toMatch(/We added tracking details to your order .*the same parcel/s);
    expect(addition).toMatch(/\* 1 × Reamer\n\nTracking number: B-1\n/);
  });

  test('a parcel of three tools whose number is removed, or that gets only a carrier, has one message', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const { number, ship, correct, sendAll, listShippingLetters } = await buyThreeTools(shop);
    await ship(/./, { trackingNumber: 'A-1' });
    await sendAll();
    const [corrected, added] = ['Corrected tracking', 'Tracking'].map(
      (start) => `${start} for your order ${number}`,
    );
    const tools = '\\* 1 × Pivot Gauge\n\\* 1 × Broach\n\\* 1 × Reamer\n\n';
    for (const [count, tracking, subject, text] of [
      [2, { trackingNumber: '' }, corrected, `${tools}View`],
      [3, { carrier: 'DHL' }, added, `${tools}Carrier: DHL\n`],
      [4, { carrier: 'UPS' }, corrected, `${tools}Carrier: UPS\n`],
    ] as const) {
      await correct('Broach', tracking);
      await sendAll();
      const letters = await listShippingLetters();
      expect([letters.length, letters[0]?.subject]).toEqual([count, subject]);
      expect(letters[0]?.text).toMatch(new RegExp(text));
    }
  });

  test('a correction joins the message about a complete shipment that is due but not sent yet', async () => {
    await using shop = await startShop({ engine });
    const { number, ship, correct, sendAll, listShippingLetters } = await buyThreeTools(shop);
    // Without the server, nothing is sent.
    await ship(/Gauge|Broach/);
    await ship(/Reamer/, { trackingNumber: 'A-1' });
    await shop.database.db
      .updateTable('mail')
      .set({ due_at: 0 })
      .where('kind', '=', 'order shipped')
      .execute();
    await correct('Reamer', { trackingNumber: 'A-2' });
    await shop.listen();
    await sendAll();
    const letters = await listShippingLetters();
    expect(letters.map(({ subject }) => subject)).toEqual([`Your order ${number} is on its way`]);
    expect(letters[0]?.text).toContain('Tracking number: A-2');
  });
});

// SQLite has one writer at a time.
test.runIf(engines.includes('postgres'))(
  'a message that is due waits for the shipment that joins it',
  async () => {
    await using shop = await startShop({ engine: 'postgres' });
    const { database } = shop;
    const shipment = (id: string) => ({ id, userId: 'tom', shippedAt: Date.now() });
    await database.transaction((tx) => queueOrderShipped({ sendsMail: true }, tx, shipment('first')));
    // The message may not be due before the shipment joins it, however long that takes.
    vi.setSystemTime(Date.now());
    onTestFinished(() => void vi.useRealTimers());
    const dueAt = Date.now() + 2000;
    await database.db.updateTable('mail').set({ due_at: dueAt }).execute();
    await database.transaction(async (tx) => {
      await queueOrderShipped({ sendsMail: true }, tx, shipment('second'));
      vi.setSystemTime(dueAt + 1);
      expect(await claimMail(database)).toBeUndefined();
    });
    // It waits a minute for each parcel.
    expect(await claimMail(database)).toBeUndefined();
    vi.setSystemTime(dueAt + 60_000);
    expect(await claimMail(database)).toMatchObject({ about: 'first second' });
    expect(await claimMail(database)).toBeUndefined();
  },
);

test('a parcel without a number, but with a link, has its link in the message', async () => {
  await using shop = await startShop();
  await shop.listen();
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  const { order } = await buy(shop, tom, await shop.addProduct());
  const trackingUrl = 'https://carrier.example/parcels/1';
  await shipOrder(shop.client(admin), {
    params: { id: order._id },
    body: { orderStatus: 'sipping', carrier: 'Bicycle', trackingUrl },
  });
  await hurryMail(shop);
  const { text, html } = await waitForLetter(shop, tom.email, /on its way/);
  expect(text).toContain(`Carrier: Bicycle\n\nTrack the parcel:\n${trackingUrl}\n`);
  expect(html).toContain(`href="${trackingUrl}"`);
  // No seller's address was entered.
  expect(html).not.toContain('Hand-Tools Shop ·');
});

test('the message about a refund is dropped if the refund has failed by then', async () => {
  await using shop = await startShop();
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  const { order } = await buy(shop, tom, await shop.addProduct());
  await refundOrder(shop.client(admin), { params: { id: order._id }, body: { reason: 'other' } });
  const { db } = shop.database;
  await db.updateTable('refund').set({ status: 'failed' }).execute();
  const list = () => db.selectFrom('mail').select('id').where('kind', '=', 'order refunded').execute();
  expect(await list()).toHaveLength(1);
  await shop.listen();
  await waitForDelivery(shop);
  expect(await list()).toEqual([]);
});

test('messages about an unpaid order, when it is placed and a day before its hold ends, contain no text from the customer', async () => {
  await using shop = await startShop();
  await shop.listen();
  const eve = await shop.signUp('WIN A CLOCK https://evil.example');
  const order = await placeOrder(shop, eve, await shop.addProduct());
  const placed = await waitForLetter(shop, eve.email, /^Your order [\w-]+$/);
  const { db } = shop.database;
  const listReminders = () => db.selectFrom('mail').selectAll().where('kind', '=', 'hold ending').execute();
  await shop.doPeriodicWork();
  expect(await listReminders()).toEqual([]);
  // As if two days had passed.
  await db
    .updateTable('purchase')
    .set((eb) => ({
      hold_until: eb('hold_until', '-', 2 * dayMs + 1),
      created_at: eb('created_at', '-', 2 * dayMs + 1),
    }))
    .execute();
  await shop.doPeriodicWork();
  await shop.doPeriodicWork();
  expect(await listReminders()).toHaveLength(1);
  const ending = await waitForLetter(shop, eve.email, /waiting for payment$/);
  for (const letter of [placed, ending]) {
    expect(letter.text).toContain(`Pay USD 12.50:\n${shop.origin}/dashboard/payment/${order._id}`);
    expect(`${letter.text}${letter.html}`).not.toContain('evil.example');
  }
});

test('an expired order causes one message, which leads to the page that orders it again and contains no text from the customer', async () => {
  await using shop = await startShop();
  const eve = await shop.signUp('WIN A CLOCK https://evil.example');
  const order = await placeOrder(shop, eve, await shop.addProduct(), 2);
  const deleted = await placeOrder(shop, eve, await shop.addProduct());
  const { db } = shop.database;
  await db.updateTable('purchase').set({ hold_until: 1 }).execute();
  await shop.doPeriodicWork();
  await shop.doPeriodicWork();
  await shop.client(eve).call('deleteOrder', { params: { id: deleted._id } });
  const messages = db.selectFrom('mail').select('about').where('kind', '=', 'order expired');
  expect(await messages.execute()).toEqual([{ about: order.purchase }]);
  await shop.listen();
  const letter = await waitForLetter(shop, eve.email, /was not paid in time$/);
  const path = `/dashboard/orders/${order.number}`;
  expect(letter.text).toContain(`Order again:\n${shop.origin}${path}`);
  expect(letter.text).not.toContain('/dashboard/payment/');
  expect(`${letter.text}${letter.html}`).not.toContain('evil.example');
  const page = await sendRequest(shop, 'GET', path, { headers: cookieHeaders(eve) });
  expect(await page.text()).toContain('Order again');
  // The messages about the placed orders, which had to be paid, have not been sent.
  await waitForDelivery(shop);
  const subjects = (await listLetters(shop, eve.email)).map(({ subject = '' }) => subject);
  expect(subjects.filter((subject) => subject.startsWith('Your order'))).toEqual([letter.subject]);
});

test.each(engines)(
  'an admin’s deletion of unpaid orders causes one message, a customer’s own or that of an expired order none, on %s',
  async (engine) => {
    await using shop = await startShop({ engine });
    const [admin, eve] = [await shop.admin(), await shop.signUp('WIN A CLOCK https://evil.example')];
    const [gauge, broach] = [await shop.addProduct(), await shop.addProduct({ name: 'Broach' })];
    const { db } = shop.database;
    const list = () => db.selectFrom('mail').select('about').where('kind', '=', 'order deleted').execute();
    const remove = (person: TestUser, id: string) =>
      shop.client(person).call('deleteOrder', { params: { id } });

    await remove(eve, (await placeOrder(shop, eve, gauge))._id);
    await remove(admin, (await placeOrder(shop, admin, gauge))._id);
    const expired = await placeOrder(shop, eve, gauge);
    await db.updateTable('purchase').set({ hold_until: 1 }).execute();
    await shop.doPeriodicWork();
    await remove(admin, expired._id);
    expect(await list()).toEqual([]);

    const { number, orders } = await placePurchase(shop, eve, [
      [gauge, 2],
      [broach, 1],
    ]);
    const [first, second] = orders.map(({ _id }) => _id);
    await remove(admin, first ?? '');
    await remove(admin, second ?? '');
    const { number: kept, orders: others } = await placePurchase(shop, eve, [
      [gauge, 1],
      [broach, 1],
    ]);
    await remove(admin, others[1]?._id ?? '');
    expect(await list()).toHaveLength(2);

    await shop.listen();
    await hurryMail(shop);
    const deleted = await waitForLetter(shop, eve.email, /^We’ve deleted your order/);
    expect(deleted.subject).toBe(`We’ve deleted your order ${number}`);
    expect(deleted.text).toContain(
      'You have not been charged, and the tools are no longer reserved for you.',
    );
    expect(deleted.text).toContain('\n\n* 2 × Pivot Gauge\n* 1 × Broach\n\nSee our tools:\n');
    const removed = await waitForLetter(shop, eve.email, /^We’ve removed tools/);
    expect(removed.text).toContain(`from your order ${kept} before it was paid.`);
    expect(removed.text).toMatch(/\n\n\* 1 × Broach\n\nView your order:\n\S+\/dashboard\/orders\//);
    for (const { text, html } of [deleted, removed]) expect(`${text}${html}`).not.toContain('evil.example');
  },
);

test('Gmail shows messages about an order of 50 tools as a whole', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: 'https://shop.example' } });
  const tom = await shop.signUp();
  const lines: Parameters<typeof placePurchase>[2] = [];
  // The longest names, of the character that HTML writes the longest.
  while (lines.length < maxLines)
    lines.push([await shop.addProduct({ name: `${lines.length} `.padEnd(100, '"') }), 2]);
  const purchase = await placePurchase(shop, tom, lines);
  await confirmIntent(shop, await openPurchasePayment(shop, tom, purchase));
  await shipParcel(shop.client(await shop.admin()), {
    lines: purchase.orders.map(({ _id }) => ({ order: _id, quantity: 2 })),
  });
  await shop.listen();
  await hurryMail(shop);
  for (const subject of [/^Receipt/, /on its way$/]) {
    const { html } = await waitForLetter(shop, tom.email, subject);
    expect(`${html}`.match(/<img /g)).toHaveLength(maxLines);
    expect(Buffer.byteLength(`${html}`)).toBeLessThan(102_000);
  }
});

test('a waiting message is not sent to an admin who has lost the role', async () => {
  await using shop = await startShop();
  const [ada, bob] = [await shop.admin('Ada'), await shop.admin('Bob')];
  const tom = await shop.signUp();
  await buy(shop, tom, await shop.addProduct());
  await shop.client(ada).call('removeAdmin', { params: { email: bob.email } });
  await shop.listen();
  await waitForDelivery(shop);
  const listSubjects = async ({ email }: TestUser) =>
    (await listLetters(shop, email)).map(({ subject }) => subject).join();
  expect(await listSubjects(ada)).toMatch(/New order/);
  expect(await listSubjects(bob)).not.toMatch(/New order/);
});

test('the message about a new order is dropped if the order has been paid by then', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const { order } = await buy(shop, tom, await shop.addProduct());
  await shop.listen();
  await waitForLetter(shop, tom.email, /^Receipt for/);
  const { db } = shop.database;
  const list = () => db.selectFrom('mail').select(['kind', 'state']).where('about', '=', order._id).execute();
  await expect.poll(list).not.toContainEqual(expect.objectContaining({ state: 'waiting' }));
  expect(await list()).not.toContainEqual(expect.objectContaining({ kind: 'order placed' }));
});

test('an address gets a limited number of messages about new orders, however many are placed and deleted', async () => {
  await using shop = await startShop({ rateLimits: { orderMessagesPerRecipient: 2 } });
  await shop.listen();
  const eve = await shop.signUp();
  const product = await shop.addProduct();
  const { db } = shop.database;
  const findState = async (about: string) =>
    (await db.selectFrom('mail').select('state').where('about', '=', about).executeTakeFirst())?.state;
  for (const state of ['sent', 'sent', undefined]) {
    const { _id: id } = await placeOrder(shop, eve, product);
    await expect.poll(() => findState(id)).toBe(state);
    await shop.client(eve).call('deleteOrder', { params: { id } });
  }
  const letters = await listLetters(shop, eve.email);
  expect(letters.filter(({ subject }) => subject?.startsWith('Your order'))).toHaveLength(2);
  // Another address is not affected.
  const tom = await shop.signUp();
  await placeOrder(shop, tom, product);
  await waitForLetter(shop, tom.email, /^Your order/);
});

test.each(engines)('a purchase of two tools gets one reminder, on %s', async (engine) => {
  await using shop = await startShop({ engine });
  const products = [await shop.addProduct(), await shop.addProduct({ name: 'Broach' })];
  await placePurchase(
    shop,
    await shop.signUp(),
    products.map((product) => [product, 1]),
  );
  const { db } = shop.database;
  const elapsedMs = 2 * dayMs + 1;
  await db
    .updateTable('purchase')
    .set((eb) => ({
      hold_until: eb('hold_until', '-', elapsedMs),
      created_at: eb('created_at', '-', elapsedMs),
    }))
    .execute();
  await shop.doPeriodicWork();
  expect(await db.selectFrom('mail').select('kind').where('kind', '=', 'hold ending').execute()).toHaveLength(
    1,
  );
});

describe.each(engines)('low stock, on %s', (engine) => {
  const listAlerts = ({ database }: TestShop) =>
    database.db.selectFrom('mail').select(['recipient', 'about']).where('kind', '=', 'low stock').execute();

  test('the admins get one message per purchase when products become low, and none while they stay low', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [await shop.admin(), await shop.signUp()];
    const client = shop.client(admin);
    const products = [];
    for (const name of ['Broach', 'Reamer', 'Gauge'])
      products.push(await shop.addProduct({ name, a_quantity: 10, lowStock: 5 }));
    const plain = await shop.addProduct({ name: 'Winder' });
    const [first] = products;
    if (!first) expect.unreachable();
    const change = (amount: number) =>
      client.call('adjustStock', {
        params: { id: first._id },
        body: { change: amount, reason: 'count' },
      });

    // The threshold is not low yet.
    await placePurchase(shop, tom, [
      ...products.map((product): [typeof product, number] => [product, 5]),
      [plain, 10],
    ]);
    expect(await listAlerts(shop)).toEqual([]);
    await placePurchase(
      shop,
      tom,
      products.map((product) => [product, 1]),
    );
    const admins = await shop.database.db
      .selectFrom('user')
      .select('email')
      .where('role', '=', 'admin')
      .execute();
    expect(await listAlerts(shop)).toHaveLength(admins.length);
    const [alert] = await listAlerts(shop);
    expect(alert?.about.split(' ').sort()).toEqual(products.map(({ _id }) => _id).sort());
    await placeOrder(shop, tom, first, 2);
    await change(-1);
    expect(await listAlerts(shop)).toHaveLength(admins.length);
    // 5 again, then below.
    await change(4);
    await change(-1);
    expect(await listAlerts(shop)).toHaveLength(2 * admins.length);
  });

  test('an order that fails reports nothing', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const low = await shop.addProduct({ a_quantity: 5, lowStock: 5 });
    const scarce = await shop.addProduct({ name: 'Broach', a_quantity: 1 });
    await expect(
      placePurchase(shop, tom, [
        [low, 1],
        [scarce, 2],
      ]),
    ).rejects.toThrow();
    expect(await listAlerts(shop)).toEqual([]);
  });
});

test('a message about low stock names the products that are still low, and an admin gets a limited number', async () => {
  await using shop = await startShop({ rateLimits: { stockMessagesPerRecipient: 1 } });
  await shop.listen();
  const [admin, tom] = [await shop.admin(), await shop.signUp()];
  const broach = await shop.addProduct({ name: 'Broach <i>5</i>', a_quantity: 10, lowStock: 5 });
  const reamer = await shop.addProduct({ name: 'Reamer', a_quantity: 10, lowStock: 5 });
  await placePurchase(shop, tom, [
    [broach, 6],
    [reamer, 7],
  ]);
  const letter = await waitForLetter(shop, admin.email, /^Low stock: Broach <i>5<\/i> and 1 other product$/);
  expect(letter.text).toContain(
    '* Broach <i>5</i>: 4 left\n  Threshold: 5\n* Reamer: 3 left\n  Threshold: 5\n',
  );
  expect(letter.html).toContain('Broach &lt;i&gt;5&lt;/i&gt;');
  const { db } = shop.database;
  const countAlerts = async () =>
    (await db.selectFrom('mail').selectAll().where('kind', '=', 'low stock').execute()).length;
  const sent = await countAlerts();
  const params = { id: reamer._id };
  for (const amount of [3, -2])
    await shop.client(admin).call('adjustStock', { params, body: { change: amount, reason: 'count' } });
  // Dropped when it is due.
  await expect.poll(countAlerts).toBe(sent);
});

test('the messages about an order to collect say where and when, not where it is sent', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp('Tom');
  await setUpDelivery(shop);
  const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
  const { purchase } = await buyDelivered(shop, tom, [[gauge, 1]], 'pickup');
  const { text } = await waitForLetter(shop, tom.email, /^Receipt for/);
  expect(text).toContain('Collect it: Mon–Fri 9–17, 5 Mill Lane');
  expect(text).not.toMatch(/Delivery address|Arrives|on its way/);
  const params = { id: purchase._id };
  const body = { version: purchase.version, shipTo: { ...home, phone: '1' } };
  await shop.client(tom).call('changeDelivery', { params, body });
  await hurryMail(shop);
  const change = await waitForLetter(shop, tom.email, /^New delivery details/);
  expect(change.text).toContain('Collect it: Mon–Fri 9–17, 5 Mill Lane');
});

test('the messages about an order with delivery name the goods, the delivery, the total and the dates', async () => {
  await using shop = await startShop();
  await shop.listen();
  const [tom, admin] = [await shop.signUp('Tom'), await shop.admin()];
  await setUpDelivery(shop, {}, admin);
  const gauge = await shop.addProduct({ name: 'Gauge', price: 12.5 });
  const placed = await placePurchase(shop, tom, [[gauge, 2]]);
  const billTo = { ...home, name: 'Graham & Co' };
  const saved = await saveCheckout(shop, tom, placed, 'post', { remark: 'Ring twice.', billTo });
  const { purchase } = await payPurchase(shop, tom, saved);
  const receipt = await waitForLetter(shop, tom.email, /^Receipt for/);
  const notice = await waitForLetter(shop, admin.email, /^New order/);
  for (const { text } of [receipt, notice])
    expect(text).toMatch(/Goods: USD 25\.00\nDelivery \(Tracked 48\): USD 4\.50\nTotal: USD 29\.50/);
  expect(receipt.text).toMatch(/Arrives: \d/);
  expect(receipt.text).toContain('Invoice to:\n  Graham & Co\n');
  expect(notice.text).toContain('Remark: Ring twice.');
  // Nothing is announced before the payment.
  const subjects = (await listLetters(shop, tom.email)).map(({ subject }) => subject);
  expect(subjects.filter((subject) => subject?.includes(purchase.number))).toEqual([receipt.subject]);
});
