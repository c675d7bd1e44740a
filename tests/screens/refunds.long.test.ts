import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Purchase } from '../../contract/orders/purchases.ts';
import {
  buyTogether,
  failRefund,
  refundOrder,
  requestStripe,
  shipParcel,
  unassignRefund,
} from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { readDescription, readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  ada = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

/** A paid purchase of four pliers, USD 40.00, and a winder, USD 5.50. */
async function buyTwo(card?: string) {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const pliers = await stage.shop.addProduct({ name: 'Pliers', price: 10 });
  const winder = await stage.shop.addProduct({ name: 'Winder', price: 5.5 });
  const lines: Parameters<typeof buyTogether>[2] = [
    [pliers, 4],
    [winder, 1],
  ];
  return { nora, purchase: await buyTogether(stage.shop, nora, lines, card) };
}

const path = ({ number }: Purchase) => `/dashboard/orders/${number}`;
const openRefund = (page: Page, product: string) =>
  page.getByRole('link', { name: `Refund… ${product}` }).click();
const refundButton = (page: Page) => page.getByRole('button', { name: /^Refund( USD |$)/ });
const refund = (page: Page) => refundButton(page).click();

const expectFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);

test('an admin refunds a part of an order; the customer sees the amount and the date, but not the note', async () => {
  const { nora, purchase } = await buyTwo();
  const page = await stage.open({ as: ada });
  await openPath(page, '/dashboard/allOrders');
  await page
    .getByRole('link', { name: `Order ${purchase.number}` })
    .first()
    .click();
  await page.getByRole('heading', { name: `Order ${purchase.number}`, level: 1 }).waitFor();
  await openRefund(page, 'Pliers');
  // The form starts with one of four pieces.
  await expect.poll(() => page.getByLabel('Amount to refund').inputValue()).toBe('10');
  await expectFocus(page.getByLabel('Pieces to refund'));
  // Once the admin has entered pieces, another amount no longer clears them.
  for (const pieces of ['2', '1']) await page.getByLabel('Pieces to refund').fill(pieces);
  await page.getByLabel('Amount to refund').fill('12.50');
  await page.getByLabel('Other reason').check();
  await page.getByLabel(/^Note/).fill('Bent by the post.');
  await refund(page);
  await page.getByText('Refund for Pliers requested.').waitFor();
  await page.getByText('Sent back to the card').waitFor();
  const section = await readText(page.getByRole('region', { name: 'Pliers' }));
  for (const text of [
    'USD 12.50',
    'refunded',
    '1 piece returned to stock',
    `Requested by ${ada.email}`,
    'Bent by the post.',
  ])
    expect(section).toContain(text);
  await expect.poll(() => page.getByRole('form').count()).toBe(0);
  expect(new URL(page.url()).search).toBe('');
  await expectFocus(page.getByRole('heading', { name: 'Pliers' }));
  await openRefund(page, 'Winder');
  await expectFocus(page.getByLabel('Pieces to refund'));
  await page.getByRole('link', { name: 'Cancel' }).press('Enter');
  await page.getByRole('form').waitFor({ state: 'detached' });
  await expectFocus(page.getByRole('heading', { name: 'Winder' }));

  const own = await stage.open({ as: nora });
  await openPath(own, '/dashboard/myOrder');
  await own.getByRole('link', { name: '$12.50 refunded' }).click();
  await own
    .getByText(/Sent back to the card on \d+ \w+ 2\d{3}\. It can take the bank 5 to 10 business days/)
    .waitFor();
  const seen = await readText(own.locator('main'));
  expect(seen).not.toContain('Bent by the post.');
  expect(seen).not.toContain(ada.email);
  await expect.poll(() => own.getByRole('link', { name: /^Refund/ }).count()).toBe(0);
  await openPath(own, `${path(purchase)}?refund=${purchase.orders[0]?._id}`);
  await expect.poll(() => refundButton(own).count()).toBe(0);
});

