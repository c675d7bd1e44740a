import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { maxLines } from '../../contract/orders/purchases.ts';
import { fillCardField, submitPayment } from '../support/customer.ts';
import { buy, placePurchase } from '../support/payments.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { pressButton } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

/** Ends all holds. */
async function endHolds(): Promise<void> {
  const { database, doPeriodicWork } = stage.shop;
  await database.db.updateTable('purchase').set({ hold_until: 1 }).where('status', '=', '').execute();
  await doPeriodicWork();
}

/** A customer's purchase of a winder and a puller, which has expired; the winder's price has risen since. */
async function openExpired() {
  const { shop } = stage;
  const nora = await shop.signUp();
  const winder = await shop.addProduct({ name: 'Mainspring winder', price: 12.5 });
  const puller = await shop.addProduct({ name: 'Hand puller', price: 5 });
  const purchase = await placePurchase(shop, nora, [
    [winder, 2],
    [puller, 1],
  ]);
  await endHolds();
  const edit = { params: { id: winder._id }, body: { version: 1, price: 20 } };
  await shop.client(await shop.admin()).call('editProduct', edit);
  return { nora, winder, puller, purchase };
}

const readQuantity = (page: Page, { name }: Product) =>
  page.getByLabel(`Quantity of ${name}`, { exact: true }).inputValue();

test('My Orders offers to order an expired purchase again instead of paying: the basket has its tools at today’s prices', async () => {
  const { nora, winder, puller, purchase } = await openExpired();
  await stage.shop.client(nora).call('setBasketLine', { params: { id: puller._id }, body: { quantity: 3 } });
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  const row = page.getByRole('article').filter({ hasText: purchase.number });
  await row.getByText('reservation ended').waitFor();
  expect(await page.getByRole('link', { name: /^Pay/ }).count()).toBe(0);
  await row.getByRole('button', { name: `Order again the 2 tools of ${purchase.number}` }).click();
  await page.getByText('The tools of that order are in your basket again, at today’s prices.').waitFor();
  expect(page.url()).toMatch(/\/basket\?done=again$/);
  expect(await readQuantity(page, winder)).toBe('2');
  expect(await readQuantity(page, puller)).toBe('3');
  await page.getByText('USD 55.00').waitFor();
  expect(await readText(page.getByRole('banner'))).toMatch(/Basket\D+5/);
});

test('the pages of an expired order offer to order it again instead of paying, and offer nothing to an admin', async () => {
  const { nora, winder, puller, purchase } = await openExpired();
  const admin = stage.shop.client(await stage.shop.admin());
  await admin.call('deleteProduct', { params: { id: puller._id } });
  const page = await stage.open({ as: nora });
  for (const path of [`orders/${purchase.number}`, `payment/${purchase.orders[0]?._id}`]) {
    await openPath(page, `/dashboard/${path}`);
    const main = page.getByRole('main');
    await main
      .getByText(/not paid in time/i)
      .first()
      .waitFor();
    expect(await main.getByRole('link', { name: /^Pay/ }).count()).toBe(0);
    expect(await main.getByRole('button', { name: /^Pay/ }).count()).toBe(0);
    await pressButton(page, 'Order again');
    await page.getByText('This tool is no longer sold.').waitFor();
    expect(await readQuantity(page, winder)).toBe('2');
  }
  const ada = await stage.open({ as: await stage.shop.admin() });
  for (const path of [`orders/${purchase.number}`, `payment/${purchase.orders[0]?._id}`]) {
    await openPath(ada, `/dashboard/${path}`);
    await ada
      .getByText(/not paid in time/i)
      .first()
      .waitFor();
    expect(await ada.getByRole('button', { name: 'Order again' }).count()).toBe(0);
  }
});

test('if the reservation ends while the card is entered, nothing is charged, and the page offers to order again', async () => {
  const { shop } = stage;
  const nora = await shop.signUp();
  const purchase = await placePurchase(shop, nora, [[await shop.addProduct(), 1]]);
  const page = await stage.open({ as: nora, expected: [/status of (400|409)/] });
  await openPath(page, `/dashboard/payment/${purchase.orders[0]?._id}`);
  await fillCardField(page, '4242 4242 4242 4242');
  await endHolds();
  await submitPayment(page);
  const notice = page.getByRole('alert').filter({ hasText: 'This order was not paid in time' });
  await expect.poll(() => notice.evaluate((element) => element === document.activeElement)).toBe(true);
  await notice.getByRole('button', { name: 'Order again' }).click();
  await page.getByText('in your basket again').waitFor();
});

test('without scripts, an expired purchase is ordered again from My Orders and from its page', async () => {
  const { nora, winder, puller, purchase } = await openExpired();
  const page = await stage.open({
    as: nora,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /sandbox\/stripe.*: csp$/, /status of 409/],
  });
  await page.goto('/dashboard/myOrder');
  await pressButton(page, `Order again the 2 tools of ${purchase.number}`);
  await page.getByText('in your basket again').waitFor();
  expect(page.url()).toMatch(/\/basket\?done=again$/);
  expect(await readQuantity(page, winder)).toBe('2');
  const client = stage.shop.client(nora);
  await client.call('removeBasketLine', { params: { id: winder._id } });
  await page.goto(`/dashboard/orders/${purchase.number}`);
  await pressButton(page, 'Order again');
  await page.getByText('in your basket again').waitFor();
  expect(await readQuantity(page, puller)).toBe('1');

  // A full basket stays as it is.
  await client.call('removeBasketLine', { params: { id: winder._id } });
  for (let count = 1; count < maxLines; count++) {
    const { _id: id } = await stage.shop.addProduct();
    await client.call('setBasketLine', { params: { id }, body: { quantity: 1 } });
  }
  await page.goto('/dashboard/myOrder');
  await pressButton(page, `Order again the 2 tools of ${purchase.number}`);
  await page.getByRole('alert').getByText('A basket holds at most 50 different tools.').waitFor();
  expect(page.url()).toMatch(/\/dashboard\/myOrder$/);
});

test('a paid order is ordered again from My Orders and from its page', async () => {
  const nora = await stage.shop.signUp();
  const { order } = await buy(stage.shop, nora, await stage.shop.addProduct({ name: 'Star key' }), 2);
  const page = await stage.open({ as: nora });
  for (const [path, name] of [
    ['myOrder', 'Order again Star key'],
    [`orders/${order.number}`, 'Order again'],
  ]) {
    await openPath(page, `/dashboard/${path}`);
    await pressButton(page, name ?? '');
    await page.getByText('in your basket again').waitFor();
    expect(await page.getByLabel('Quantity of Star key', { exact: true }).inputValue()).toBe('2');
  }
});
