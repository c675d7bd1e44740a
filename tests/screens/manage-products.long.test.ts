import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import type { TestUser } from '../support/requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let admin: TestUser;
let vise: Product;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
  vise = await stage.shop.addProduct({ name: 'Pin vise', price: 9 });
  await stage.shop.addProduct({ name: 'Collet puller', price: 38.5 });
  await stage.shop.addProduct({ name: 'Collet set', price: 12, a_quantity: 0 });
  await edit(vise, { category: 'Holding', lowStock: 20 });
});
afterAll(() => stage?.close());

const read = ({ _id: id }: Product) => stage.shop.client(admin).call('getProduct', { params: { id } });

async function edit(
  product: Product,
  body: { name?: string; price?: number; category?: string; lowStock?: number; archived?: boolean },
) {
  const { version } = await read(product);
  const other = stage.shop.client(await stage.shop.admin());
  await other.call('editProduct', { params: { id: product._id }, body: { version, ...body } });
}

async function openList(search = '', expected: RegExp[] = []): Promise<Page> {
  const page = await stage.open({ as: admin, expected });
  await openPath(page, `/dashboard/manageProduct${search}`);
  return page;
}

const listNames = async (page: Page) =>
  (
    await page
      .getByRole('row')
      .getByRole('link', { name: /^(Pin|Collet)/ })
      .allTextContents()
  ).map((text) => text);
const expectNames = (page: Page, names: string[]) => expect.poll(() => listNames(page)).toEqual(names);
const searchOf = (page: Page) => new URL(page.url()).search;

describe('finding products', () => {
  test('the list updates as the user types, and one step Back undoes all of it', async () => {
    const page = await openList();
    const box = page.getByRole('searchbox', { name: 'Search products' });
    await box.pressSequentially('coll');
    await expectNames(page, ['Collet set', 'Collet puller']);
    await box.pressSequentially(' pu');
    await expectNames(page, ['Collet puller']);
    await expect
      .poll(async () => [searchOf(page), await box.inputValue()])
      .toEqual(['?q=coll+pu', 'coll pu']);
    await box.fill('nothing');
    await page.getByRole('heading', { name: 'No matching products' }).waitFor();
    await page.goBack();
    await expectNames(page, ['Pin vise', 'Collet puller', 'Collet set']);
    await expect.poll(async () => [searchOf(page), await box.inputValue()]).toEqual(['', '']);
    await page.goForward();
    await page.getByRole('heading', { name: 'No matching products' }).waitFor();
    await expect.poll(() => box.inputValue()).toBe('nothing');
  });

  test('a response that arrives after a newer search does not replace its result', async () => {
    const page = await openList();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/products\?.*q=coll(&|$)/, async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
    const box = page.getByRole('searchbox', { name: 'Search products' });
    const cancelled = page.waitForEvent('requestfailed', (request) => /q=coll(&|$)/.test(request.url()));
    const started = page.waitForRequest(/q=coll(&|$)/);
    await box.fill('coll');
    await started;
    await box.fill('pin');
    await expectNames(page, ['Pin vise']);
    await cancelled;
    release();
    await expect.poll(() => listNames(page)).toEqual(['Pin vise']);
  });

  test('lists, category and order are in the URL and combine with the search', async () => {
    const page = await openList();
    const bestMatch = page.getByRole('option', { name: 'Best match' });
    await expect.poll(() => bestMatch.count()).toBe(0);
    await page.getByLabel('Sort').selectOption({ label: 'Price, highest first' });
    await expectNames(page, ['Collet puller', 'Collet set', 'Pin vise']);
    await page.getByRole('searchbox', { name: 'Search products' }).fill('coll');
    await expectNames(page, ['Collet puller', 'Collet set']);
    await expect.poll(() => bestMatch.count()).toBe(1);
    await page.getByRole('link', { name: 'Sold out', exact: true }).click();
    await expectNames(page, ['Collet set']);
    expect(searchOf(page)).toBe('?soldOut&q=coll&sort=-price');
    await page.goBack();
    await expectNames(page, ['Collet puller', 'Collet set']);
    await page.goBack();
    await expectNames(page, ['Collet puller', 'Collet set', 'Pin vise']);
    await page.getByLabel('Category').selectOption('Holding');
    await expectNames(page, ['Pin vise']);
    await expect.poll(() => page.getByLabel('Sort').inputValue()).toBe('-price');
    await page.getByRole('link', { name: 'Low stock', exact: true }).click();
    await expect.poll(() => searchOf(page)).toBe('?low&category=Holding&sort=-price');
    await expectNames(page, ['Pin vise']);
  });

  test('without scripts, the form searches within its list', async () => {
    const page = await stage.open({
      as: admin,
      javaScriptEnabled: false,
      expected: [/static\/js\/.*: csp$/],
    });
    await page.goto('/dashboard/manageProduct?soldOut');
    await page.getByLabel('Search products').fill('coll');
    await page.getByLabel('Sort').selectOption('-added');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => listNames(page)).toEqual(['Collet set']);
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-added');
    const link = page.getByRole('link', { name: /edit price of Collet set/ });
    await expect.poll(() => link.getAttribute('href')).toMatch(/^\/dashboard\/products\//);
  });
});