test('the number of pieces fills in the amount and the pieces to return; the button shows the amount', async () => {
  const { purchase } = await buyTwo();
  const order = purchase.orders[0]?._id ?? '';
  await refundOrder(stage.shop.client(ada), {
    params: { id: order },
    body: { amount: 15, reason: 'other', restock: 2 },
  });
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await openRefund(page, 'Pliers');
  const [pieces, amount, restock] = ['Pieces to refund', 'Amount to refund', 'Pieces to return'].map(
    (label) => page.getByLabel(label),
  );
  if (!pieces || !amount || !restock) return expect.unreachable();
  const read = async () => [
    await pieces.inputValue(),
    await amount.inputValue(),
    await restock.inputValue(),
    await readText(refundButton(page)),
  ];
  await expect.poll(() => read()).toEqual(['1', '10', '1', 'Refund USD 10.00']);
  // Entering all that is left fills in all pieces, another amount clears them.
  await amount.fill('25');
  await expect.poll(() => read()).toEqual(['2', '25', '2', 'Refund USD 25.00']);
  await amount.fill('12');
  await expect.poll(() => read()).toEqual(['', '12', '0', 'Refund USD 12.00']);
  await pieces.fill('2');
  await expect.poll(() => read()).toEqual(['2', '20', '2', 'Refund USD 20.00']);
  for (const wrong of ['3', 'x']) {
    await pieces.fill(wrong);
    await expect.poll(() => read()).toEqual([wrong, '20', '2', 'Refund USD 20.00']);
  }
  for (const none of ['0', '']) {
    await pieces.fill('1');
    await expect.poll(() => read()).toEqual(['1', '10', '1', 'Refund USD 10.00']);
    await pieces.fill(none);
    await expect.poll(() => read()).toEqual([none, '', '0', 'Refund']);
  }
  // An amount that the admin has entered stays.
  await amount.fill('7');
  await pieces.fill('0');
  await expect.poll(() => read()).toEqual(['0', '7', '0', 'Refund USD 7.00']);
  await pieces.fill('1');
  await amount.fill('12,5');
  await expect.poll(() => read()).toEqual(['1', '12,5', '1', 'Refund USD 12.50']);
  await amount.fill('1,234');
  await expect.poll(() => readText(refundButton(page))).toBe('Refund');
  await pieces.fill('2');
  await page.getByLabel('Other reason').check();
  await refund(page);
  await page.getByText('Refund for Pliers requested.').waitFor();
  const { refunded, refundedQuantity } = await stage.shop
    .client(ada)
    .call('getOrder', { params: { id: order } });
  expect([refunded, refundedQuantity]).toEqual([35, 4]);
});

test('the refund of a shipped order returns no pieces to stock', async () => {
  const { purchase } = await buyTwo();
  await stage.shop.client(ada).call('shipOrder', {
    params: { id: purchase.orders[0]?._id ?? '' },
    body: { orderStatus: 'sipping' },
  });
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await openRefund(page, 'Pliers');
  const [pieces, amount] = [page.getByLabel('Pieces to refund'), page.getByLabel('Amount to refund')];
  await expectFocus(pieces);
  await page.keyboard.type('1');
  await expect.poll(() => amount.inputValue()).toBe('10');
  for (const label of ['Pieces to return', 'Send the remaining pieces'])
    expect(await page.getByLabel(label).count()).toBe(0);
  await page.getByLabel('Other reason').check();
  await refund(page);
  await page.getByText('Refund for Pliers requested.').waitFor();
  const order = await stage.shop
    .client(ada)
    .call('getOrder', { params: { id: purchase.orders[0]?._id ?? '' } });
  expect(order).toMatchObject({ refunded: 10, refundedQuantity: 1, refunds: [{ restock: 0 }] });
});

