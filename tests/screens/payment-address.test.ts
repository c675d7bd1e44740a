import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import { fillCardField, waitForTransactionId } from '../support/customer.ts';
import { buy, placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { pressButton } from './steps.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

/** The payment page of a new order without an address, with the card filled in. */
async function openWithoutAddress(expected: RegExp[] = []) {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const order = await placeOrder(stage.shop, nora, await stage.shop.addProduct());
  const page = await stage.open({ as: nora, expected });
  await openPath(page, `/dashboard/payment/${order._id}`);
  await fillCardField(page, '4242 4242 4242 4242');
  return { nora, order, page };
}

const read = (person: TestUser, { _id: id }: Order) =>
  stage.shop.client(person).call('getOrder', { params: { id } });
const findPay = (page: Page) => page.getByRole('button', { name: /^Pay \S+ [\d.]+$/ });
const findAddress = (page: Page) => page.getByLabel('Address', { exact: true });
const readFocus = (page: Page) => page.evaluate(() => document.activeElement?.id);

test('Pay asks about a missing address before it charges; Add an address leads to the field', async () => {
  const { nora, order, page } = await openWithoutAddress();
  await findPay(page).click();
  const dialog = page.getByRole('dialog', { name: 'Pay without an address?' });
  await dialog.getByRole('button', { name: 'Add an address' }).click();
  await expect.poll(() => readFocus(page)).toBe('address');
  expect((await read(nora, order)).paid).toBe(false);

  await findPay(page).click();
  await dialog.getByRole('button', { name: /^Pay .* without an address$/ }).click();
  await waitForTransactionId(page);
  expect(await read(nora, order)).toMatchObject({ paid: true, address: '' });
});

test('Pay saves an address that was typed, and charges the card', async () => {
  const { nora, order, page } = await openWithoutAddress();
  await findAddress(page).fill('4 Fusee Lane\nCoventry');
  await findPay(page).click();
  await waitForTransactionId(page);
  expect(await read(nora, order)).toMatchObject({ paid: true, address: '4 Fusee Lane\nCoventry' });
  await page.getByRole('region', { name: 'Where to send it' }).getByText('4 Fusee Lane').waitFor();
});

test('Pay saves a correction that was typed into the open form, also after the choice to continue without', async () => {
  const { nora, order, page } = await openWithoutAddress();
  await pressButton(page, 'Continue without an address');
  await page.getByRole('link', { name: 'Add an address' }).click();
  await page.getByLabel('Address (optional)').fill('4 Fusee Lane');
  await findPay(page).click();
  await waitForTransactionId(page);
  expect(await read(nora, order)).toMatchObject({ paid: true, address: '4 Fusee Lane' });
});

test('without a connection, Pay loses neither the address nor the card', async () => {
  const { nora, order, page } = await openWithoutAddress([/ERR_INTERNET_DISCONNECTED/]);
  await findAddress(page).fill('4 Fusee Lane');
  await page.context().setOffline(true);
  await findPay(page).click();
  await page.locator('.toast.wrong').waitFor();
  expect(await findAddress(page).inputValue()).toBe('4 Fusee Lane');
  await page.context().setOffline(false);
  await findPay(page).click();
  await waitForTransactionId(page);
  expect(await read(nora, order)).toMatchObject({ paid: true, address: '4 Fusee Lane' });
});

test('an empty address is not saved', async () => {
  const { nora, order, page } = await openWithoutAddress();
  await pressButton(page, 'Save the address');
  await expect.poll(() => readFocus(page)).toBe('address');
  const { version } = await read(nora, order);
  expect(version).toBe(order.version);
});

test('if the typed address cannot be saved, Pay says why and charges nothing', async () => {
  const { nora, order, page } = await openWithoutAddress([/status of 409/]);
  await findAddress(page).fill('4 Fusee Lane');
  const { version } = await read(nora, order);
  const body = { version, phone: '01904 1' };
  await stage.shop.client(nora).call('changeDelivery', { params: { id: order.purchase }, body });
  await findPay(page).click();
  await page.getByRole('status').getByText('This order has changed since you loaded the page').waitFor();
  expect(await findAddress(page).inputValue()).toBe('4 Fusee Lane');
  await findPay(page).click();
  await waitForTransactionId(page);
  expect(await read(nora, order)).toMatchObject({ address: '4 Fusee Lane', phone: '01904 1' });
});

test('the choice to continue without an address can be made first, and revised', async () => {
  const { page } = await openWithoutAddress();
  await pressButton(page, 'Continue without an address');
  await expect.poll(() => readFocus(page)).toBe('change-delivery');
  const delivery = page.getByRole('region', { name: 'Where to send it' });
  await delivery.getByText('No address given').waitFor();
  await delivery.getByRole('link', { name: 'Add an address' }).click();
  await page.getByLabel('Address (optional)').fill('4 Fusee Lane');
  await pressButton(page, 'Save delivery details');
  await delivery.getByText('4 Fusee Lane').waitFor();
  await expect.poll(() => readFocus(page)).toBe('change-delivery');
  await findPay(page).click();
  await waitForTransactionId(page);
});

test('a paid order’s address can be changed on its payment page, without scripts, too', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const { order } = await buy(stage.shop, nora, await stage.shop.addProduct());
  const page = await stage.open({
    as: nora,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /sandbox\/stripe.*: csp$/],
  });
  await page.goto(`/dashboard/payment/${order._id}`);
  const panel = page.getByRole('region', { name: 'Payment' });
  const readPaths = () =>
    panel.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const paidPaths = [
    `/dashboard/orders/${order.number}`,
    `/dashboard/print/invoices?orders=${order.number}`,
    '/dashboard/myOrder',
  ];
  expect(await readPaths()).toEqual([`/dashboard/payment/${order._id}?edit=delivery`, ...paidPaths]);
  await panel.getByRole('link', { name: 'Add an address' }).click();
  await page.getByLabel('Address (optional)').fill('4 Fusee Lane');
  await pressButton(page, 'Save delivery details');
  await page.getByText('Delivery details saved.').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/payment/${order._id}`);
  expect(await readPaths()).toEqual(paidPaths);
  await page.getByRole('region', { name: 'Where to send it' }).getByText('4 Fusee Lane').waitFor();
});

test('the page shows the steps and the tools with their images, and the total is above Pay', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const product = await stage.shop.addProduct({ name: 'Depthing tool', price: 12.5 });
  const order = await placeOrder(stage.shop, nora, product, 2);
  expect(order.img).toBe(product.img);
  const page = await stage.open({ as: nora, viewport: { width: 1280, height: 800 } });
  await openPath(page, `/dashboard/payment/${order._id}?done=ordered`);
  await expectToast(page, 'Add your product Successfully');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  // Loading the page again does not confirm the order again.
  expect(new URL(page.url()).search).toBe('');
  await expect
    .poll(() => readText(page.getByRole('list', { name: 'Progress' })))
    .toBe('ordered, donepaidshipped');
  const summary = page.getByRole('region', { name: 'Your order' });
  await expect.poll(() => summary.locator('img').count()).toBe(1);
  await expect.poll(() => readText(summary)).toContain('Depthing toolUSD 25.002 pieces');
  const panel = page.getByRole('region', { name: 'Payment' });
  await panel.getByText('Your card details go straight to the card provider').waitFor();
  await expect
    .poll(() => readText(panel))
    .toMatch(/TotalUSD 25\.00\s*We add nothing to this total\.\s*Pay USD 25\.00/);
  const { y = 0, height = 0 } = (await findPay(page).boundingBox()) ?? {};
  expect(y + height).toBeLessThan(800);

  await stage.shop.client(await stage.shop.admin()).call('deleteProduct', { params: { id: product._id } });
  expect(await read(nora, order)).not.toHaveProperty('img');
});

test('on a phone, a bar leads to the card form, and makes way for its Pay button and for a field in use', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const product = await stage.shop.addProduct({ price: 12.5 });
  const order = await placeOrder(stage.shop, nora, product, 2);
  const page = await stage.open({ as: nora, viewport: { width: 390, height: 740 } });
  await openPath(page, `/dashboard/payment/${order._id}`);
  const bar = page.locator('.buy-bar');
  await expect.poll(() => readText(bar)).toBe('TotalUSD 25.00Pay by card');
  await findAddress(page).focus();
  await expect.poll(() => bar.isVisible()).toBe(false);
  await findAddress(page).blur();
  await bar.getByRole('link', { name: 'Pay by card' }).click();
  await expect.poll(() => bar.count()).toBe(0);
  const { y = 0, height = 0 } = (await findPay(page).boundingBox()) ?? {};
  expect(y + height).toBeLessThan(740);
  await page.evaluate(() => scrollTo(0, 0));
  await bar.waitFor();
  const card = page.frameLocator('iframe[title="Secure card payment input frame"]').getByLabel('card number');
  await card.focus();
  await page.evaluate(() => scrollTo(0, 0));
  await expect.poll(() => bar.isVisible()).toBe(false);
  await card.blur();
  await bar.waitFor();
});

test('the order forms start with the address of the last order or, if it has none, of the profile', async () => {
  const { shop } = stage;
  const nora = await shop.signUp('Nora Newcomer');
  const client = shop.client(nora);
  const profile = { address: '4 Fusee Lane', phone: '0117 4960', education: 'BHI', linkedIn: 'in/nora' };
  await client.call('saveUser', { params: { email: nora.email }, body: profile });
  const product = await shop.addProduct();
  const [orderId, id] = [product._id, product._id];
  await client.call('setBasketLine', { params: { id }, body: { quantity: 1 } });
  const page = await stage.open({ as: nora });
  const readForms = async () => {
    const values: string[] = [];
    for (const path of [`/purchase/${id}`, '/basket']) {
      await openPath(page, path);
      for (const label of [/^Address/, /^Phone/]) values.push(await page.getByLabel(label).inputValue());
    }
    return values;
  };
  expect(await readForms()).toEqual(['4 Fusee Lane', '0117 4960', '4 Fusee Lane', '0117 4960']);
  const body = { orderId, orderQuantity: 1, price: product.price, user: nora.email };
  await client.call('placeOrder', { body: { ...body, address: '5 Verge Row', phone: '01904 1' } });
  expect(await readForms()).toEqual(['5 Verge Row', '01904 1', '5 Verge Row', '01904 1']);
  // An order without an address says nothing about where the next one goes.
  await client.call('placeOrder', { body });
  expect(await readForms()).toEqual(['4 Fusee Lane', '0117 4960', '4 Fusee Lane', '0117 4960']);
});
