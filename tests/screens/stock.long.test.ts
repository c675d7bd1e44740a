import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import { buy, placeOrder, shipOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
let admin: TestUser;
let customer: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
  customer = await stage.shop.signUp();
});
afterAll(() => stage?.close());

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function readHistory({ _id: id }: Product) {
  const rows = await stage.shop.client(admin).call('listProductStock', { params: { id } });
  return rows.map(({ reason, change, level, note }) => [reason, change, level, note]).reverse();
}

async function openStock({ _id }: Product, javaScriptEnabled: boolean): Promise<Page> {
  const expected = [/static\/js\/.*: csp$/, /status of (409|422)/];
  const page = await stage.open({ as: admin, javaScriptEnabled, expected });
  if (!javaScriptEnabled) {
    await page.goto(`/dashboard/products/${_id}/stock`);
    return page;
  }
  await openPath(page, `/dashboard/products/${_id}/stock`);
  await waitForHydration(page);
  return page;
}

test('a delivery is recorded by typing its number and Enter, twice in a row', async () => {
  const product = await stage.shop.addProduct({ name: 'Pin vise', a_quantity: 3 });
  const page = await openStock(product, true);
  const field = page.getByLabel('Pieces delivered');
  for (const [pieces, level] of [
    [25, 28],
    [2, 30],
  ]) {
    await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.type(`${pieces}`);
    await page.keyboard.press('Enter');
    await expectToast(page, `Recorded +${pieces}: ${level} in stock.`);
    await page.getByText(`${level} in stock`, { exact: true }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  }
  await expect
    .poll(() => readHistory(product))
    .toEqual([
      ['opening', 3, 3, ''],
      ['delivery', 25, 28, ''],
      ['delivery', 2, 30, ''],
    ]);
});

describe.each([true, false])('with scripts: %s', (javaScriptEnabled) => {
  test('a count records its difference from the shelf, including open orders, and keeps a sale made in the meantime', async () => {
    const product = await stage.shop.addProduct({ name: 'Broach', a_quantity: 10 });
    const page = await openStock(product, javaScriptEnabled);
    await page.getByRole('link', { name: 'Count', exact: true }).click();
    await page.getByText(/^Expected on the shelf: 10\. /).waitFor();
    await placeOrder(stage.shop, customer, product, 3);
    await page.getByLabel('Pieces counted').fill('8');
    await page.getByLabel('Note (optional)').fill('Yearly count');
    await press(page, 'Record count');
    await page.getByText('5 in stock', { exact: true }).waitFor();
    await expect
      .poll(() => readHistory(product))
      .toEqual([
        ['opening', 10, 10, ''],
        ['sale', -3, 7, ''],
        ['count', -2, 5, 'Yearly count'],
      ]);
    // A count that matches is recorded, too.
    await page.getByRole('link', { name: 'Count', exact: true }).click();
    await page.getByText(/^Expected on the shelf: 8 \(5 available \+ 3 in open orders\)\. /).waitFor();
    await page.getByLabel('Pieces counted').fill('8');
    await press(page, 'Record count');
    if (javaScriptEnabled) await expectToast(page, 'Count recorded. It matches the stock.');
    else await page.getByText('Count recorded.').waitFor();
    await expect.poll(async () => (await readHistory(product)).at(-1)).toEqual(['count', 0, 5, '']);
  });

  test('if a parcel leaves while the shelf is counted, the form asks to check the number', async () => {
    const product = await stage.shop.addProduct({ name: 'Mainspring winder', a_quantity: 9 });
    const { order } = await buy(stage.shop, customer, product, 3);
    const page = await openStock(product, javaScriptEnabled);
    await page.getByRole('link', { name: 'Count', exact: true }).click();
    await page.getByText(/^Expected on the shelf: 9 \(6 available \+ 3 in open orders\)\. /).waitFor();
    const body = { orderStatus: 'sipping' as const };
    await shipOrder(stage.shop.client(admin), { params: { id: order._id }, body });
    const field = page.getByLabel('Pieces counted');
    await field.fill('5');
    await press(page, 'Record count');
    await page.getByText('the expected number is now 6, not 9.').waitFor();
    await expect.poll(() => field.inputValue()).toBe('5');
    await page.getByText(/^Expected on the shelf: 6\. /).waitFor();
    await press(page, 'Record count');
    await page.getByText('5 in stock', { exact: true }).waitFor();
    await expect
      .poll(() => readHistory(product))
      .toEqual([
        ['opening', 9, 9, ''],
        ['sale', -3, 6, ''],
        ['count', -1, 5, ''],
      ]);
  });

  test('a count below the pieces that customers have ordered is rejected', async () => {
    const product = await stage.shop.addProduct({ name: 'Bushing tool', a_quantity: 4 });
    await placeOrder(stage.shop, customer, product, 3);
    const page = await openStock(product, javaScriptEnabled);
    await page.getByRole('link', { name: 'Count', exact: true }).click();
    await page.getByLabel('Pieces counted').fill('2');
    await press(page, 'Record count');
    await page.getByText('Customers have ordered 3, but you counted only 2.').waitFor();
    await page.getByLabel('Pieces counted').fill('3');
    await press(page, 'Record count');
    await page.getByText('0 in stock', { exact: true }).waitFor();
  });

  test('more damage than there is in stock is rejected, and what was typed stays', async () => {
    const product = await stage.shop.addProduct({ name: 'Reamer', a_quantity: 2 });
    const page = await openStock(product, javaScriptEnabled);
    await page.getByRole('link', { name: 'Damage', exact: true }).click();
    const field = page.getByLabel('Pieces damaged or lost');
    await field.fill('3');
    await press(page, 'Record damage');
    await page.getByText('Only 2 in stock: you cannot remove more than that.').waitFor();
    await expect.poll(() => field.inputValue()).toBe('3');
    for (const [wrong, message] of [
      ['0', 'must be at least 1'],
      ['1.5', 'must be a whole number'],
      ['two', 'must be in digits only, such as 12'],
      ['', 'is Required'],
    ] as const) {
      await field.fill(wrong);
      await press(page, 'Record damage');
      await page.getByRole('alert').getByText(`Number of pieces damaged or lost ${message}`).waitFor();
    }
    await expect.poll(() => readHistory(product)).toHaveLength(1);
  });
});

async function addCategory(name: string, pieces: number[]): Promise<Product[]> {
  const client = stage.shop.client(admin);
  const products: Product[] = [];
  for (const [index, a_quantity] of pieces.entries()) {
    const product = await stage.shop.addProduct({ name: `${name} ${index + 1}`, a_quantity });
    const { _id: id, version } = product;
    await client.call('editProduct', { params: { id }, body: { version, category: name } });
    products.push(product);
  }
  return products;
}

test('a category is counted with Enter and scans; matches are recorded, and the count continues where it was left', async () => {
  const [first, second, third, fourth] = await addCategory('Files', [5, 8, 2, 4]);
  if (!first || !second || !third || !fourth) throw new Error('There are no products.');
  const page = await stage.open({ as: admin, expected: [/status of 409/] });
  await openPath(page, '/dashboard/manageProduct');
  await page.getByRole('link', { name: 'Count Stock' }).click();
  await page.getByRole('heading', { name: 'Count Stock', level: 1 }).waitFor();
  await page.getByLabel('Category').selectOption('Files');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(4);
  const field = ({ name }: Product) => page.getByLabel(`Pieces of ${name}`);
  const isFocused = (product: Product) =>
    expect.poll(() => field(product).evaluate((input) => input === document.activeElement)).toBe(true);
  const rowOf = ({ name }: Product) => page.getByRole('row').filter({ hasText: name });
  await field(first).fill('5');
  await page.keyboard.press('Enter');
  await isFocused(second);
  await page.keyboard.type('9');
  await page.keyboard.press('Enter');
  await isFocused(third);
  await rowOf(first).getByText('as expected').waitFor();
  await rowOf(second).getByText('+1').waitFor();
  // The code of the last product is scanned into the field of the third.
  await page.keyboard.type(fourth._id);
  await page.keyboard.press('Enter');
  await isFocused(fourth);
  expect(await field(third).inputValue()).toBe('');
  // Another admin takes a piece off the shelf while these are counted.
  await expect.poll(() => page.locator('tr:focus-within input[name=shown]').inputValue()).toBe('4');
  const body = { change: -1, reason: 'damage' as const };
  await stage.shop.client(admin).call('adjustStock', { params: { id: fourth._id }, body });
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await rowOf(fourth).getByText('the expected number is now 3, not 4.').waitFor();
  expect(await readHistory(first)).toEqual([
    ['opening', 5, 5, ''],
    ['count', 0, 5, ''],
  ]);

  await openPath(page, '/dashboard/products/count?category=Files');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
  await field(third).fill('1');
  await page.keyboard.press('Enter');
  await rowOf(third).getByText('−1').waitFor();
  // A code of a product that is not in the list is searched for.
  await page.getByRole('heading', { level: 1 }).click();
  await page.getByLabel('Product or scanned code').fill(first._id);
  await page.keyboard.press('Enter');
  await isFocused(first);
  await rowOf(first).getByText('as expected').waitFor();
});

test('a refused count stays in its row, marked as not saved, after a scan changes the list and after the page is left', async () => {
  const [first, second, third] = await addCategory('Gauges', [5, 8, 2]);
  const [elsewhere] = await addCategory('Lathes', [1]);
  if (!first || !second || !third || !elsewhere) throw new Error('There are no products.');
  const page = await stage.open({ as: admin, expected: [/status of 409/] });
  await openPath(page, '/dashboard/products/count?category=Gauges');
  const field = ({ name }: Product) => page.getByLabel(`Pieces of ${name}`);
  const rowOf = ({ name }: Product) => page.getByRole('row').filter({ hasText: name });
  const isFocused = (product: Product) =>
    expect.poll(() => field(product).evaluate((input) => input === document.activeElement)).toBe(true);
  await field(first).focus();
  await expect.poll(() => page.locator('tr:focus-within input[name=shown]').inputValue()).toBe('5');
  const body = { change: -1, reason: 'damage' as const };
  await stage.shop.client(admin).call('adjustStock', { params: { id: first._id }, body });
  const release = await holdRequests(page, `**/api/products/${first._id}/stock`);
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await isFocused(second);
  // The code of a product in another category is scanned before the shop has answered.
  await page.keyboard.type(elsewhere._id);
  await page.keyboard.press('Enter');
  await isFocused(elsewhere);
  expect(new URL(page.url()).searchParams.get('category')).toBe('Gauges');
  expect(await page.locator('tbody tr').count()).toBe(2);
  release();
  await rowOf(first).getByText('the expected number is now 4, not 5.').waitFor();
  await rowOf(first).getByText('not saved').waitFor();
  expect(await field(first).inputValue()).toBe('5');
  await page.getByText('1 count is not saved.').waitFor();
  await page.getByRole('link', { name: 'Back to the list' }).click();
  await rowOf(third).waitFor();
  expect(await rowOf(first).getByText('not saved').count()).toBe(1);

  // The page is left, and opened again.
  await page.getByRole('link', { name: 'All counts' }).click();
  await page.getByRole('heading', { name: 'Count Stock' }).waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByText('1 count is not saved.').waitFor();
  expect(await field(first).inputValue()).toBe('5');
  await page.getByRole('button', { name: 'Go to it' }).click();
  await isFocused(first);
  await expect.poll(() => page.locator('tr:focus-within input[name=shown]').inputValue()).toBe('4');
  await field(first).fill('3');
  await page.keyboard.press('Enter');
  await rowOf(first).getByText('−1').waitFor();
  await page.getByText('1 count is not saved.').waitFor({ state: 'detached' });
  // A typing mistake is corrected at once.
  await field(second).fill('many');
  await page.keyboard.press('Enter');
  await rowOf(second).getByText('must be in digits').waitFor();
  await isFocused(second);
});

test('while products are counted, the fields stay in their column; the bar about an unsaved count covers no field', async () => {
  const [first, second] = await addCategory('Beat setters', [5, 8, 2, 7, 3]);
  if (!first || !second) throw new Error('There are no products.');
  const page = await stage.open({ as: admin, viewport: { width: 1280, height: 800 } });
  await openPath(page, '/dashboard/products/count?category=Beat+setters');
  const field = ({ name }: Product) => page.getByLabel(`Pieces of ${name}`);
  const readLeft = async () => (await field(second).boundingBox())?.x;
  const before = await readLeft();
  await field(first).fill('5');
  await page.keyboard.press('Enter');
  await page.getByText('as expected').waitFor();
  expect(await readLeft()).toBe(before);
  await page.keyboard.type('some');
  await page.keyboard.press('Enter');
  await page.getByText('must be in digits').waitFor();
  expect(await readLeft()).toBe(before);
  const badge = page.getByText('not saved', { exact: true });
  expect((await badge.boundingBox())?.height).toBeLessThan(30);

  await page.setViewportSize({ width: 390, height: 600 });
  await openPath(page, '/dashboard/products/count?category=Beat+setters');
  const fields = await page.getByLabel(/^Pieces of /).all();
  const bar = page.getByRole('status').filter({ hasText: 'not saved.' });
  for (const one of fields) {
    await one.focus();
    await page.keyboard.type('some');
    await page.keyboard.press('Enter');
    await page.getByText(/ not saved\.$/).waitFor();
    await expect
      .poll(async () => {
        const [above, below] = await Promise.all([one.boundingBox(), bar.boundingBox()]);
        return above && below && above.y + above.height <= below.y;
      })
      .toBe(true);
  }
  // Messages appear above the bar.
  await page.setViewportSize({ width: 800, height: 500 });
  await page.evaluate(() => scrollTo(0, 0));
  const top = await bar.evaluate((element) => element.getBoundingClientRect().top);
  expect(
    await page.locator('.toasts').evaluate((element) => element.getBoundingClientRect().bottom),
  ).toBeLessThan(top);
});

test('a late response about the shelf does not replace a newer one', async () => {
  const [first, second] = await addCategory('Presses', [5, 8]);
  if (!first || !second) throw new Error('There are no products.');
  const page = await stage.open({ as: admin });
  await openPath(page, '/dashboard/products/count?category=Presses');
  const field = ({ name }: Product) => page.getByLabel(`Pieces of ${name}`);
  const shown = page.getByRole('row').filter({ hasText: first.name }).locator('input[name=shown]');
  const path = `**/api/products/${first._id}`;
  const answered = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const holdResponse = async (route: Route) => {
    const response = await route.fetch();
    answered.resolve();
    await late.promise;
    await route.fulfill({ response });
  };
  await page.route(path, holdResponse, { times: 1 });
  await field(first).focus();
  await answered.promise;
  const body = { change: 2, reason: 'delivery' as const };
  await stage.shop.client(admin).call('adjustStock', { params: { id: first._id }, body });
  await field(second).focus();
  await field(first).focus();
  await expect.poll(() => shown.inputValue()).toBe('7');
  const arrived = page.waitForResponse(path);
  late.resolve();
  await (await arrived).finished();
  // The response to a further request arrives after it.
  await field(second).focus();
  await expect
    .poll(() =>
      page.getByRole('row').filter({ hasText: second.name }).locator('input[name=shown]').inputValue(),
    )
    .toBe('8');
  expect(await shown.inputValue()).toBe('7');
});

test('without scripts, a refused count of a product that is no longer in the list is still shown', async () => {
  const [first] = await addCategory('Vices', [3, 6]);
  if (!first) throw new Error('There are no products.');
  const page = await stage.open({
    as: admin,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of 422/],
  });
  await page.goto('/dashboard/products/count?category=Vices');
  await page.getByLabel(`Pieces of ${first.name}`).fill('3 boxes');
  // Another admin counts it.
  const body = { change: 0, reason: 'count' as const, expected: 3 };
  await stage.shop.client(admin).call('adjustStock', { params: { id: first._id }, body });
  await press(page, `Record the count of ${first.name}`);
  await page.getByText('The count “3 boxes” is not saved. Number of pieces counted must be').waitFor();
  expect(await page.getByLabel(`Pieces of ${first.name}`).count()).toBe(0);
});