test('an order can be sent although everything is refunded; without scripts, too', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { purchase } = await buyTwo();
    const expected = javaScriptEnabled ? [/status of 422/] : [/static\/js\/.*: csp$/, /status of 422/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    const form = `${path(purchase)}?refund=${purchase.orders[0]?._id}`;
    await (javaScriptEnabled ? openPath(page, form) : page.goto(form));
    const amount = page.getByLabel('Amount to refund');
    await expect.poll(() => amount.inputValue()).toMatch(/^10/);
    await page.getByLabel('Pieces to refund').fill('');
    await page.getByLabel('Pieces to return').fill('0');
    await amount.fill('40');
    await page.getByLabel('Other reason').check();
    await refund(page);
    if (javaScriptEnabled) {
      await page.getByText('This refunds all that is left: USD 40.00.').waitFor();
      await refund(page);
    }
    await page
      .getByText(/This refunds everything: refund all 4 unshipped pieces/)
      .first()
      .waitFor();
    await page.getByLabel('Send the remaining pieces').check();
    await refund(page);
    await page.getByText(javaScriptEnabled ? 'Refund for Pliers requested.' : 'Refund requested.').waitFor();
    const order = await stage.shop
      .client(ada)
      .call('getOrder', { params: { id: purchase.orders[0]?._id ?? '' } });
    expect(order).toMatchObject({ refunded: 40, stillSend: true });
  }
});

test('if the session has ended, the pieces are still there after signing in again', async () => {
  const { purchase } = await buyTwo();
  const admin = await stage.shop.admin();
  const page = await stage.open({ as: admin, expected: [/status of 401/] });
  await openPath(page, path(purchase));
  const keys: (string | undefined)[] = [];
  page.on('request', (request) => {
    const key = request.headers()['idempotency-key'];
    if (request.url().endsWith('/refunds')) keys.push(key);
  });
  await openRefund(page, 'Pliers');
  await page.getByLabel('Pieces to refund').fill('1');
  await page.getByLabel('Pieces to return').fill('');
  await page.getByLabel('Amount to refund').fill('9');
  await page.getByLabel('Other reason').check();
  await stage.shop.database.db
    .deleteFrom('session')
    .where('userId', 'in', (eb) => eb.selectFrom('user').select('id').where('email', '=', admin.email))
    .execute();
  await refund(page);
  await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor();
  await page.getByLabel('Email').fill(admin.email);
  await page.getByLabel('Password').fill(admin.password);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  await page.getByText('what you typed is still here').waitFor();
  const read = (label: string) => page.getByLabel(label).inputValue();
  await expect
    .poll(() => Promise.all(['Pieces to refund', 'Amount to refund', 'Pieces to return'].map(read)))
    .toEqual(['1', '9', '']);
  await refund(page);
  await page.getByText('Refund for Pliers requested.').waitFor();
  // The first request may have arrived.
  expect(keys).toEqual([expect.any(String), keys[0]]);
  const order = await stage.shop
    .client(ada)
    .call('getOrder', { params: { id: purchase.orders[0]?._id ?? '' } });
  expect(order).toMatchObject({ refunded: 9, refundedQuantity: 1, refunds: [{ quantity: 1, restock: 0 }] });
});

test('a cleared amount refunds nothing, and a lost connection loses no input', async () => {
  const { purchase } = await buyTwo();
  const page = await stage.open({ as: ada, expected: [/ERR_FAILED/] });
  await openPath(page, path(purchase));
  await openRefund(page, 'Pliers');
  await page.getByLabel('Amount to refund').fill('');
  await page.getByLabel('Other reason').check();
  await refund(page);
  await page.getByText('Amount is Required').first().waitFor();
  await page.getByLabel('Amount to refund').fill('5');
  await page.route('**/api/**', (route) => route.abort());
  await refund(page);
  await page.getByText('The shop cannot be reached').waitFor();
  await expect.poll(() => page.getByLabel('Amount to refund').inputValue()).toBe('5');
  await page.unrouteAll();
  await refund(page);
  await page.getByText('Refund for Pliers requested.').waitFor();
  const { refunded } = await stage.shop
    .client(ada)
    .call('getOrder', { params: { id: purchase.orders[0]?._id ?? '' } });
  expect(refunded).toBe(5);
});

