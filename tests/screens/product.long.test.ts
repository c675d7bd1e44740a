import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { holdRequests } from './held-requests.ts';
import { createPhoto } from './image-files.ts';
import { readDescription, readText } from './page-text.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

const read = ({ _id: id }: Product) => stage.shop.client(admin).call('getProduct', { params: { id } });

/** Edits a product as another admin. */
async function edit(product: Product, body: { name?: string; price?: number }): Promise<void> {
  const { version } = await read(product);
  const other = stage.shop.client(await stage.shop.admin());
  await other.call('editProduct', { params: { id: product._id }, body: { version, ...body } });
}

async function openEditor({ _id }: Product): Promise<Page> {
  const page = await stage.open({ as: admin, expected: [/status of (409|422)/] });
  await openPath(page, `/dashboard/products/${_id}`);
  return page;
}

const openPlainEditor = async ({ _id }: Product): Promise<Page> => {
  const expected = [/static\/js\/.*: csp$/, /status of (409|422)/];
  const page = await stage.open({ as: admin, javaScriptEnabled: false, expected });
  await page.goto(`/dashboard/products/${_id}`);
  return page;
};

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const readValue = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue();
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

describe('the product page', () => {
  test('opens from Manage Products and saves every field, and the customer’s view shows the changes', async () => {
    const product = await stage.shop.addProduct({ name: 'Pin vise', price: 12.5 });
    const page = await stage.open({ as: admin });
    await openPath(page, '/dashboard/manageProduct');
    await page.getByRole('link', { name: 'Pin vise', exact: true }).click();
    await page.getByRole('heading', { name: 'Pin vise', level: 1 }).waitFor();
    await expect.poll(() => readValue(page, 'Price')).toBe('12.50');
    await fillFields(page, {
      Name: 'Pin vise, small',
      Price: '13,20',
      'Order quantity': '2',
      Description: 'Holds pins.',
      'Category (optional)': 'Holding',
      'Low-stock threshold (optional)': '11',
    });
    await page.getByLabel('Add images').setInputFiles(await createPhoto());
    await press(page, 'Make main (image 2)');
    await press(page, 'Save changes');
    await expectToast(page, 'Changes saved.');
    await page.getByRole('heading', { name: 'Pin vise, small', level: 1 }).waitFor();
    const saved = await read(product);
    expect(saved).toMatchObject({
      name: 'Pin vise, small',
      price: 13.2,
      o_quantity: 2,
      description: 'Holds pins.',
      category: 'Holding',
      lowStock: 11,
      version: 2,
      a_quantity: 10,
    });
    expect(saved.images).toEqual([saved.img, product.img]);
    // A second edit from the same page is based on the saved version, and removes what is empty.
    await fillFields(page, { 'Category (optional)': '', 'Low-stock threshold (optional)': '' });
    await press(page, 'Save changes');
    await expect.poll(async () => (await read(product)).version).toBe(3);
    const { category, lowStock } = await read(product);
    expect([category, lowStock]).toEqual([undefined, undefined]);
    await page.getByRole('link', { name: 'View as customer' }).click();
    await page.getByRole('heading', { name: 'Pin vise, small', level: 1 }).waitFor();
  });

  test('the fields for delivery and customs are folded until one has a value or an error', async () => {
    const product = await stage.shop.addProduct({ name: 'Staking set' });
    const page = await openEditor(product);
    const summary = page.getByText('Delivery and customs');
    const [weight, notTo] = ['Weight in grams (optional)', 'Not sent to (optional)'];
    expect(await page.getByLabel(weight).isVisible()).toBe(false);
    await summary.click();
    await fillFields(page, { [weight]: '850', [notTo]: 'USA' });
    await summary.click();
    await press(page, 'Save changes');
    await page.locator('[id="notTo-error"]').waitFor();
    // They stay open while the error is corrected, and cannot be folded before.
    await summary.click();
    await fillFields(page, { [notTo]: 'u' });
    await fillFields(page, { [notTo]: 'us' });
    expect(await page.getByLabel(notTo).isVisible()).toBe(true);
    await press(page, 'Save changes');
    await expect.poll(() => read(product)).toMatchObject({ weight: 850, notTo: 'US' });
    await openPath(page, `/dashboard/products/${product._id}`);
    expect(await readValue(page, weight)).toBe('850');
    expect(await page.getByLabel(weight).isVisible()).toBe(true);
  });

  test('text typed before a save is answered stays in the form, and the next save causes no conflict', async () => {
    const product = await stage.shop.addProduct({ name: 'Pivot file', price: 8 });
    const page = await openEditor(product);
    const release = await holdRequests(page, `**/api/products/${product._id}`);
    await fillFields(page, { Name: 'Pivot file, fine', Price: '7,5' });
    await press(page, 'Save changes');
    await fillFields(page, { Name: 'Pivot file, very fine' });
    release();
    await page.getByRole('heading', { name: 'Pivot file, fine', level: 1 }).waitFor();
    await expect.poll(() => readValue(page, 'Price')).toBe('7.50');
    expect(await readValue(page, 'Name')).toBe('Pivot file, very fine');
    await press(page, 'Save changes');
    await page.getByRole('heading', { name: 'Pivot file, very fine', level: 1 }).waitFor();
    expect((await read(product)).version).toBe(3);
  });

  test('unsaved input is still there after leaving the page, until it is saved or discarded', async () => {
    const product = await stage.shop.addProduct({ name: 'Mandrel', price: 5 });
    const page = await openEditor(product);
    const leaveAndReturn = async () => {
      await page.getByRole('main').getByRole('link', { name: 'Manage Products' }).last().click();
      await page.getByRole('heading', { name: 'Manage Products', level: 1 }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: /^Mandrel/, level: 1 }).waitFor();
    };
    const notice = page.getByText('Your unsaved changes are still here.');
    await leaveAndReturn();
    await expect.poll(() => notice.count()).toBe(0);
    await fillFields(page, { Price: '7,50', Description: 'Holds\nbushings.' });
    await edit(product, { name: 'Mandrel set' });
    await leaveAndReturn();
    await notice.waitFor();
    await expect
      .poll(async () => [await readValue(page, 'Price'), await readValue(page, 'Description')])
      .toEqual(['7,50', 'Holds\nbushings.']);
    await expect.poll(() => readValue(page, 'Name')).toBe('Mandrel set');
    await leaveAndReturn();
    await press(page, 'Discard them');
    await expect.poll(() => readValue(page, 'Price')).toBe('5');
    await leaveAndReturn();
    await expect.poll(() => notice.count()).toBe(0);

    await fillFields(page, { Price: '8' });
    await leaveAndReturn();
    await notice.waitFor();
    await press(page, 'Save changes');
    await page.getByText('Changes saved.').waitFor();
    await notice.waitFor({ state: 'detached' });
    await leaveAndReturn();
    await expect.poll(() => notice.count()).toBe(0);
    await expect.poll(() => read(product)).toMatchObject({ name: 'Mandrel set', price: 8, version: 3 });
  });

  test('input that was kept does not silently replace what another admin has saved meanwhile', async () => {
    const product = await stage.shop.addProduct({ name: 'Mandrel', price: 5 });
    const page = await openEditor(product);
    await fillFields(page, { Price: '7' });
    await page.getByRole('main').getByRole('link', { name: 'Manage Products' }).last().click();
    await page.getByRole('heading', { name: 'Manage Products', level: 1 }).waitFor();
    await edit(product, { price: 9 });
    await page.goBack();
    await page.getByText('Your unsaved changes are still here').waitFor();
    await expect.poll(() => readValue(page, 'Price')).toBe('7');
    await press(page, 'Save changes');
    await page.getByRole('alert').filter({ hasText: 'Another admin has changed this product' }).waitFor();
    await expect.poll(() => read(product)).toMatchObject({ price: 9 });
  });

  test('the browser asks before closing a window with unsaved input', async () => {
    const page = await openEditor(await stage.shop.addProduct());
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.getByLabel('Description').pressSequentially('More');
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await waitForHydration(page);
    await page.reload();
    expect(asked).toHaveLength(1);
  });

  test('on a phone, messages do not cover the buttons at the bottom', async () => {
    const { _id } = await stage.shop.addProduct();
    const page = await stage.open({ as: admin, viewport: { width: 375, height: 700 } });
    await openPath(page, `/dashboard/products/${_id}`);
    await page.getByLabel('Price', { exact: true }).fill('9');
    await press(page, 'Save changes');
    const message = page.getByRole('status').getByText('Changes saved.');
    await message.waitFor();
    const box = await message.boundingBox();
    expect((box?.y ?? 700) + (box?.height ?? 0)).toBeLessThan(350);
  });

  test('invalid input is reported at its field and kept', async () => {
    const product = await stage.shop.addProduct();
    const page = await openEditor(product);
    await fillFields(page, { Name: ' ', Price: '1,500', 'Low-stock threshold (optional)': '0' });
    await press(page, 'Save changes');
    const messageOf = (label: string) => readDescription(page.getByLabel(label, { exact: true }));
    await expect.poll(() => messageOf('Name')).toContain('Name is Required');
    await expect.poll(() => messageOf('Price')).toContain('Price must be in digits');
    await expect.poll(() => messageOf('Low-stock threshold (optional)')).toContain('must be at least 1');
    await expect.poll(() => readValue(page, 'Price')).toBe('1,500');
    // The fields are side by side, whatever the length of their hints and errors.
    const topOf = async (label: string) =>
      (await page.getByLabel(label, { exact: true }).boundingBox())?.y ?? Number.NaN;
    // The page may still be scrolling to the first error.
    for (const [left, right] of [
      ['Price', 'Order quantity'],
      ['Category (optional)', 'Low-stock threshold (optional)'],
    ] as const)
      await expect.poll(async () => (await topOf(left)) - (await topOf(right))).toBe(0);
    await expect.poll(async () => (await read(product)).version).toBe(1);
  });

  test('if another admin has saved meanwhile, both versions are shown and nothing typed is lost', async () => {
    const product = await stage.shop.addProduct({ name: 'Reamer', price: 5 });
    const page = await openEditor(product);
    await fillFields(page, { Price: '6', Description: 'Opens holes.' });
    await edit(product, { name: 'Cutting reamer', price: 7 });
    await press(page, 'Save changes');
    await page.getByRole('alert').filter({ hasText: 'Another admin has changed this product' }).waitFor();
    const cellsOf = async (field: string) => readText(rowOf(page, field));
    await expect.poll(() => cellsOf('Name')).toMatch(/Reamer.*Cutting reamer/s);
    await expect.poll(() => cellsOf('Price')).toMatch(/6.*7/s);
    await expect.poll(() => cellsOf('Description')).toMatch(/Opens holes\..*Measures pivots\./s);
    // The form has the typed values, and the current ones of other fields.
    await expect.poll(() => readValue(page, 'Name')).toBe('Cutting reamer');
    await expect.poll(() => readValue(page, 'Price')).toBe('6');
    await expect.poll(() => readValue(page, 'Description')).toBe('Opens holes.');
    await expect.poll(() => read(product)).toMatchObject({ price: 7, version: 2 });
    await press(page, 'Use this (Price, now)');
    await expect.poll(() => readValue(page, 'Price')).toBe('7');
    await press(page, 'Save changes');
    await expectToast(page, 'Changes saved.');
    await expect
      .poll(() => read(product))
      .toMatchObject({
        name: 'Cutting reamer',
        price: 7,
        description: 'Opens holes.',
        version: 3,
      });
  });

  test('an archived product leaves the shop and the list, and comes back when restored', async () => {
    const product = await stage.shop.addProduct({ name: 'Broach' });
    const page = await openEditor(product);
    // Archiving keeps what is typed, and causes no conflict.
    await fillFields(page, { Price: '9' });
    await page.getByText('Take it off sale').click();
    await press(page, 'Archive the product');
    await expectToast(page, 'Broach is archived.');
    await page.getByText('Archived', { exact: true }).waitFor();
    await expect.poll(() => readValue(page, 'Price')).toBe('9');
    await press(page, 'Save changes');
    await expectToast(page, 'Changes saved.');
    await expect.poll(() => read(product)).toMatchObject({ archived: true, price: 9 });

    await page.getByRole('link', { name: 'Manage Products' }).last().click();
    await rowOf(page, 'Broach').getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Current', exact: true }).click();
    await rowOf(page, 'Broach').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Archived', exact: true }).click();
    await page.getByRole('link', { name: 'Broach', exact: true }).click();
    await page.getByText('Put it back on sale').click();
    await press(page, 'Restore the product');
    await expect.poll(async () => (await read(product)).archived).toBe(false);
  });
});

