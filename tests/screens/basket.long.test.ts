import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { findButton, pressTwice } from './buttons.ts';
import { holdRequests } from './held-requests.ts';
import { readDescription, readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

const put = (person: TestUser, { _id: id }: Product, quantity: number) =>
  stage.shop.client(person).call('setBasketLine', { params: { id }, body: { quantity } });
const readBasket = async (person: TestUser) =>
  (await stage.shop.client(person).call('getBasket', {})).lines.map(({ product, quantity }) => [
    product.name,
    quantity,
  ]);
const listOrders = (person: TestUser) =>
  stage.shop.client(person).call('listOwnOrders', { query: { user: person.email } });
const setProduct = ({ _id }: Product, values: { available?: number; minimum?: number; price?: number }) =>
  stage.shop.database.db.updateTable('product').set(values).where('id', '=', _id).execute();

const basketLink = (page: Page) => page.getByRole('banner').getByRole('link', { name: /^Basket/ });
const waitForCount = (page: Page, name: string) =>
  page.getByRole('banner').getByRole('link', { name, exact: true }).waitFor();
const line = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const quantity = (page: Page, name: string) => page.getByLabel(`Quantity of ${name}`, { exact: true });
const addMore = (page: Page) => page.getByRole('button', { name: /\d in your basket/ });
const submit = (page: Page) => page.getByRole('button', { name: 'Place order' });
const total = (page: Page) => page.getByRole('main').locator('output');
const waitForPayment = (page: Page) => page.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();

/** A new user with these products in the basket, and the basket's page. */
async function openBasket(lines: [Product, number][], options: Parameters<Stage['open']>[0] = {}) {
  const nora = await stage.shop.signUp('Nora Newcomer');
  for (const [product, pieces] of lines) await put(nora, product, pieces);
  const page = await stage.open({ as: nora, ...options });
  await openPath(page, '/basket');
  return { nora, page };
}

describe('the purchase page', () => {
  test('Add to basket saves the quantity, shows a toast, updates the header and stays on the page', async () => {
    const [winder, puller] = [
      await stage.shop.addProduct({ name: 'Mainspring winder' }),
      await stage.shop.addProduct({ name: 'Hand puller' }),
    ];
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora });
    await openPath(page, `/purchase/${winder._id}`);
    await waitForCount(page, 'Basket, 0 pieces');
    await findButton(page.locator('#order-form'), /^One more/).click();
    await page.getByLabel(/^Phone/).fill('0117 4960');
    await findButton(page, 'Add to basket').click();
    await expectToast(page, 'Added to your basket');
    await waitForCount(page, 'Basket, 2 pieces');
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
    expect(new URL(page.url()).pathname).toBe(`/purchase/${winder._id}`);
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 2]]);
    await put(nora, puller, 1);
    await openPath(page, '/');
    await waitForCount(page, 'Basket, 3 pieces');
  });

  test('Add to basket adds to the quantity set in another window, once per click even if a response is lost', async () => {
    const winder = await stage.shop.addProduct({ name: 'Mainspring winder' });
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora, expected: [/ERR_FAILED/, /status of 409/] });
    await openPath(page, `/purchase/${winder._id}`);
    await put(nora, winder, 5);
    await findButton(page, 'Add to basket').click();
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 6]]);
    await expectToast(page, 'Added to your basket');

    // The shop adds two more, but its response is lost.
    await page.route('**/api/basket/*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.locator('#orderQuantity').fill('2');
    await addMore(page).click();
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await page.unroute('**/api/basket/*');
    await addMore(page).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 8]]);
    await addMore(page).click();
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 10]]);

    await addMore(page).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Only 10 left, and your basket has 10 of them' })
      .waitFor();
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 10]]);
  });

  test('Add to basket rejects a quantity outside the limits, and reports missing stock', async () => {
    const pins = await stage.shop.addProduct({ name: 'Taper pins', o_quantity: 3, a_quantity: 5 });
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora, expected: [/status of 409/] });
    await openPath(page, `/purchase/${pins._id}`);
    const calls = recordWrites(page);
    await page.locator('#orderQuantity').fill('6');
    await findButton(page, 'Add to basket').click({ force: true });
    await page.getByText('plz Input the write value').waitFor();
    expect(calls).toEqual([]);
    await page.locator('#orderQuantity').fill('5');
    await setProduct(pins, { available: 4 });
    await findButton(page, 'Add to basket').click();
    await page.getByRole('alert').filter({ hasText: 'Only 4 left' }).waitFor();
    await expect.poll(() => readBasket(nora)).toEqual([]);
  });

  test('a double click on Add to basket saves the line once; Enter still places the order', async () => {
    const product = await stage.shop.addProduct({ name: 'Star key' });
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora });
    await openPath(page, `/purchase/${product._id}`);
    const release = await holdRequests(page, '**/api/basket/*');
    const calls = recordWrites(page);
    await findButton(page, 'Add to basket').dblclick();
    release();
    await waitForCount(page, 'Basket, 1 piece');
    expect(calls.filter((call) => call.includes('/basket/'))).toHaveLength(1);
    await page.locator('#orderQuantity').press('Enter');
    await waitForPayment(page);
    await expect.poll(() => listOrders(nora)).toHaveLength(1);
  });
});