test('the lists call a refund pending until the provider has paid it', async () => {
  const { nora, purchase } = await buyTwo('pm_card_pendingRefund');
  const [pliers, winder] = purchase.orders;
  const refundAtOnce = (order: typeof pliers, body: object) =>
    refundOrder(stage.shop.client(ada), {
      params: { id: order?._id ?? '' },
      body: { reason: 'other', ...body },
    });
  await refundAtOnce(pliers, { amount: 12.5 });
  await refundAtOnce(winder, {});
  const page = await stage.open({ as: ada });
  await openPath(page, `/dashboard/allOrders?q=${purchase.number}`);
  const rowOf = (product: string) => page.getByRole('row').filter({ hasText: product });
  await expect.poll(() => readText(rowOf('Pliers'))).toContain('$12.50 refund pending');
  await expect.poll(() => readText(rowOf('Winder'))).toContain('refund pending');
  await expect.poll(() => readText(page.getByRole('table'))).not.toContain('refunded');
  await rowOf('Winder').getByText('Nothing to ship').waitFor();
  const own = await stage.open({ as: nora });
  await openPath(own, '/dashboard/myOrder');
  await own.getByRole('link', { name: '$18.00 refund pending', exact: true }).waitFor();
});

test('My Orders says “refunded” instead of “paid” under the train of an order that was refunded before it was shipped', async () => {
  const { nora, purchase } = await buyTwo();
  const [pliers, winder] = purchase.orders;
  const refundAll = (order: typeof pliers) =>
    refundOrder(stage.shop.client(ada), { params: { id: order?._id ?? '' }, body: { reason: 'other' } });
  await refundAll(winder);
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  const lineOf = (text: string) => page.getByRole('article').getByRole('listitem').filter({ hasText: text });
  await expect.poll(() => readText(lineOf('Pliers'))).toContain('Step 2 of 3: paid');
  await lineOf('Winder').getByText('refunded', { exact: true }).waitFor();
  const both = page.getByRole('article').filter({ hasText: purchase.number });
  expect(await both.getByText('refunded', { exact: true }).count()).toBe(1);

  await refundAll(pliers);
  await page.reload();
  await both.getByText('Nothing of it will be shipped.').waitFor();
  // The word is shown once, in place of the progress.
  expect(await both.getByText('refunded', { exact: true }).count()).toBe(1);
  expect(await readText(both)).not.toContain('Step 2 of 3');
});

test('an order cannot be refunded after a chargeback, but can be during a bank’s inquiry', async () => {
  const { purchase } = await buyTwo();
  const { db } = stage.shop.database;
  await db
    .insertInto('dispute')
    .values({
      id: 'du_charged_back',
      purchase_id: purchase._id,
      intent: 'pi_1',
      amount: 4550,
      currency: 'USD',
      reason: 'product_not_received',
      status: 'warning_needs_response',
      is_open: 1,
      respond_by: Date.now() + 86_400_000,
      created_at: Date.now(),
    })
    .execute();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await page
    .getByText('The customer has disputed this payment. The cardholder says the order has not arrived.')
    .waitFor();
  await page.getByText(/^Deadline: /).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^Refund…/ }).count()).toBe(2);
  await db
    .updateTable('dispute')
    .set({ status: 'needs_response', reason: 'a_new_reason' })
    .where('id', '=', 'du_charged_back')
    .execute();
  await openPath(page, `${path(purchase)}?refund=${purchase.orders[0]?._id}`);
  await page.getByText('It cannot be refunded').first().waitFor();
  await page.getByText('The customer has disputed this payment. Reason: a new reason.').waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^Refund…/ }).count()).toBe(0);
  await expect.poll(() => refundButton(page).count()).toBe(0);
});

test('a rejected refund keeps the input and says what is wrong', async () => {
  const { purchase } = await buyTwo();
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, path(purchase));
  await openRefund(page, 'Winder');
  await page.getByLabel('Amount to refund').fill('5,500');
  await refund(page);
  await page.getByText('2 things are missing or wrong:').waitFor();
  await expect
    .poll(() => readDescription(page.getByLabel('Amount to refund')))
    .toContain('such as 1234.50 or 1234,50');
  await page.getByRole('link', { name: 'Choose a reason' }).click();
  await page.keyboard.press('Space');
  await expect.poll(() => page.getByLabel('The customer asked for it').isChecked()).toBe(true);
  await page.getByLabel('Amount to refund').fill('5.51');
  await refund(page);
  await page.getByRole('alert').filter({ hasText: 'At most USD 5.50 can still be refunded' }).waitFor();
  await expect.poll(() => page.getByLabel('Amount to refund').inputValue()).toBe('5.51');
});