test('without scripts, products are counted one after another', async () => {
  const [first, second] = await addCategory('Oilers', [3, 6]);
  if (!first || !second) throw new Error('There are no products.');
  const expected = [/static\/js\/.*: csp$/, /status of 422/];
  const page = await stage.open({ as: admin, javaScriptEnabled: false, expected });
  await page.goto('/dashboard/products/count?category=Oilers');
  await page.getByLabel(`Pieces of ${first.name}`).fill('many');
  await press(page, `Record the count of ${first.name}`);
  await page.getByText('Number of pieces counted must be in digits').waitFor();
  await page.getByLabel(`Pieces of ${first.name}`).fill('2');
  await press(page, `Record the count of ${first.name}`);
  await page.getByText('Count recorded.').waitFor();
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  await page.getByLabel(`Pieces of ${second.name}`).fill('6');
  await press(page, `Record the count of ${second.name}`);
  await page.getByRole('heading', { name: 'Everything has been counted' }).waitFor();
  expect((await readHistory(first)).at(-1)).toEqual(['count', -1, 2, '']);
  expect((await readHistory(second)).at(-1)).toEqual(['count', 0, 6, '']);
});

test('after a click on the number in Manage Products, the pieces delivered are typed at once', async () => {
  const product = await stage.shop.addProduct({ name: 'Regulator lamp', a_quantity: 6 });
  const page = await stage.open({ as: admin });
  await openPath(page, '/dashboard/manageProduct?q=regulator');
  await page.getByRole('link', { name: '6 in stock of Regulator lamp' }).click();
  await page.getByRole('heading', { name: product.name, level: 1 }).waitFor();
  const isFocused = (element: Locator) =>
    expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);
  await isFocused(page.getByLabel('Pieces delivered'));
  await page.getByRole('link', { name: 'All products' }).click();
  await isFocused(page.getByRole('heading', { name: 'Stock', level: 1 }));
});

test('the list of stock changes links to the product and the order of a change', async () => {
  const product = await stage.shop.addProduct({ name: 'Staking set', a_quantity: 6 });
  const { number } = await placeOrder(stage.shop, customer, product, 2);
  const page = await stage.open({ as: admin });
  await openPath(page, '/dashboard/stock?reason=sale');
  const row = page.getByRole('row').filter({ hasText: 'Staking set' });
  await expect.poll(() => readText(row)).toMatch(new RegExp(`Sold.*Order ${number}.*−2.*4`));
  await row.getByRole('link', { name: 'Staking set' }).click();
  await page.getByText('4 in stock', { exact: true }).waitFor();
  await page.getByRole('link', { name: `Order ${number}` }).click();
  await page.getByRole('heading', { name: `Order ${number}`, level: 1 }).waitFor();
});