describe('the header', () => {
  test('visitors have no link to a basket', async () => {
    const page = await stage.open();
    await openPath(page, '/');
    await expect.poll(() => basketLink(page).count()).toBe(0);
  });

  test('the link is visible on a phone without opening the menu, also right after signing in', async () => {
    const product = await stage.shop.addProduct();
    const nora = await stage.shop.signUp();
    await put(nora, product, 1);
    const page = await stage.open({ viewport: { width: 320, height: 740 } });
    await openPath(page, '/login?from=/blogs');
    await page.getByLabel('Email').fill(nora.email);
    await page.getByLabel('Password').fill(nora.password);
    await findButton(page, 'Login').click();
    await waitForCount(page, 'Basket, 1 piece');
    await basketLink(page).click();
    await page.getByRole('heading', { name: 'Basket', level: 1 }).waitFor();
    await expect.poll(() => basketLink(page).getAttribute('aria-current')).toBe('page');
  });

  test('another window updates at once, and another device when its window gets the focus', async () => {
    const [one, two] = [await stage.shop.addProduct(), await stage.shop.addProduct()];
    const nora = await stage.shop.signUp();
    const page = await stage.open({ as: nora });
    await openPath(page, '/blogs');
    const other = await page.context().newPage();
    await openPath(other, `/purchase/${one._id}`);
    await findButton(other, 'Add to basket').click();
    await waitForCount(page, 'Basket, 1 piece');
    await put(nora, two, 1);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await waitForCount(page, 'Basket, 2 pieces');
  });
});