test('two admins refund the same order: the second sees what is left, and a double click refunds once', async () => {
  const { purchase } = await buyTwo();
  const order = purchase.orders[0]?._id ?? '';
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, `${path(purchase)}?refund=${order}`);
  await refundOrder(stage.shop.client(await stage.shop.admin()), {
    params: { id: order },
    body: { amount: 30, reason: 'other' },
  });
  await page.getByLabel('Paid twice').check();
  await refund(page);
  await page
    .getByRole('alert')
    .filter({ hasText: 'This order has changed since you loaded the page' })
    .waitFor();
  // The page shows what has changed.
  await page.getByText('At most USD 10.00.', { exact: true }).waitFor();
  await expect.poll(() => page.getByLabel('Paid twice').isChecked()).toBe(true);
  await page.getByLabel('Amount to refund').fill('4');
  const calls = recordWrites(page);
  await refundButton(page).dblclick();
  await page.getByText('Refund for Pliers requested.').waitFor();
  expect(calls.filter((call) => call.includes('/refunds'))).toHaveLength(1);
  const { refunded } = await stage.shop.client(ada).call('getOrder', { params: { id: order } });
  expect(refunded).toBe(34);
});

test('a refund that was to replace a failed one fails, too: the page says so, and shows what is still owed', async () => {
  const { shop } = stage;
  const client = shop.client(ada);
  const { purchase } = await buyTwo('pm_card_refundFail');
  const params = { id: purchase.orders[0]?._id ?? '' };
  const intent = (await client.call('getOrder', { params })).transactionId ?? '';
  const fail = async (replaces?: string) => {
    const body = { amount: 30, quantity: 0, reason: 'other', ...(replaces ? { replaces } : {}) } as const;
    const { insertedId } = await refundOrder(client, { params, body });
    const { data } = await requestStripe(shop, 'GET', `/refunds?payment_intent=${intent}`);
    await shop.stripe.finish(data.find(({ status }) => status === 'succeeded')?.id ?? '');
    await expect.poll(() => client.call('getOrder', { params })).toMatchObject({ owed: 30 });
    return insertedId;
  };
  const first = await fail();
  const second = await fail(first);
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  const section = page.getByRole('region', { name: 'Pliers' });
  await section.getByText('It failed, and so did the refund that was to replace it.').waitFor();
  await section.getByText('USD 30.00 still owed').waitFor();
  const history = page.getByRole('region', { name: 'History' });
  await expect.poll(() => history.getByText('Refund failed: USD 30.00 · Pliers').count()).toBe(2);
  await expect.poll(() => history.getByText(`by ${ada.email}`).count()).toBe(2);

  const settled = { params: { id: second }, body: { outcome: 'repaid' } } as const;
  await client.call('settleRefund', settled);
  await openPath(page, path(purchase));
  await history.getByText('Paid back another way: USD 30.00 · Pliers').waitFor();
  await openPath(page, '/dashboard/audit');
  await page.getByText('instead of a refund that failed').first().waitFor();
  await page.getByText('outcome: paid back another way (was none)').first().waitFor();
  await expect.poll(() => page.getByText('replaces').count()).toBe(0);
});

test('a refund that the provider refuses is shown with its reason; another attempt makes a new refund', async () => {
  // A webhook about the payment that is still being handled would find the refund made at the provider.
  await stage.shop.stripe.close();
  const { purchase } = await buyTwo();
  const [order] = purchase.orders;
  await requestStripe(stage.shop, 'POST', '/refunds', {
    payment_intent: order?.transactionId ?? '',
    amount: '4000',
  });
  const page = await stage.open({ as: ada, expected: [/status of 402/] });
  await openPath(page, `${path(purchase)}?refund=${order?._id}`);
  await page.getByLabel('Fraud', { exact: true }).check();
  await page.getByLabel('Amount to refund').fill('6');
  // The form disappears, because what was left has been refunded at the provider. The message stays.
  const refused = page.getByRole('status').getByText('The payment provider refused').waitFor();
  await refund(page);
  await refused;
  const section = page.getByRole('region', { name: 'Pliers' });
  await section.getByText('refund failed').waitFor();
  await section.getByText('The payment provider refused it').waitFor();
  await section.getByText('greater than unrefunded').waitFor();
  await expect.poll(() => readText(section)).not.toContain('Pay the customer back');
  // The failed attempt also found the refund that was made at the provider.
  await section.getByText('Made in Stripe’s dashboard.').waitFor();
  await expect.poll(() => readText(section)).toContain('USD 40.00');
});