describe('a price that changes a lot', () => {
  test.each([true, false])('is saved once it is confirmed (scripts: %s)', async (javaScriptEnabled) => {
    const product = await stage.shop.addProduct({ name: 'Jewelling set', price: 5 });
    const page = await (javaScriptEnabled ? openEditor(product) : openPlainEditor(product));
    await fillFields(page, { Price: '50', Description: 'Sets jewels.' });
    await press(page, 'Save changes');
    const question = page.getByLabel('Change the price from USD 5.00 to USD 50.00');
    await question.waitFor();
    await expect.poll(() => readValue(page, 'Description')).toBe('Sets jewels.');
    await expect.poll(() => read(product)).toMatchObject({ price: 5, version: 1 });
    await question.check();
    // Another price must be confirmed again.
    await fillFields(page, { Price: '500' });
    await press(page, 'Save changes');
    const next = page.getByLabel('Change the price from USD 5.00 to USD 500.00');
    await expect.poll(() => next.isChecked()).toBe(false);
    await expect.poll(() => read(product)).toMatchObject({ price: 5, version: 1 });
    await fillFields(page, { Price: '40' });
    await press(page, 'Save changes');
    await page.getByLabel('Change the price from USD 5.00 to USD 40.00').check();
    await press(page, 'Save changes');
    await page.getByText('Changes saved.').first().waitFor();
    await expect.poll(() => read(product)).toMatchObject({ price: 40, description: 'Sets jewels.' });
  });
});