describe('the basket', () => {
  test('is empty at first and links to the categories and the products', async () => {
    await stage.shop.addProduct({ category: 'Oiling' });
    const { page } = await openBasket([]);
    await page.getByRole('heading', { name: 'Your basket is empty' }).waitFor();
    const category = page.getByRole('main').getByRole('link', { name: 'Oiling' });
    expect(await category.getAttribute('href')).toBe('/products?category=Oiling');
    await expect.poll(() => submit(page).count()).toBe(0);
    await page
      .getByRole('main')
      .getByRole('link', { name: /products/ })
      .click();
    await page.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
  });

  test('shows each line with image, name, unit price and total, and the sum in the charged currency', async () => {
    const winder = await stage.shop.addProduct({ name: 'Mainspring winder', price: 19.99 });
    const puller = await stage.shop.addProduct({ name: 'Hand puller', price: 5 });
    const { page } = await openBasket([
      [winder, 3],
      [puller, 1],
    ]);
    const text = await readText(line(page, 'Mainspring winder'));
    expect(text).toContain('USD 19.99 each');
    expect(text).toContain('USD 59.97');
    await expect.poll(() => line(page, 'Mainspring winder').locator('img').count()).toBe(1);
    await expect.poll(() => total(page).textContent()).toBe('USD 64.97');
    await expect.poll(() => readText(page.getByRole('main'))).not.toContain('Taka');
    await page.getByRole('link', { name: 'Hand puller' }).click();
    await page.getByRole('heading', { name: 'Hand puller', level: 1 }).waitFor();
  });

  test('counts its pieces, suggests tools of the same category with one call, and has a footer of one line', async () => {
    const [winder, key] = [
      await stage.shop.addProduct({ name: 'Mainspring winder', category: 'Winding' }),
      await stage.shop.addProduct({ name: 'Winding key', category: 'Winding' }),
    ];
    await stage.shop.addProduct({ name: 'Ratchet key', category: 'Winding' });
    const nora = await stage.shop.signUp();
    await put(nora, winder, 2);
    await put(nora, key, 1);
    const page = await stage.open({ as: nora });
    const calls: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/related')) calls.push(request.url());
    });
    await openPath(page, '/basket');
    await waitForCount(page, 'Basket, 3 pieces');
    await findButton(page, 'One more: Mainspring winder').click();
    await line(page, 'Mainspring winder').getByRole('status').getByText('3 in your basket').waitFor();
    await waitForCount(page, 'Basket, 4 pieces');
    await page.getByRole('heading', { name: 'Basket, 4 pieces', level: 1 }).waitFor();

    const row = page.locator('section', { has: page.getByRole('heading', { name: 'Goes with these' }) });
    const readTools = () => row.getByRole('heading', { level: 3 }).allTextContents();
    await expect.poll(readTools).toEqual(['Ratchet key']);
    const links = page.getByRole('contentinfo').getByRole('link');
    expect(await links.count()).toBe(0);
    await findButton(page, 'Remove Mainspring winder').click();
    await row.getByRole('heading', { name: 'Mainspring winder' }).waitFor();
    expect(calls).toHaveLength(1);
    await findButton(page, 'Remove Winding key').click();
    await links.filter({ hasText: 'Your orders' }).waitFor();
  });

  test('saves a quantity after the last of several quick changes; the totals follow at once', async () => {
    const winder = await stage.shop.addProduct({ name: 'Mainspring winder', price: 2 });
    const { nora, page } = await openBasket([[winder, 1]]);
    const calls = recordWrites(page);
    for (let presses = 0; presses < 3; presses++)
      await findButton(page, 'One more: Mainspring winder').click();
    await expect.poll(() => total(page).textContent()).toBe('USD 8.00');
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 4]]);
    // The browser may report the call only after the shop has saved it.
    await expect.poll(() => calls.filter((call) => call.startsWith('PUT /api/basket/'))).toHaveLength(1);
    await quantity(page, 'Mainspring winder').fill('7');
    await page.getByRole('banner').getByRole('link', { name: 'Products' }).click();
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 7]]);
  });

  test('a quantity outside the limits is marked and blocks the order until it is corrected', async () => {
    const pins = await stage.shop.addProduct({ name: 'Taper pins', o_quantity: 3, a_quantity: 5 });
    const { nora, page } = await openBasket([[pins, 4]]);
    const calls = recordWrites(page);
    for (const typed of ['2', '6', '', 'four', '3.5']) {
      await quantity(page, 'Taper pins').fill(typed);
      await expect
        .poll(() => readDescription(quantity(page, 'Taper pins')))
        .toContain('Enter a whole number from 3 to 5.');
      await expect.poll(() => submit(page).getAttribute('aria-disabled'), { message: typed }).toBe('true');
      await submit(page).click({ force: true });
    }
    expect(calls).toEqual([]);
    await quantity(page, 'Taper pins').fill('5');
    await submit(page).click();
    await waitForPayment(page);
    await expect.poll(() => listOrders(nora)).toMatchObject([{ product: 'Taper pins', orderQuantity: 5 }]);
  });

  test('Remove takes a line out, moves the focus to the next one and updates the header', async () => {
    const [winder, puller] = [
      await stage.shop.addProduct({ name: 'Mainspring winder' }),
      await stage.shop.addProduct({ name: 'Hand puller' }),
    ];
    const { nora, page } = await openBasket([
      [winder, 1],
      [puller, 1],
    ]);
    await findButton(page, 'Remove Mainspring winder').dblclick();
    await page.getByText('Mainspring winder was removed from your basket.').waitFor();
    await waitForCount(page, 'Basket, 1 piece');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Hand puller');
    await page.getByLabel(/^Address/).fill('4 Fusee Lane');
    await findButton(page, 'Remove Hand puller').click();
    await page.getByRole('heading', { name: 'Your basket is empty' }).waitFor();
    await waitForCount(page, 'Basket, 0 pieces');
    await expect.poll(() => readBasket(nora)).toEqual([]);
    await findButton(page, 'Undo the removal of Hand puller').click();
    await page.getByText('Hand puller is in your basket again.').waitFor();
    await waitForCount(page, 'Basket, 1 piece');
    await expect.poll(() => readBasket(nora)).toEqual([['Hand puller', 1]]);
    expect(await page.getByLabel(/^Address/).inputValue()).toBe('4 Fusee Lane');
  });

  test('shows the problem of each line next to it, and one press solves it', async () => {
    const add = (name: string) => stage.shop.addProduct({ name, price: 2 });
    const [fine, short, empty, raised, gone] = [
      await add('Fine broach'),
      await add('Short file'),
      await add('Empty oiler'),
      await add('Raised pegwood'),
      await add('Gone gauge'),
    ];
    const nora = await stage.shop.signUp();
    for (const product of [fine, short, empty, raised, gone]) await put(nora, product, 4);
    await setProduct(short, { available: 3 });
    await setProduct(empty, { available: 0 });
    await setProduct(raised, { minimum: 6 });
    await stage.shop.client(await stage.shop.admin()).call('deleteProduct', { params: { id: gone._id } });
    const page = await stage.open({ as: nora });
    await openPath(page, '/basket');
    for (const [name, problem] of [
      ['Short file', 'Only 3 left.'],
      ['Empty oiler', 'Sold out.'],
      ['Raised pegwood', 'The minimum order is now 6.'],
      ['Gone gauge', 'This tool is no longer sold.'],
    ] as const)
      await expect.poll(() => readText(line(page, name).getByRole('alert'))).toContain(problem);
    await expect.poll(() => total(page).textContent()).toBe('USD 8.00');
    await expect.poll(() => submit(page).getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => readDescription(submit(page))).toBe('Change or remove the 4 marked lines first.');
    const calls = recordWrites(page);
    await submit(page).click({ force: true });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Short file');
    expect(calls).toEqual([]);

    await findButton(page, 'Set to 3 for Short file').click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Short file');
    await findButton(page, 'Remove Empty oiler').click();
    await findButton(page, 'Set to 6 for Raised pegwood').click();
    await findButton(page, 'Remove Gone gauge').click();
    await expect.poll(() => submit(page).getAttribute('aria-disabled')).toBeNull();
    await expect.poll(() => total(page).textContent()).toBe('USD 26.00');
    await submit(page).click();
    await waitForPayment(page);
    await expect
      .poll(async () => (await listOrders(nora)).map(({ orderQuantity }) => orderQuantity))
      .toEqual([6, 3, 4]);
  });
});