test.each([true, false])(
  'what a failed refund owes is settled on the page of the order, with scripts: %s',
  async (javaScriptEnabled) => {
    const { shop } = stage;
    const { purchase } = await buyTwo();
    const [order] = purchase.orders;
    if (!order) return expect.unreachable();
    const failed = await failRefund(shop, ada, order);
    const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/, /status of 422/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, path(purchase)) : page.goto(path(purchase)));
    const section = page.getByRole('region', { name: 'Pliers' });
    await section.getByText('USD 1.00 still owed: a refund has failed.').waitFor();
    await section.getByRole('link', { name: 'Refund again or settle' }).click();
    const form = page.getByRole('form', { name: 'Settle the failed refund' });
    const save = form.getByRole('button', { name: 'Save' });
    const again = form.getByLabel('Refund USD 1.00 to the card again');
    if (javaScriptEnabled) await expectFocus(again);
    await save.click();
    await form.getByText('Choose an outcome').first().waitFor();
    await again.check();
    await form.getByText('What should happen to the USD 1.00').waitFor();
    await form.getByLabel(/^Note/).fill('Another card.');
    await (javaScriptEnabled ? form.getByRole('button', { name: 'Refund USD 1.00 again' }) : save).click();
    await page.getByText(javaScriptEnabled ? 'Refund requested.' : 'Saved.').waitFor();
    await section.getByText('It failed, and was refunded again.').waitFor();
    const read = () => shop.client(ada).call('getOrder', { params: { id: order._id } });
    const current = await read();
    expect(current).toMatchObject({ refunded: 1, refunds: [{ outcome: 'refunded' }, { replaces: failed }] });
    expect(current).not.toHaveProperty('owed');

    const other = purchase.orders[1] ?? expect.unreachable();
    await failRefund(shop, ada, other);
    const form2 = `${path(purchase)}?owed=${(await shop.client(ada).call('getOrder', { params: { id: other._id } })).refunds?.[0]?._id}`;
    await (javaScriptEnabled ? openPath(page, form2) : page.goto(form2));
    await form.getByLabel('It was paid back another way').check();
    await form.getByLabel(/^Note/).fill('By bank transfer.');
    await save.click();
    await page.getByText('Saved.').waitFor();
    await page.getByText('It failed, and was paid back another way.').waitFor();
    await page.getByRole('region', { name: 'Internal notes' }).getByText('By bank transfer.').waitFor();
    await page.getByRole('definition').filter({ hasText: 'USD 2.00' }).waitFor();
  },
);

test('a failed refund of a whole order is settled once, for all of its tools', async () => {
  const { shop } = stage;
  const { purchase } = await buyTwo();
  const client = shop.client(ada);
  const { insertedId } = await client.call('refundPurchase', {
    params: { id: purchase._id },
    body: { version: purchase.version, reason: 'other' },
  });
  const { db } = shop.database;
  await db.updateTable('refund').set({ status: 'failed' }).where('id', '=', insertedId).execute();
  await db
    .updateTable('order_line')
    .set(({ ref }) => ({ refunded: 0, owed: ref('total') }))
    .where('purchase_id', '=', purchase._id)
    .execute();
  const page = await stage.open({ as: ada });
  await openPath(page, `${path(purchase)}?owed=${insertedId}`);
  const form = page.getByRole('form', { name: 'Settle the failed refund' });
  await expect.poll(() => form.count()).toBe(1);
  await form.getByText('What should happen to the USD 45.50').waitFor();
});

