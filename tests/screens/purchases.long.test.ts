import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { fillCardField, submitPayment, waitForTransactionId } from '../support/customer.ts';
import { confirmIntent, openPurchasePayment, placeOrder, placePurchase } from '../support/payments.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let winder: Product;
let puller: Product;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  winder = await stage.shop.addProduct({ name: 'Mainspring winder', price: 12.5, a_quantity: 10_000 });
  puller = await stage.shop.addProduct({ name: 'Hand puller', price: 5, a_quantity: 10_000 });
});
afterAll(() => stage?.close());

/** A new user with an unpaid purchase of two tools, USD 35.00 in total. */
async function placeTwo() {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const purchase = await placePurchase(stage.shop, nora, [
    [winder, 2],
    [puller, 2],
  ]);
  return { nora, purchase };
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const card = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });
const lines = (page: Page) => page.getByRole('article').getByRole('listitem');

test('My Orders shows the orders of a purchase under its number, with one Pay and a Delete for each', async () => {
  const { nora, purchase } = await placeTwo();
  const single = await placeOrder(stage.shop, nora, winder);
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  const common = card(page, purchase.number);
  await expect.poll(() => readText(common)).toContain('2 tools together');
  await expect.poll(() => readText(common)).toContain('$35.00');
  await expect
    .poll(() => common.getByRole('link', { name: `Pay for the 2 tools of ${purchase.number}` }).count())
    .toBe(1);
  for (const name of ['Mainspring winder', 'Hand puller'])
    await expect
      .poll(() => page.getByRole('button', { name: `Delete the order for ${name}` }).count())
      .toBeGreaterThan(0);
  await expect.poll(() => lines(page).last().textContent()).toMatch(/^Hand puller/);
  await expect.poll(() => page.getByRole('link', { name: /^Pay for/ }).count()).toBe(2);
  await expect
    .poll(() => card(page, single.number).getByRole('link', { name: 'Pay for Mainspring winder' }).count())
    .toBe(1);
});

test('deleting one order of a purchase leaves the others to be paid at the new total', async () => {
  const { nora, purchase } = await placeTwo();
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  await page.getByRole('button', { name: 'Delete the order for Hand puller' }).click();
  const dialog = page.getByRole('dialog');
  await expect.poll(() => readText(dialog)).toContain('The other tools in this order stay');
  await dialog.getByRole('button', { name: 'Delete the order' }).click();
  await page.getByText('Order:Hand puller is Deleted.').waitFor();
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain('Mainspring winder');
  const rest = card(page, purchase.number);
  await rest.getByRole('link', { name: 'Pay for Mainspring winder' }).waitFor();
  await expect.poll(() => readText(rest)).toContain('$25.00');
});