describe('placing the order', () => {
  test('orders all lines with the address and phone, confirms with the toast and empties the basket', async () => {
    const [winder, puller] = [
      await stage.shop.addProduct({ name: 'Mainspring winder', price: 19.99 }),
      await stage.shop.addProduct({ name: 'Hand puller', price: 5 }),
    ];
    const nora = await stage.shop.signUp('Nora Newcomer');
    const profile = { address: '4 Fusee Lane', phone: '0117 4960', education: 'BHI', linkedIn: 'in/nora' };
    await stage.shop.client(nora).call('saveUser', { params: { email: nora.email }, body: profile });
    await put(nora, winder, 1);
    await put(nora, puller, 2);
    const page = await stage.open({ as: nora });
    await openPath(page, '/basket');
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
    await page.getByLabel(/^Address/).fill('5 Verge Row');
    await submit(page).click();
    await waitForPayment(page);
    await expectToast(page, 'Add your product Successfully');
    await waitForCount(page, 'Basket, 0 pieces');
    const orders = await listOrders(nora);
    expect(orders).toMatchObject([
      { product: 'Hand puller', orderQuantity: 2, address: '5 Verge Row', phone: '0117 4960' },
      { product: 'Mainspring winder', orderQuantity: 1, address: '5 Verge Row' },
    ]);
    expect(new Set(orders.map(({ purchase }) => purchase)).size).toBe(1);
    await expect.poll(() => readBasket(nora)).toEqual([]);
  });

  test('a double click places one purchase', async () => {
    const { nora, page } = await openBasket([[await stage.shop.addProduct(), 1]]);
    const until = () => waitForPayment(page);
    expect(await pressTwice(page, submit(page), { path: /\/api\/purchases$/, until })).toBe(1);
    await expect.poll(() => listOrders(nora)).toHaveLength(1);
  });

  test('a purchase whose response was lost is sent again with the same key and placed once', async () => {
    const { nora, page } = await openBasket([[await stage.shop.addProduct(), 2]], {
      expected: [/ERR_(FAILED|CONNECTION)/],
    });
    await page.getByLabel(/^Phone/).fill('0117 4960');
    await page.route('**/api/purchases', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await submit(page).click();
    await page.getByRole('alert').filter({ hasText: 'your order may already have been placed' }).waitFor();
    // The basket is empty by now, but the page does not know yet whether the order arrived. Changed input would be another order.
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    for (const label of [/^Quantity/, /^Address/, /^Phone/])
      await expect.poll(() => page.getByLabel(label).isDisabled(), { message: String(label) }).toBe(true);
    await page.unroute('**/api/purchases');
    await submit(page).click();
    await waitForPayment(page);
    await expect.poll(() => listOrders(nora)).toMatchObject([{ orderQuantity: 2, phone: '0117 4960' }]);
  });

  test('without a connection nothing is sent, and the order includes changes made afterwards', async () => {
    const { nora, page } = await openBasket([[await stage.shop.addProduct({ name: 'Star key' }), 3]], {
      expected: [/ERR_INTERNET_DISCONNECTED/],
    });
    await page.context().setOffline(true);
    await submit(page).click();
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).first().waitFor();
    await findButton(page, 'One less: Star key').click();
    await line(page, 'Star key').getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await page.context().setOffline(false);
    // The connection is back: the change is saved without another press.
    await expect.poll(() => readBasket(nora)).toEqual([['Star key', 2]]);
    await submit(page).click();
    await waitForPayment(page);
    await expect.poll(() => listOrders(nora)).toMatchObject([{ orderQuantity: 2 }]);
  });

  test('if the stock or the price changes meanwhile, the page says what changed, orders nothing and keeps the input', async () => {
    const winder = await stage.shop.addProduct({ name: 'Mainspring winder', price: 20 });
    const puller = await stage.shop.addProduct({ name: 'Hand puller', price: 5 });
    const lines: [Product, number][] = [
      [winder, 2],
      [puller, 4],
    ];
    const { nora, page } = await openBasket(lines, { expected: [/status of 409/] });
    await page.getByLabel(/^Phone/).fill('0117 4960');
    await page.getByLabel(/^Address/).fill('5 Verge Row');
    await setProduct(winder, { price: 2500 });
    await submit(page).click();
    const notice = page.getByRole('alert').filter({ hasText: 'has changed' });
    await notice.getByText('Mainspring winder now costs USD 25.00 each, not USD 20.00.').waitFor();
    await expect.poll(() => notice.evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => total(page).textContent()).toBe('USD 70.00');

    // The stock changes between the page's last read of the basket and the order.
    await beforePurchase(page, async () => placeOrder(stage.shop, await stage.shop.signUp(), puller, 7));
    await submit(page).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'There is not enough stock of: Hand puller.' })
      .getByText('Hand puller: only 3 left.')
      .waitFor();
    await expect.poll(() => listOrders(nora)).toEqual([]);
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
    await expect.poll(() => page.getByLabel(/^Address/).inputValue()).toBe('5 Verge Row');
    await findButton(page, 'Set to 3 for Hand puller').click();
    await beforePurchase(page, () => setProduct(winder, { price: 3000 }));
    await expect.poll(() => submit(page).getAttribute('aria-disabled')).toBeNull();
    await submit(page).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'The total is now USD 75.00.' })
      .getByText('Mainspring winder now costs USD 30.00 each, not USD 25.00.')
      .waitFor();
    await submit(page).click();
    await waitForPayment(page);
    await expect.poll(() => listOrders(nora)).toHaveLength(2);
  });

  test('a price that the page has not shown is not ordered, even if it arrives with a saved quantity', async () => {
    const winder = await stage.shop.addProduct({ name: 'Mainspring winder', price: 20 });
    const { nora, page } = await openBasket([[winder, 2]]);
    await setProduct(winder, { price: 2500 });
    const release = await holdRequests(page, '**/api/basket/*');
    await quantity(page, 'Mainspring winder').fill('3');
    await expect.poll(() => total(page).textContent()).toBe('USD 60.00');
    await submit(page).click();
    release();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Your basket has changed' })
      .getByText('Mainspring winder now costs USD 25.00 each, not USD 20.00.')
      .waitFor();
    await expect.poll(() => listOrders(nora)).toEqual([]);
    await expect.poll(() => total(page).textContent()).toBe('USD 75.00');
    await submit(page).click();
    await waitForPayment(page);
    await expect.poll(() => listOrders(nora)).toMatchObject([{ orderQuantity: 3, price: 75 }]);
  });

  test('while the order is being placed, the tools cannot be changed', async () => {
    const { nora, page } = await openBasket([[await stage.shop.addProduct({ name: 'Star key' }), 1]]);
    const release = await holdRequests(page, '**/api/purchases');
    const sent = page.waitForRequest('**/api/purchases');
    await submit(page).click();
    await sent;
    await expect.poll(() => quantity(page, 'Star key').isDisabled()).toBe(true);
    for (const name of ['One more: Star key', 'Remove Star key'])
      await expect.poll(() => findButton(page, name).isDisabled(), { message: name }).toBe(true);
    release();
    await waitForPayment(page);
    await expect.poll(() => readBasket(nora)).toEqual([]);
  });

  test('if the session has ended, a typed quantity is still there after signing in again, and is saved', async () => {
    const lines: [Product, number][] = [
      [await stage.shop.addProduct({ name: 'Star key' }), 1],
      [await stage.shop.addProduct({ name: 'Hand puller' }), 1],
    ];
    const { nora, page } = await openBasket(lines, { expected: [/status of 401/] });
    await endSessions(nora);
    await quantity(page, 'Hand puller').fill('none');
    await quantity(page, 'Star key').fill('4');
    await signInAgain(page, nora);
    await page.getByText('what you typed is still here').waitFor();
    await expect.poll(() => quantity(page, 'Star key').inputValue()).toBe('4');
    await expect.poll(() => quantity(page, 'Hand puller').inputValue()).toBe('none');
    const again = await stage.shop.signIn(nora.email, nora.password);
    await expect.poll(() => readBasket(again)).toContainEqual(['Star key', 4]);
  });

  test('if the session has ended, the address and phone are still there after signing in again', async () => {
    const { nora, page } = await openBasket([[await stage.shop.addProduct(), 1]], {
      expected: [/status of 401/],
    });
    await page.getByLabel(/^Phone/).fill('0117 4960');
    await endSessions(nora);
    await submit(page).click();
    await signInAgain(page, nora);
    await page.getByText('what you typed is still here').waitFor();
    await expect.poll(() => page.getByLabel(/^Phone/).inputValue()).toBe('0117 4960');
    await submit(page).click();
    await waitForPayment(page);
  });
});

