import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buy } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { findButton, pressTwice } from './buttons.ts';
import { fillFields } from './fields.ts';
import { createPhoto } from './image-files.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

/** Opens a hydrated page as the admin. */
async function open(path: string): Promise<Page> {
  const page = await stage.open({ as: admin });
  await openPath(page, path);
  await page.waitForLoadState('networkidle');
  return page;
}

describe('a double click', () => {
  test('on Add Product adds one product', async () => {
    const page = await open('/dashboard/addProduct');
    await fillFields(page, {
      Name: 'Added once',
      Price: '168.50',
      'Order quantity': '2',
      'Available quantity': '12',
      Description: 'Winds a spring.',
    });
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    const until = () => page.getByText('Product Added Successfully!').waitFor();
    expect(await pressTwice(page, findButton(page, 'Add Product'), { path: /\/1\/upload/, until })).toBe(1);
    const all = await stage.shop.client().call('listProducts', {});
    expect(all.filter(({ name }) => name === 'Added once')).toHaveLength(1);
  });

  test('on the status of an order ships it once, also if a dialog asks about a missing address', async () => {
    const nora = await stage.shop.signUp();
    const product = await stage.shop.addProduct();
    const [withoutAddress, withAddress] = [
      await buy(stage.shop, nora, product),
      await buy(stage.shop, nora, product),
    ];
    await stage.shop.database.db
      .updateTable('purchase')
      .set({ address: '4 Fusee Lane' })
      .where('id', '=', withAddress.order._id)
      .execute();
    const page = await open('/dashboard/allOrders');
    const ship = (row: Locator) => findButton(row, 'Ship, now paid');
    const rowOf = (id: string) => page.locator(`[id="${id}"]`);
    const shipped = (id: string) => ({
      method: 'PUT',
      path: new RegExp(`/api/orders/${id}$`),
      until: () => rowOf(id).getByRole('button', { name: 'sipping', disabled: true }).waitFor(),
    });
    expect(await pressTwice(page, ship(rowOf(withAddress.order._id)), shipped(withAddress.order._id))).toBe(
      1,
    );
    await ship(rowOf(withoutAddress.order._id)).dblclick();
    const confirm = findButton(page.getByRole('dialog'), 'Ship it');
    expect(await pressTwice(page, confirm, shipped(withoutAddress.order._id))).toBe(1);
  });

  test('on the status of an order to ship never ships the one below it, however long the second press takes', async () => {
    const nora = await stage.shop.signUp();
    const product = await stage.shop.addProduct({ name: 'Cannon pinion remover', a_quantity: 100 });
    const bought = [await buy(stage.shop, nora, product), await buy(stage.shop, nora, product)];
    const ids = bought.map(({ order }) => order._id);
    await stage.shop.database.db
      .updateTable('purchase')
      .set({ address: '4 Fusee Lane' })
      .where('id', 'in', ids)
      .execute();
    const page = await open('/dashboard/allOrders?status=paid&q=Cannon');
    const [below = '', above = ''] = ids;
    const row = page.locator(`[id="${above}"]`);
    const place = await findButton(row, 'Ship, now paid').boundingBox();
    const press = () =>
      page.mouse.click((place?.x ?? 0) + (place?.width ?? 0) / 2, (place?.y ?? 0) + (place?.height ?? 0) / 2);
    await press();
    await row.getByRole('button', { name: 'sipping', disabled: true }).waitFor();
    await press();
    await page.keyboard.press('Enter');
    await findButton(page.locator(`[id="${below}"]`), 'Ship, now paid').waitFor();
    const admin = stage.shop.client(await stage.shop.admin());
    const read = (id: string) => admin.call('getOrder', { params: { id } });
    expect(await read(above)).toMatchObject({ orderStatus: 'sipping' });
    expect(await read(below)).toMatchObject({ orderStatus: 'paid' });
  });

  test('on Make Admin and in its dialog promotes once', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await open('/dashboard/users');
    const row = page.getByRole('row').filter({ hasText: nora.email });
    await findButton(row, /^Make Admin/).dblclick();
    const until = () => row.getByText('admin', { exact: true }).waitFor();
    const promotion = { method: 'PUT', path: /\/api\/user\/admin\//, until };
    expect(await pressTwice(page, findButton(page.getByRole('dialog'), 'Make Admin'), promotion)).toBe(1);
  });

  test('on Delete and in its dialog deletes one product', async () => {
    for (const name of ['First loupe', 'Second loupe']) await stage.shop.addProduct({ name });
    const page = await open('/dashboard/manageProduct');
    await findButton(page, 'Delete First loupe').dblclick();
    const until = () => findButton(page, 'Delete First loupe').waitFor({ state: 'detached' });
    const confirm = findButton(page.getByRole('dialog'), 'Delete the product');
    const deletion = { method: 'DELETE', path: /\/api\/products\//, until };
    expect(await pressTwice(page, confirm, deletion)).toBe(1);
    await findButton(page, 'Delete Second loupe').waitFor();
  });
});
