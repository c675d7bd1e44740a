import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { readDescription, readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** Opens the page of a product as a new user. */
async function openProduct(
  product: Product,
  expected: RegExp[] = [],
): Promise<{ page: Page; nora: TestUser }> {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const page = await stage.open({ as: nora, expected });
  await openPath(page, `/purchase/${product._id}`);
  await page.getByRole('heading', { name: product.name, level: 1 }).waitFor();
  return { page, nora };
}

const findQuantity = (page: Page) => page.locator('#orderQuantity');
const findSubmit = (page: Page) => page.getByRole('button', { name: 'Place order' });
const listOrders = (person: TestUser) =>
  stage.shop.client(person).call('listOwnOrders', { query: { user: person.email } });

test('Products shows every tool with its price, and marks the sold-out one', async () => {
  const page = await stage.open({ as: await stage.shop.signUp() });
  await openPath(page, '/products');
  const all = await stage.shop.client().call('listProducts', { query: {} });
  const cards = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: /^(Order|View) / }) });
  await expect.poll(() => cards.count()).toBe(all.length);
  for (const [index, product] of all.entries()) {
    const card = cards.nth(index);
    const text = await readText(card);
    expect(text).toContain(product.name);
    expect(text).toContain('Taka');
    expect(text).toContain(product.description.slice(0, 100).replace(/[\s.]+$/, ''));
    expect(text.includes('Sold out')).toBe(product.a_quantity < product.o_quantity);
  }
});

test('the page of a sold-out product says so and has no form', async () => {
  const all = await stage.shop.client().call('listProducts', { query: {} });
  const soldOut = all.find(({ a_quantity, o_quantity }) => a_quantity < o_quantity);
  if (!soldOut) throw new Error('Nothing is sold out in the demo.');
  const { page } = await openProduct(soldOut);
  await page.getByText('Sold out').first().waitFor();
  await page.getByText('Too few left for the minimum order.').waitFor();
  await expect.poll(() => findSubmit(page).count()).toBe(0);
  const none = await stage.shop.addProduct({ a_quantity: 0 });
  await openPath(page, `/purchase/${none._id}`);
  await page.getByText('None left at the moment.').waitFor();
});

test('the purchase page shows image, full description, price, both quantities and a collapsible form', async () => {
  const product = await stage.product(18);
  const { page } = await openProduct(product);
  const main = page.getByRole('main');
  const text = await readText(main);
  expect(text).toContain(product.description.replace(/\s+/g, ' '));
  expect(text).toContain(`USD ${product.price.toFixed(2)}`);
  expect(text).not.toContain('Taka');
  expect(text).toContain(String(product.o_quantity));
  expect(text).toContain(String(product.a_quantity));
  await expect.poll(() => main.getByRole('img', { name: product.name, exact: true }).isVisible()).toBe(true);
  await expect.poll(() => findSubmit(page).isVisible()).toBe(true);
  await main.getByText('Order form').click();
  await expect.poll(() => findSubmit(page).isVisible()).toBe(false);
  await main.getByText('Order form').click();
  await expect.poll(() => findSubmit(page).isVisible()).toBe(true);
});

test('the stepper starts at the minimum, describes its limits and stays within them', async () => {
  const product = await stage.shop.addProduct({ name: 'Taper pins', o_quantity: 3, a_quantity: 5 });
  const { page } = await openProduct(product);
  const field = findQuantity(page);
  const less = page.locator('#order-form').getByRole('button', { name: /^One less/ });
  const more = page.locator('#order-form').getByRole('button', { name: /^One more/ });
  await expect.poll(() => field.inputValue()).toBe('3');
  await expect.poll(() => readDescription(field)).toMatch(/3.*5/);
  await expect.poll(() => less.isDisabled()).toBe(true);
  await more.click();
  await more.click();
  await expect.poll(() => field.inputValue()).toBe('5');
  await expect.poll(() => more.isDisabled()).toBe(true);
  await less.click();
  await expect.poll(() => field.inputValue()).toBe('4');
  await field.fill('four');
  await more.click();
  await expect.poll(() => field.inputValue()).toBe('3');
  await more.click();
  // A floating-point error would show here: 4 × 12.50.
  await page.getByRole('status').getByText('USD 50.00').waitFor();
});