test('an unpaid order is deleted on its page, which then shows the other orders or leads to My Orders', async () => {
  const { nora, purchase } = await placeTwo();
  const page = await stage.open({ as: nora });
  await openPath(page, `/dashboard/orders/${purchase.number}`);
  const remove = async (name: string) => {
    await page.getByRole('link', { name: `Delete the order for ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the order' }).click();
    await page.getByText(`Order:${name} is Deleted.`).waitFor();
  };
  await remove('Hand puller');
  await page.getByRole('heading', { name: 'Hand puller', exact: true }).waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  await remove('Mainspring winder');
  await page.getByRole('heading', { name: 'No orders yet' }).waitFor();

  const other = await placeOrder(stage.shop, nora, winder);
  const plain = await stage.open({
    as: nora,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/],
  });
  await plain.goto(`/dashboard/orders/${other.number}`);
  await plain.getByRole('link', { name: 'Delete the order for Mainspring winder' }).click();
  await plain.getByRole('button', { name: 'Delete the order', exact: true }).click();
  await plain.getByText('The order is deleted.').waitFor();
});

test('after deleting the first of two tools on My Orders, the focus is on the second', async () => {
  const { nora } = await placeTwo();
  await placeOrder(stage.shop, nora, winder);
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  const buttons = page.getByRole('button', { name: /^Delete the order for/ });
  // The newest order is first. The other one has two tools.
  const names = await buttons.evaluateAll((all) => all.map((button) => button.textContent));
  await buttons.nth(1).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the order' }).click();
  await expect.poll(() => buttons.count()).toBe(names.length - 1);
  const second = names[2]?.replace(/.*the order for /, '') ?? '';
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('li')?.textContent))
    .toContain(second);
});

test('a page of My Orders never splits a purchase', async () => {
  const nora = await stage.shop.signUp();
  for (let index = 0; index < 2; index++)
    await placePurchase(stage.shop, nora, [
      [winder, 1],
      [puller, 1],
    ]);
  const numbers: string[] = [];
  for (let index = 0; index < 48; index++) numbers.push((await placeOrder(stage.shop, nora, puller)).number);
  await placeOrder(stage.shop, nora, winder);
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  // 49 single orders leave room for one more on the page, which is not enough for a purchase of two.
  await expect.poll(() => page.getByRole('article').count()).toBe(49);
  await page.getByRole('link', { name: 'Older orders' }).click();
  await page.getByText('2 tools together').first().waitFor();
  await expect.poll(() => page.getByText('2 tools together').count()).toBe(2);
  await expect.poll(() => page.getByRole('link', { name: 'Older orders' }).count()).toBe(0);
});

test('the payment page of any of its orders shows and pays the whole purchase; the confirmation shows its number', async () => {
  const { nora, purchase } = await placeTwo();
  const page = await stage.open({ as: nora });
  const asked = page.waitForRequest('**/api/create-payment-intent');
  await openPath(page, `/dashboard/payment/${purchase.orders[1]?._id}`);
  expect((await asked).postDataJSON()).toEqual({ price: 35, purchase: purchase._id });
  const summary = await readText(page.getByRole('region', { name: 'Your order' }));
  expect(summary).toMatch(/Mainspring winder\s*USD 25\.00\s*2 pieces/);
  expect(summary).toMatch(/Hand puller\s*USD 10\.00\s*2 pieces/);
  expect(await readText(page.getByRole('region', { name: 'Payment' }))).toContain('TotalUSD 35.00');
  expect(summary).toContain(purchase.number);
  await fillCardField(page, '4242 4242 4242 4242');
  await submitPayment(page);
  const transaction = await waitForTransactionId(page);
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toContain('Congratulations');
  await expect
    .poll(() => readText(page.getByRole('status').filter({ hasText: 'Congratulations' })))
    .toContain(purchase.number);
  await page.getByRole('link', { name: 'My Orders' }).last().click();
  await card(page, purchase.number).getByText(`Transaction ${transaction}`).waitFor();
  await expect.poll(() => page.getByRole('link', { name: /^Pay for/ }).count()).toBe(0);
  await expect.poll(() => page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
});

test('if another window deletes an order while the card is entered, the page charges nothing and shows the new total', async () => {
  const { nora, purchase } = await placeTwo();
  const page = await stage.open({ as: nora, expected: [/status of (400|409)/] });
  await openPath(page, `/dashboard/payment/${purchase.orders[0]?._id}`);
  await fillCardField(page, '4242 4242 4242 4242');
  await stage.shop.client(nora).call('deleteOrder', { params: { id: purchase.orders[1]?._id ?? '' } });
  await submitPayment(page);
  await page.getByRole('button', { name: 'Pay USD 25.00' }).waitFor();
  await fillCardField(page, '4242 4242 4242 4242');
  await submitPayment(page);
  await waitForTransactionId(page);
});

test('All Orders shows the number of each order; the orders of a paid purchase are shipped one by one', async () => {
  const { nora, purchase } = await placeTwo();
  const intent = await openPurchasePayment(stage.shop, nora, purchase);
  await confirmIntent(stage.shop, intent);
  await stage.shop.client(nora).call('markOrderPaid', {
    params: { id: purchase.orders[0]?._id ?? '' },
    body: { transactionId: intent.id },
  });
  const page = await stage.open({ as: await stage.shop.admin() });
  await openPath(page, '/dashboard/allOrders');
  await expect.poll(() => row(page, purchase.number).count()).toBe(2);
  const first = row(page, purchase.number).filter({ hasText: 'Hand puller' });
  await first.getByRole('button', { name: 'Ship, now paid' }).click();
  // The order has no address, so a dialog asks first.
  await page.getByRole('dialog').getByRole('button', { name: 'Ship it' }).click();
  await first.getByText('shipped').waitFor();

  const own = await stage.open({ as: nora });
  await openPath(own, '/dashboard/myOrder');
  const lineOf = (text: string) => lines(own).filter({ hasText: text });
  await expect
    .poll(() => readText(card(own, purchase.number)))
    .toMatch(/Paid on \d\d \w{3} 2\d{3}\. The rest is not shipped yet\./);
  await expect.poll(() => readText(lineOf('Hand puller'))).toContain('Step 3 of 3: shipped');
  await expect.poll(() => readText(lineOf('Mainspring winder'))).toContain('Step 2 of 3: paid');
  // A review is offered for what has been shipped.
  await lineOf('Hand puller').getByRole('link', { name: 'Write a review of Hand puller' }).waitFor();
  await expect.poll(() => own.getByRole('link', { name: /^Write a review/ }).count()).toBe(1);
});

test('the number of a purchase is printed', async () => {
  const { nora, purchase } = await placeTwo();
  const page = await stage.open({ as: nora });
  await openPath(page, '/dashboard/myOrder');
  await page.emulateMedia({ media: 'print' });
  await expect
    .poll(() => page.getByRole('link', { name: `Order ${purchase.number}`, exact: true }).isVisible())
    .toBe(true);
  await expect.poll(() => page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
  await openPath(page, `/dashboard/payment/${purchase.orders[0]?._id}`);
  await expect.poll(() => page.getByText(purchase.number).isVisible()).toBe(true);
});