test.each([true, false])(
  'a refund made at the provider for an unknown tool is assigned, with scripts: %s',
  async (javaScriptEnabled) => {
    const { shop } = stage;
    const { nora, purchase } = await buyTwo();
    const [order] = purchase.orders;
    if (!order) return expect.unreachable();
    await unassignRefund(shop, ada, order);
    const expected = javaScriptEnabled ? [/status of 422/] : [/static\/js\/.*: csp$/, /status of 422/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, path(purchase)) : page.goto(path(purchase)));
    await page.getByText('USD 1.00 of this order was refunded in Stripe’s dashboard.').waitFor();
    const own = await stage.open({ as: nora });
    await openPath(own, path(purchase));
    for (const seen of [page, own])
      await seen.getByRole('definition').getByText('USD 1.00', { exact: true }).waitFor();
    const form = page.getByRole('form', { name: 'Assign the refund' });
    const pliers = form.getByRole('group', { name: 'Pliers' });
    const assign = () => form.getByRole('button', { name: 'Assign' }).click();
    await pliers.getByLabel('Pieces refunded').fill('1');
    await assign();
    await form.getByText('Enter the amount for these pieces').first().waitFor();
    expect(await pliers.getByLabel('Pieces refunded').inputValue()).toBe('1');
    await pliers.getByLabel('Amount').fill('2');
    await assign();
    await form.getByText('The amounts must add up to USD 1.00').first().waitFor();
    await pliers.getByLabel('Amount').fill('1');
    await pliers.getByLabel('Of these, back in stock').fill('1');
    await assign();
    await page.getByText('The refund is assigned.').waitFor();
    expect(await shop.client(ada).call('getOrder', { params: { id: order._id } })).toMatchObject({
      refunded: 1,
      removedQuantity: 1,
      returnedQuantity: 1,
    });
  },
);

test.each([true, false])(
  'pieces of a partly shipped order that came back are put into stock, with scripts: %s',
  async (javaScriptEnabled) => {
    const { shop } = stage;
    const { purchase } = await buyTwo();
    const [order] = purchase.orders;
    if (!order) return expect.unreachable();
    await shipParcel(shop.client(ada), { lines: [{ order: order._id, quantity: 2 }] });
    const expected = javaScriptEnabled ? [/status of 409/] : [/static\/js\/.*: csp$/, /status of 409/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, path(purchase)) : page.goto(path(purchase)));
    await page.getByRole('link', { name: 'Record returned pieces… Pliers' }).click();
    const pieces = page.getByLabel('Pieces that came back');
    if (javaScriptEnabled) await expectFocus(pieces);
    await pieces.fill('3');
    await page.getByRole('button', { name: 'Put into stock' }).click();
    await page.getByText('At most 2 pieces can be returned to stock').first().waitFor();
    expect(await pieces.inputValue()).toBe('3');
    await pieces.fill('2');
    await page.getByRole('button', { name: 'Put into stock' }).click();
    await page.getByText('The pieces are back in stock.').waitFor();
    await page.getByText('4 pieces for USD 40.00, 2 shipped, 2 back in stock, 2 to pack').waitFor();
    expect(await shop.client(ada).call('getOrder', { params: { id: order._id } })).toMatchObject({
      returnedQuantity: 2,
      orderStatus: 'paid',
      shippedQuantity: 2,
    });
    await page.getByRole('link', { name: /^Record returned pieces/ }).waitFor({ state: 'detached' });
  },
);