test('a quantity outside the limits is rejected by the button and on Enter, and nothing is sent', async () => {
  const product = await stage.shop.addProduct({ name: 'Taper pins', o_quantity: 3, a_quantity: 5 });
  const { page } = await openProduct(product);
  await page.waitForLoadState('networkidle');
  const calls = recordWrites(page);
  for (const typed of ['2', '6', '0', '-3', '3.5', 'four', '']) {
    await findQuantity(page).fill(typed);
    await expect.poll(() => findSubmit(page).getAttribute('aria-disabled'), { message: typed }).toBe('true');
    await findSubmit(page).click({ force: true });
    await expectToast(page, 'plz Input the write value');
    await findQuantity(page).press('Enter');
    await expectToast(page, 'plz Input the write value');
  }
  // The same message twice shows one toast.
  for (const _ of [1, 2]) await findQuantity(page).press('Enter');
  await page.getByText('plz Input the write value').waitFor();
  await expect.poll(() => page.getByText('plz Input the write value').count()).toBe(1);
  expect(calls).toEqual([]);
  await findQuantity(page).fill('5');
  await expect.poll(() => findSubmit(page).getAttribute('aria-disabled')).not.toBe('true');
});

test('an order without address and phone is placed and confirmed by a toast on its payment page', async () => {
  const { page, nora } = await openProduct(await stage.product(0));
  await expect.poll(() => page.getByLabel(/^Address/).inputValue()).toBe('');
  await findSubmit(page).click();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  await expectToast(page, 'Add your product Successfully');
  const [placed] = await listOrders(nora);
  expect(placed).toMatchObject({ orderQuantity: 1, orderStatus: '', paid: false, phone: '', address: '' });
});

test('the form has a read-only name and email, and fills address and phone from the profile', async () => {
  const nora = await stage.shop.signUp('Nora Newcomer');
  const profile = { address: '4 Fusee Lane', phone: '0117 4960', education: 'BHI', linkedIn: 'in/nora' };
  await stage.shop.client(nora).call('saveUser', { params: { email: nora.email }, body: profile });
  const page = await stage.open({ as: nora });
  await openPath(page, `/purchase/${(await stage.product(2))._id}`);
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Nora Newcomer');
  await expect.poll(() => page.getByLabel('Name', { exact: true }).isEditable()).toBe(false);
  await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(nora.email);
  await expect.poll(() => page.getByLabel('Email', { exact: true }).isEditable()).toBe(false);
  await expect.poll(() => page.getByLabel(/^Address/).inputValue()).toBe('4 Fusee Lane');
  await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
  await page.getByLabel(/^Address/).fill('5 Verge Row');
  await findSubmit(page).click();
  await page.getByText('5 Verge Row').waitFor();
});

test('a double click on the button places one order', async () => {
  const { page, nora } = await openProduct(await stage.product(2));
  const calls = recordWrites(page);
  const release = await holdRequests(page, '**/api/orders');
  await findSubmit(page).dblclick();
  await findQuantity(page).press('Enter');
  await expect.poll(() => findSubmit(page).getAttribute('aria-disabled')).toBe('true');
  release();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  expect(calls.filter((call) => call === 'POST /api/orders')).toHaveLength(1);
  await expect.poll(() => listOrders(nora)).toHaveLength(1);
});