/** Runs `change` right before the page's next purchase reaches the shop. */
async function beforePurchase(page: Page, change: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  await page.route('**/api/purchases', async (route) => {
    if (!isDone) await change();
    isDone = true;
    await route.continue();
  });
}

async function idOf({ email }: TestUser): Promise<string> {
  const { db } = stage.shop.database;
  return (await db.selectFrom('user').select('id').where('email', '=', email).executeTakeFirstOrThrow()).id;
}

async function endSessions(person: TestUser): Promise<void> {
  const { db } = stage.shop.database;
  await db
    .deleteFrom('session')
    .where('userId', '=', await idOf(person))
    .execute();
}

/** Signs in on the page to which an ended session leads. */
async function signInAgain(page: Page, { email, password }: TestUser): Promise<void> {
  await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await findButton(page, 'Login').click();
}

describe('in two windows', () => {
  test('the quantity in the shop’s response wins and is shown', async () => {
    const winder = await stage.shop.addProduct({ name: 'Mainspring winder' });
    const { nora, page } = await openBasket([[winder, 2]], { expected: [/status of 409/] });
    await setProduct(winder, { available: 3 });
    await quantity(page, 'Mainspring winder').fill('8');
    await line(page, 'Mainspring winder').getByRole('alert').filter({ hasText: 'Only 3 left' }).waitFor();
    await expect.poll(() => quantity(page, 'Mainspring winder').inputValue()).toBe('2');
    const other = await page.context().newPage();
    await openPath(other, '/basket');
    await findButton(other, 'One more: Mainspring winder').click();
    await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 3]]);
    await expect.poll(() => quantity(page, 'Mainspring winder').inputValue()).toBe('3');
  });

  test('the other window loads each change, which does not make the first window load the basket', async () => {
    const { page } = await openBasket([[await stage.shop.addProduct({ name: 'Star key' }), 1]]);
    const other = await page.context().newPage();
    await openPath(other, '/basket');
    let loads = 0;
    page.context().on('request', (request) => {
      if (request.method() === 'GET' && new URL(request.url()).pathname === '/api/basket') loads++;
    });
    const changes = 4;
    for (let change = 1; change <= changes; change++) {
      const [from, to] = change % 2 ? [page, other] : [other, page];
      await findButton(from, 'One more: Star key').click();
      await expect.poll(() => quantity(to, 'Star key').inputValue()).toBe(String(change + 1));
    }
    // Each change causes one load. A window that gets the focus loads the basket, too.
    expect(loads).toBeLessThanOrEqual(2 * changes);
  });

  test('a basket that was ordered in another window is not ordered again', async () => {
    const { nora, page } = await openBasket([[await stage.shop.addProduct({ name: 'Star key' }), 1]]);
    // Another browser context is like another device: nothing notifies the first window.
    const other = await stage.open({ as: nora });
    await openPath(other, '/basket');
    await submit(other).click();
    await waitForPayment(other);
    await submit(page).click();
    await page.getByRole('heading', { name: 'Your basket is empty' }).waitFor();
    await page.getByRole('alert').filter({ hasText: 'Your basket has changed' }).waitFor();
    await expect.poll(() => listOrders(nora)).toHaveLength(1);
  });
});