describe('the category', () => {
  const categoryFields = { 'Category (optional)': 'Measuring', 'Low-stock threshold (optional)': '4' };

  test('Add Product takes a category and a threshold, suggests categories, and customers see the category', async () => {
    const page = await stage.open({ as: admin });
    await openPath(page, '/dashboard/addProduct');
    const fields = { Name: 'Depth gauge', Price: '8', 'Order quantity': '1', 'Available quantity': '5' };
    await fillFields(page, { ...fields, ...categoryFields, Description: 'Measures.' });
    await page.getByLabel('Image', { exact: true }).setInputFiles(await createPhoto());
    await press(page, 'Add Product');
    await page.getByRole('main').getByRole('link', { name: 'Depth gauge' }).click();
    await page.getByRole('heading', { name: 'Depth gauge', level: 1 }).waitFor();
    await page
      .getByRole('navigation', { name: 'Breadcrumbs' })
      .getByRole('link', { name: 'Measuring' })
      .waitFor();
    const id = page.url().split('/').at(-1) ?? '';
    const stored = await stage.shop.client(admin).call('getProduct', { params: { id } });
    expect([stored.category, stored.lowStock]).toEqual(['Measuring', 4]);
    for (const path of ['/dashboard/addProduct', `/dashboard/products/${id}`]) {
      await openPath(page, path);
      const input = page.getByLabel('Category (optional)');
      const suggested = await input.evaluate((element) =>
        element instanceof HTMLInputElement
          ? [...(element.list?.options ?? [])].map(({ value }) => value)
          : [],
      );
      expect(suggested).toContain('Measuring');
    }
  });

  test('without scripts, a post without a category or threshold is accepted', async () => {
    const { img } = await stage.shop.addProduct();
    const page = await stage.open({
      as: admin,
      javaScriptEnabled: false,
      expected: [/static\/js\/.*: csp$/],
    });
    await page.goto('/dashboard/addProduct');
    await fillFields(page, { Name: 'Scriber', Price: '8', 'Order quantity': '1', 'Available quantity': '5' });
    await fillFields(page, { Description: 'Marks.' });
    await page.locator('input[name=img]').evaluate((input, url) => input.setAttribute('value', url), img);
    await press(page, 'Add Product');
    await page.getByText('Product Added Successfully!').waitFor();
  });
});

