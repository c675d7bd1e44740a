import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import { fillCardField, submitPayment, waitForTransactionId } from '../support/customer.ts';
import { changeOrders } from '../support/order-rows.ts';
import { listIntentStates, placeOrder } from '../support/payments.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

/** Opens the payment page of a new order and fills in the card. `before` runs before the page is opened. */
async function openPaymentPage(
  expected: RegExp[] = [],
  before: (page: Page, order: Order) => Promise<unknown> = async () => undefined,
) {
  const person = await stage.shop.signUp();
  const order = await placeOrder(stage.shop, person, await stage.shop.addProduct());
  const page = await stage.open({ as: person, expected });
  await before(page, order);
  await openPath(page, `/dashboard/payment/${order._id}`);
  await fillCardField(page, '4242 4242 4242 4242');
  return { person, order, page };
}

const orders = '**/api/orders/*';
const isFocused = (page: Page, text: RegExp) =>
  page
    .getByRole('alert')
    .filter({ hasText: text })
    .evaluate((element) => element === document.activeElement);

test('the page says that the total is all there is to pay, and has a footer of one line', async () => {
  const { page } = await openPaymentPage();
  await page.getByText('We add nothing to this total.').waitFor();
  const footer = page.getByRole('contentinfo');
  await footer.getByText('Copyright © 2022').waitFor();
  expect(await footer.getByRole('link').count()).toBe(0);
});

test('the provider gets a return_url', async () => {
  const { page, order } = await openPaymentPage();
  const confirmed = page.waitForRequest(/\/payment_intents\/\w+\/confirm$/);
  await submitPayment(page);
  const sent = new URLSearchParams((await confirmed).postData() ?? '');
  expect(sent.get('return_url')).toBe(`${stage.shop.origin}/dashboard/payment/${order._id}`);
  await waitForTransactionId(page);
});

test('a customer whose email address the provider refuses can pay', async () => {
  const { page, order } = await openPaymentPage([/status of 400/], async (_, { user }) => {
    const { db } = stage.shop.database;
    const email = 'nöra@shop.example';
    await db.updateTable('user').set({ email }).where('email', '=', user).execute();
  });
  await submitPayment(page);
  await waitForTransactionId(page);
  await page.getByText('We’re emailing you a receipt.').waitFor();
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['succeeded']);
});

test("if the provider's script fails after the charge, Pay can be pressed again and charges once", async () => {
  const { page, order } = await openPaymentPage([/status of 400/], (page) =>
    page.route('**/sandbox/stripe/v3/', async (route) => {
      const response = await route.fetch();
      const failing = `{
        const open = window.Stripe;
        let isFirst = true;
        window.Stripe = Object.assign((key) => {
          const stripe = open(key);
          const confirm = stripe.confirmCardPayment;
          stripe.confirmCardPayment = async (...args) => {
            const result = await confirm(...args);
            if (!isFirst) return result;
            isFirst = false;
            throw new Error('The answer was lost.');
          };
          return stripe;
        }, { version: open.version });
      }`;
      await route.fulfill({ response, body: (await response.text()) + failing });
    }),
  );
  await submitPayment(page);
  await page.getByRole('alert').filter({ hasText: 'Press Pay again' }).waitFor();
  await submitPayment(page);
  await waitForTransactionId(page);
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['succeeded']);
});

test('if the connection is lost while paying, the page says so, and Pay can be pressed again and charges once', async () => {
  const { page, order } = await openPaymentPage([/ERR_FAILED/, /status of 400/]);
  const confirm = '**/payment_intents/*/confirm';
  await page.route(confirm, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await submitPayment(page);
  const alert = page.getByRole('alert').filter({ hasText: 'charged only once' });
  await alert.waitFor();
  await expect
    .poll(() => alert.textContent())
    .toBe('The connection was lost. Press Pay again: your card will be charged only once.');
  await page.unroute(confirm);
  await submitPayment(page);
  await waitForTransactionId(page);
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['succeeded']);
});

test("a declined card shows the provider's message and that nothing was charged; a wrong code only the message", async () => {
  const { page, order } = await openPaymentPage([/status of 402/]);
  for (const [card, message] of [
    ['4000 0000 0000 0002', 'Your card was declined. Nothing was charged. Try another card.'],
    ['4000 0000 0000 0127', "Your card's security code is incorrect."],
  ] as const) {
    await fillCardField(page, card);
    await submitPayment(page);
    await expect
      .poll(() => page.getByRole('alert').filter({ hasText: 'Your card' }).allTextContents())
      .toEqual([message]);
  }
  await expect.poll(() => listIntentStates(stage.shop, order)).toEqual(['requires_payment_method']);
});

test.each([
  [
    'no longer exists',
    /This order no longer exists. If your card was charged, the money will be refunded./,
    async (id: string) => {
      for (const table of ['order_line', 'purchase'] as const)
        await stage.shop.database.db.deleteFrom(table).where('id', '=', id).execute();
    },
  ],
  [
    'it cannot pay',
    /This payment could not be applied to the order. This payment is being refunded./,
    (id: string) => changeOrders(stage.shop, { total: 1 }, id),
  ],
])(
  'a payment of an order that %s is reported as final, without advice to wait',
  async (_, message, change) => {
    const { page, order } = await openPaymentPage([/status of 40[49]/]);
    await change(order._id);
    await submitPayment(page);
    await page.getByRole('alert').filter({ hasText: message }).waitFor();
    await expect.poll(() => isFocused(page, message)).toBe(true);
    await expect.poll(() => page.getByText('Do not pay again').count()).toBe(0);
    await expect.poll(() => page.getByRole('button', { name: /^Pay|Retry/ }).count()).toBe(0);
  },
);

test('a payment that the shop cannot record yet is reported, and Retry records it', async () => {
  const { page } = await openPaymentPage([/status of 503/]);
  await page.route(orders, (route) => route.fulfill({ status: 503, body: '' }));
  await submitPayment(page);
  await page.getByRole('alert').filter({ hasText: 'Do not pay again' }).waitFor();
  await expect.poll(() => isFocused(page, /Do not pay again/)).toBe(true);
  await page.unroute(orders);
  await page.getByRole('button', { name: 'Retry' }).click();
  await waitForTransactionId(page);
});

test('a payment that is processing is reported, with the advice not to pay again', async () => {
  const { page } = await openPaymentPage();
  stage.shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/confirm', how: 'processing' });
  await submitPayment(page);
  await page.getByRole('alert').filter({ hasText: 'being processed. Do not pay again' }).waitFor();
});