test('an order whose response was lost cannot be changed, and sending it again places it once', async () => {
  const product = await stage.product(2);
  const { page, nora } = await openProduct(product, [/ERR_(FAILED|CONNECTION)/, /status of 429/]);
  await page
    .locator('#order-form')
    .getByRole('button', { name: /^One more/ })
    .click();
  await page.getByLabel(/^Phone/).fill('0117 4960');
  await page.route('**/api/orders', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await findSubmit(page).click();
  const notice = page.getByRole('alert').filter({ hasText: 'your order may already have been placed' });
  const expectLocked = async () => {
    await notice.waitFor();
    // Other input would be another order.
    for (const label of [/^Quantity/, /^Address/, /^Phone/, /^One (less|more)/])
      for (const control of await page.getByLabel(label).all())
        await expect.poll(() => control.isDisabled(), { message: String(label) }).toBe(true);
    await expect.poll(() => page.getByRole('button', { name: 'Add to basket' }).isDisabled()).toBe(true);
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
  };
  await expectLocked();
  await expect.poll(() => notice.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.unroute('**/api/orders');
  // A rejected retry says nothing about the first attempt.
  await page.route('**/api/orders', (route) => route.fulfill({ status: 429, body: '' }));
  await findSubmit(page).click();
  await expect.poll(() => findSubmit(page).getAttribute('aria-busy')).toBeNull();
  await expectLocked();
  await page.unroute('**/api/orders');
  await findSubmit(page).click();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  await expect
    .poll(() => listOrders(nora))
    .toMatchObject([{ orderQuantity: product.o_quantity + 1, phone: '0117 4960' }]);
});

test('if the user stops the loading of the payment page, a further click opens the same order', async () => {
  const { page, nora } = await openProduct(await stage.product(2), [/ERR_ABORTED/]);
  const release = await holdRequests(page, '**/dashboard/payment/**');
  // Playwright cannot run a script in a page that waits for its next document.
  await page.evaluate(() =>
    window.navigation.addEventListener('navigate', () => setTimeout(() => window.stop()), { once: true }),
  );
  await findSubmit(page).click({ noWaitAfter: true });
  await expect.poll(() => page.locator('#orderQuantity').isDisabled()).toBe(true);
  await expect.poll(() => findSubmit(page).getAttribute('aria-busy')).toBeNull();
  release();
  await findSubmit(page).click();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  expect(await listOrders(nora)).toHaveLength(1);
});

test('an order that the shop rejected can be changed and placed', async () => {
  const product = await stage.product(2);
  const { page, nora } = await openProduct(product, [/status of 429/]);
  await page.route('**/api/orders', (route) => route.fulfill({ status: 429, body: '' }));
  await findSubmit(page).click();
  await page.getByRole('alert').filter({ hasText: 'unexpected response' }).waitFor();
  await page.unroute('**/api/orders');
  await page
    .locator('#order-form')
    .getByRole('button', { name: /^One more/ })
    .click();
  await findSubmit(page).click();
  await page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
  await expect.poll(() => listOrders(nora)).toMatchObject([{ orderQuantity: product.o_quantity + 1 }]);
});

test('if the stock is gone in the meantime, the form says so and keeps the input', async () => {
  const last = await stage.shop.addProduct({ name: 'Fusee chain', a_quantity: 2 });
  const { page } = await openProduct(last, [/status of 409/]);
  await page
    .locator('#order-form')
    .getByRole('button', { name: /^One more/ })
    .click();
  await page.getByLabel(/^Phone/).fill('0117 4960');
  await placeOrder(stage.shop, await stage.shop.signUp(), last, 1);
  await findSubmit(page).click();
  await page.getByRole('alert').filter({ hasText: /\b1\b/ }).waitFor();
  await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
});

test('an unknown product is a 404 with a link to Products', async () => {
  const page = await stage.open({ as: await stage.shop.signUp(), expected: [/status of 404/] });
  const response = await openPath(page, '/purchase/no-such-product');
  expect(response?.status()).toBe(404);
  await page.getByRole('heading', { name: 'There is no such product.', level: 1 }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Products' }).waitFor();
});