describe('without scripts', () => {
  test('both versions are shown, the form keeps what was typed, and saving again works', async () => {
    const product = await stage.shop.addProduct({ name: 'Gauge', price: 5 });
    const page = await openPlainEditor(product);
    await fillFields(page, { Price: '6.50', Description: 'Two\nlines.' });
    await edit(product, { name: 'Pivot gauge', price: 7 });
    await press(page, 'Save changes');
    await page.getByRole('alert').filter({ hasText: 'Another admin has changed this product' }).waitFor();
    await expect.poll(() => readText(rowOf(page, 'Price'))).toMatch(/6\.50.*7/s);
    await expect.poll(() => readValue(page, 'Name')).toBe('Pivot gauge');
    await expect.poll(() => readValue(page, 'Price')).toBe('6.50');
    await expect.poll(() => readValue(page, 'Description')).toBe('Two\nlines.');
    await press(page, 'Save changes');
    await page.getByText('Changes saved.').waitFor();
    await expect
      .poll(() => read(product))
      .toMatchObject({
        name: 'Pivot gauge',
        price: 6.5,
        description: 'Two\nlines.',
        version: 3,
        img: product.img,
      });
  });

  test('a product is archived and restored after a confirmation', async () => {
    const product = await stage.shop.addProduct({ name: 'Loupe' });
    const page = await openPlainEditor(product);
    await page.getByText('Take it off sale').click();
    await press(page, 'Archive the product');
    await page.getByText('Product archived.').waitFor();
    await expect.poll(async () => (await read(product)).archived).toBe(true);
    await page.getByText('Put it back on sale').click();
    await press(page, 'Restore the product');
    await page.getByText('The product is back in the shop.').waitFor();
    await expect.poll(async () => (await read(product)).archived).toBe(false);
  });
});