test('with the keyboard alone: change a quantity, remove a line, place the order', async () => {
  const [winder, puller] = [
    await stage.shop.addProduct({ name: 'Mainspring winder' }),
    await stage.shop.addProduct({ name: 'Hand puller' }),
  ];
  const { nora, page } = await openBasket([
    [winder, 1],
    [puller, 1],
  ]);
  const tabTo = async (name: RegExp) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement | null;
        return (
          element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent
        );
      });
      if (name.test(focused ?? '')) return;
    }
    throw new Error(`Tab never reached ${name}.`);
  };
  await tabTo(/^Quantity of Mainspring winder/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await expect.poll(() => readBasket(nora)).toContainEqual(['Mainspring winder', 4]);
  await tabTo(/^Remove Hand puller/);
  await page.keyboard.press('Enter');
  await expect.poll(() => readBasket(nora)).toEqual([['Mainspring winder', 4]]);
  await page.getByText('Hand puller was removed from your basket.').waitFor();
  await tabTo(/^Place order/);
  await page.keyboard.press('Space');
  await waitForPayment(page);
  await expect
    .poll(() => listOrders(nora))
    .toMatchObject([{ product: 'Mainspring winder', orderQuantity: 4 }]);
});

test('at 360 px, the total and the button stay at the bottom of the screen and cover no focused control', async () => {
  const products = [];
  for (let index = 0; index < 8; index++)
    products.push(await stage.shop.addProduct({ name: `Broach ${index}` }));
  const { page } = await openBasket(
    products.map((product) => [product, 1]),
    { viewport: { width: 360, height: 740 } },
  );
  const barTop = async () => (await total(page).boundingBox())?.y ?? 0;
  await expect.poll(() => barTop()).toBeGreaterThan(600);
  const button = await submit(page).boundingBox();
  expect(button && button.y + button.height).toBeLessThanOrEqual(740);
  for (const product of products) {
    await quantity(page, product.name).focus();
    const field = await quantity(page, product.name).boundingBox();
    expect(field && field.y + field.height).toBeLessThan(await barTop());
  }
});
