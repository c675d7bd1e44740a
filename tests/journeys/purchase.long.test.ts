import { rmSync } from 'node:fs';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getBrowser, openPage, phone } from '../support/browser.ts';
import {
  fillCardField,
  orderFirstProduct,
  signIn,
  signUp,
  signUpWithGoogle,
  submitPayment,
  waitForTransactionId,
} from '../support/customer.ts';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';
import { createShopClient } from '../support/shop-client.ts';

let browser: Browser;
let DATA_DIR: string;

beforeAll(async () => {
  browser = await getBrowser();
});
beforeEach(() => {
  DATA_DIR = makeFolder();
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

async function openShop(): Promise<string> {
  const { origin } = await startServer({ DATA_DIR, PORT: `${await findFreePort()}` });
  return origin;
}

describe.each<[string, BrowserContextOptions]>([
  ['on a desktop', {}],
  ['on a phone', phone],
])('%s', (_where, screen) => {
  test('a new customer signs up, orders and pays, and the admin ships the order', async () => {
    const origin = await openShop();
    const page = await openPage(browser, origin, screen);
    await page.goto('/');
    await page
      .getByRole('link', { name: /^Order / })
      .first()
      .click();
    // A visitor must sign in first, and returns to the product.
    await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor();
    await signUp(page, 'Nora Newcomer', 'nora@example.com');
    await orderFirstProduct(page);
    await fillCardField(page, '4242 4242 4242 4242');
    await submitPayment(page);
    const transaction = await waitForTransactionId(page);

    const admin = await openPage(browser, origin, screen);
    await admin.goto('/dashboard/allOrders');
    await signIn(admin, 'admin@example.com', 'clockwork');
    await admin.getByRole('heading', { name: 'All Orders', level: 1 }).waitFor();
    await admin.getByText(transaction).waitFor();
    await admin.getByRole('button', { name: 'Ship, now paid' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Ship it' }).click();
    await admin.getByRole('button', { name: 'sipping', disabled: true }).waitFor();

    await page.goto('/dashboard/myOrder');
    await page.getByText(transaction).waitFor();
    const row = page.getByRole('article').filter({ hasText: transaction });
    await row.getByText('shipped', { exact: true }).first().waitFor();
    await expect.poll(() => row.getByRole('link', { name: /^Pay / }).count()).toBe(0);
  });
});

test('a new customer signs in with Google, orders and pays', async () => {
  const origin = await openShop();
  const page = await openPage(browser, origin);
  await page.goto('/signup');
  await signUpWithGoogle(page);
  await orderFirstProduct(page);
  await fillCardField(page, '4242 4242 4242 4242');
  await submitPayment(page);
  await waitForTransactionId(page);
});

test("a declined card shows the provider's message, and another card pays", async () => {
  const page = await openPage(browser, await openShop(), { expected: [/status of 402/] });
  await signUp(page, 'Nora Newcomer', 'nora@example.com');
  await orderFirstProduct(page);
  await fillCardField(page, '4000 0000 0000 0002');
  await submitPayment(page);
  await page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor();
  const number = page
    .frameLocator('iframe[title="Secure card payment input frame"]')
    .getByLabel('card number');
  await number.fill('4242 4242 4242 4242');
  await submitPayment(page);
  await waitForTransactionId(page);
});

test('a card that requires authentication pays once it succeeds, and not if it fails', async () => {
  const page = await openPage(browser, await openShop());
  await signUp(page, 'Nora Newcomer', 'nora@example.com');
  await orderFirstProduct(page);
  await fillCardField(page, '4000 0025 0000 3155');
  const bank = page.frameLocator('iframe[title="3D Secure authentication"]');
  await submitPayment(page);
  await bank.getByRole('button', { name: 'Fail authentication' }).click();
  await page.getByRole('alert').filter({ hasText: 'We are unable to authenticate' }).waitFor();
  await submitPayment(page);
  await bank.getByRole('button', { name: 'Complete authentication' }).click();
  await waitForTransactionId(page);
});

test('an order is marked paid even if the browser closes right after the charge', async () => {
  const origin = await openShop();
  const page = await openPage(browser, origin);
  await signUp(page, 'Nora Newcomer', 'nora@example.com');
  await orderFirstProduct(page);
  await fillCardField(page, '4242 4242 4242 4242');
  // The browser never reports the payment to the shop.
  await page.route('**/api/orders/*', () => undefined);
  const charged = page.waitForResponse(/\/payment_intents\/\w+\/confirm/);
  await submitPayment(page);
  await charged;
  await page.close();

  const shopClient = createShopClient(origin, fetch);
  const nora = await shopClient.signIn('nora@example.com', 'anchor-escapement');
  await expect
    .poll(() => shopClient.client(nora).call('listOwnOrders', { query: { user: nora.email } }))
    .toMatchObject([{ orderStatus: 'paid', paid: true }]);
});

test('the home page and its links work without JavaScript', async () => {
  // The browser reports the scripts that it blocks.
  const expected = [/static\/js\/.*: csp$/];
  const page = await openPage(browser, await openShop(), { javaScriptEnabled: false, expected });
  await page.goto('/');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^Order / }).count()).toBe(3);
  await page.getByText('544+').waitFor();
  await page.getByRole('link', { name: 'Blogs' }).first().click();
  await page.getByRole('heading', { name: 'Blogs', level: 1 }).waitFor();
});