test.each([true, false])(
  'all that is left of an order with several tools is refunded at once, with scripts: %s',
  async (javaScriptEnabled) => {
    const { shop } = stage;
    const { purchase } = await buyTwo();
    const [pliers, winder] = purchase.orders;
    const client = shop.client(ada);
    const read = (order = pliers) => client.call('getOrder', { params: { id: order?._id ?? '' } });
    const refundOne = () =>
      refundOrder(client, { params: { id: pliers?._id ?? '' }, body: { amount: 10, reason: 'other' } });
    const expected = javaScriptEnabled ? [/status of 409/] : [/static\/js\/.*: csp$/, /status of (409|422)/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, path(purchase)) : page.goto(path(purchase)));
    await page.getByRole('link', { name: 'Refund the whole order, USD 45.50…' }).click();
    const form = page.getByRole('form', { name: 'Refund the whole order' });
    const send = form.getByRole('button', { name: /^Refund USD/ });
    if (javaScriptEnabled) await expectFocus(form.getByLabel(/^Return the unshipped/));
    await form.getByLabel(/^Note/).fill('All bent.');
    await form.getByLabel('Return the unshipped pieces to stock (5 pieces)').uncheck();
    await send.click();
    await form.getByText('Choose a reason').first().waitFor();
    await form.getByLabel('Other reason').check();
    // Another admin refunds a part meanwhile.
    await refundOne();
    await send.click();
    await form.getByText('This order has changed since you loaded the page').waitFor();
    await form.getByText('Refunds all that is left, USD 35.50.').waitFor();
    await expect.poll(() => form.getByLabel(/^Note/).inputValue()).toBe('All bent.');
    expect(await form.getByLabel(/^Return the unshipped/).isChecked()).toBe(false);
    await form.getByLabel(/^Return the unshipped/).check();
    await send.click();
    await page.getByText('Refund requested.').waitFor();
    expect(await read()).toMatchObject({
      refunded: 40,
      removedQuantity: 4,
      returnedQuantity: 4,
      refunds: [{ amount: 10 }, { amount: 30, note: 'All bent.' }],
    });
    expect(await read(winder)).toMatchObject({ refunded: 5.5, returnedQuantity: 1 });
    await page.getByRole('link', { name: /^Refund the whole order/ }).waitFor({ state: 'detached' });
  },
);

test('a refund that failed later says why in words, and what to do instead', async () => {
  const { nora, purchase } = await buyTwo();
  const [order] = purchase.orders;
  const client = stage.shop.client(ada);
  const body = { amount: 3, reason: 'other' } as const;
  const { insertedId: id } = await refundOrder(client, {
    params: { id: order?._id ?? '' },
    body,
  });
  const page = await stage.open({ as: ada });
  const section = page.getByRole('region', { name: 'Pliers' });
  for (const [failure, advice, words] of [
    ['expired_or_canceled_card', 'Pay the customer back another way.', 'The card has expired'],
    ['charge_for_pending_refund_disputed', 'Respond to the dispute instead', 'The customer disputed'],
    ['', 'Pay the customer back another way.', ''],
  ] as const) {
    await stage.shop.database.db
      .updateTable('refund')
      .set({ status: 'failed', failure })
      .where('id', '=', id)
      .execute();
    await openPath(page, path(purchase));
    await section.getByText('refund failed').waitFor();
    const text = await readText(section);
    expect(text).toContain(advice);
    expect(text).toContain(words);
    if (failure) expect(text).not.toContain(failure);
  }
  const own = await stage.open({ as: nora });
  await openPath(own, path(purchase));
  await own.getByText('The shop will pay you back another way.').waitFor();
  await expect.poll(() => readText(own.locator('main'))).not.toContain('Pay the customer back');
});

test('without scripts, an admin refunds an order, and a rejected form keeps its input', async () => {
  const { purchase } = await buyTwo();
  const page = await stage.open({
    as: ada,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of (409|422)/],
  });
  await page.goto(path(purchase));
  await openRefund(page, 'Pliers');
  await page.getByLabel('Amount to refund').fill('55');
  await page.getByLabel(/^Note/).fill('Twice.');
  await refund(page);
  await page.getByRole('link', { name: 'Choose a reason' }).waitFor();
  await expect.poll(() => page.getByLabel(/^Note/).inputValue()).toBe('Twice.');
  await page.getByLabel('Paid twice').check();
  await refund(page);
  await page.getByText('At most USD 40.00 can still be refunded').first().waitFor();
  await expect.poll(() => page.getByLabel('Paid twice').isChecked()).toBe(true);
  await page.getByLabel('Amount to refund').fill('15,00');
  await refund(page);
  await page.getByText('Refund requested.').waitFor();
  await expect.poll(() => readText(page.getByRole('region', { name: 'Pliers' }))).toContain('USD 15.00');
  const { refunded } = await stage.shop.client(ada).call('getPurchase', { params: { id: purchase._id } });
  expect(refunded).toBe(15);
});