test('a product’s name opens its edit page; archived and restored in the list, it stays in its row, and another admin’s edit is kept', async () => {
  const tongs = await stage.shop.addProduct({ name: 'Bluing tongs', price: 4 });
  await stage.shop.addProduct({ name: 'Bluing tray', price: 7 });
  const page = await openList('?q=bluing', [/status of 409/]);
  const rows = page.locator('tbody tr');
  const row = rows.filter({ hasText: 'Bluing tongs' });
  const position = async () =>
    (await rows.allTextContents()).findIndex((text) => text.includes('Bluing tongs'));
  const before = await position();
  await edit(tongs, { price: 5 });
  await page.getByRole('button', { name: 'Archive Bluing tongs' }).click();
  await page.getByText('Bluing tongs is archived.').waitFor();
  await row.getByText('Archived', { exact: true }).waitFor();
  await expect.poll(() => read(tongs)).toMatchObject({ archived: true, price: 5 });
  const restore = page.getByRole('button', { name: 'Restore Bluing tongs' });
  await expect.poll(() => restore.evaluate((element) => element === document.activeElement)).toBe(true);
  // Another admin is first.
  await edit(tongs, { archived: false });
  await restore.click();
  await page.getByText('Bluing tongs is back in the shop.').waitFor();
  await row.getByText('Archived', { exact: true }).waitFor({ state: 'detached' });
  expect([await rows.count(), await position()]).toEqual([2, before]);
  await page.getByRole('link', { name: 'Bluing tongs', exact: true }).click();
  await page.waitForURL(`**/dashboard/products/${tongs._id}`);
});

describe('editing in the row', () => {
  const open = (page: Page, label: string) =>
    page.getByRole('button', { name: `edit ${label} of Pin vise` }).click();
  const price = (page: Page) => page.getByLabel('Price of Pin vise');

  test('Enter saves the price, Escape cancels, and the focus returns to the button', async () => {
    const page = await openList();
    await open(page, 'price');
    await expect.poll(() => price(page).inputValue()).toBe('9');
    await page.keyboard.type('9,500');
    await page.keyboard.press('Enter');
    await page.getByText('Price must be in digits').waitFor();
    await expect.poll(() => price(page).inputValue()).toBe('9,500');
    await price(page).fill('9.5');
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: '$9.50 edit price of Pin vise' });
    await button.waitFor();
    await expect.poll(async () => (await read(vise)).price).toBe(9.5);
    await expect.poll(() => button.evaluate((element) => element === document.activeElement)).toBe(true);
    await open(page, 'price');
    await price(page).fill('1');
    await page.keyboard.press('Escape');
    await button.waitFor();
    await expect.poll(async () => (await read(vise)).price).toBe(9.5);
  });

  test('a price that changes a lot is saved when it is sent again', async () => {
    const tweezers = await stage.shop.addProduct({ name: 'Brass tweezers', price: 8 });
    const page = await openList('?q=tweezers');
    await page.getByRole('button', { name: 'edit price of Brass tweezers' }).click();
    await page.keyboard.type('80');
    await page.keyboard.press('Enter');
    await page.getByText('That is a large change, from $8.00 to $80.00. Save again to confirm it.').waitFor();
    await expect.poll(async () => (await read(tweezers)).price).toBe(8);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '$80.00 edit price of Brass tweezers' }).waitFor();
    await expect.poll(async () => (await read(tweezers)).price).toBe(80);
  });

  test('a field in the last row keeps the column widths, and its error and buttons are in the window', async () => {
    const page = await openList('?sort=-added');
    await page.setViewportSize({ width: 1280, height: 600 });
    const measure = () =>
      page
        .getByRole('table')
        .evaluate((table) =>
          [...table.querySelectorAll('th, tr')].map((each) => [each.clientWidth, each.clientHeight]),
        );
    const before = await measure();
    await open(page, 'price');
    await price(page).fill('x');
    await page.keyboard.press('Enter');
    await page.getByText('Price must be in digits').waitFor();
    await expect.poll(measure).toEqual(before);
    const cancel = page.getByRole('button', { name: 'Cancel' });
    const isInWindow = () =>
      cancel.evaluate((button) => button.getBoundingClientRect().bottom <= window.innerHeight);
    await expect.poll(isInWindow).toBe(true);
  });

  test('an empty threshold is removed', async () => {
    const page = await openList('?low');
    await open(page, 'low-stock threshold');
    await page.getByLabel('Low-stock threshold of Pin vise').fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // The row stays where it is.
    await page.getByRole('button', { name: 'None edit low-stock threshold of Pin vise' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Collet set' }).getByText('Sold out').waitFor();
    await expect.poll(async () => (await read(vise)).lowStock).toBeUndefined();
  });

  test('values that are saved one after another are one message', async () => {
    const page = await openList();
    for (const name of ['Collet puller', 'Collet set']) {
      await page.getByRole('button', { name: `edit low-stock threshold of ${name}` }).click();
      await page.getByLabel(`Low-stock threshold of ${name}`).fill('2');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `2 edit low-stock threshold of ${name}` }).waitFor();
    }
    await page.getByText('2 thresholds saved.').waitFor();
    expect(await page.getByText('saved.').count()).toBe(1);
  });

  test('if another admin has changed the same value, that value is shown and what was typed stays; other changes are kept', async () => {
    const page = await openList('', [/status of 409/]);
    await open(page, 'price');
    await edit(vise, { price: 11 });
    await price(page).fill('10');
    await page.keyboard.press('Enter');
    await page.getByText('Another admin has changed it to $11.00. Save again to overwrite it.').waitFor();
    await expect
      .poll(async () => [await price(page).inputValue(), (await read(vise)).price])
      .toEqual(['10', 11]);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '$10.00 edit price of Pin vise' }).waitFor();

    await open(page, 'price');
    await edit(vise, { name: 'Pin vise, small' });
    await price(page).fill('12');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '$12.00 edit price of Pin vise, small' }).waitFor();
    await expect.poll(() => read(vise)).toMatchObject({ name: 'Pin vise, small', price: 12 });
    await expect.poll(() => readText(page.getByRole('row').nth(1))).toContain('$12.00');
  });
});
