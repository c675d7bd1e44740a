import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShopDetails } from '../../contract/admin/shop-details.ts';
import type { TestUser } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage();
  ada = await stage.shop.admin();
});
afterAll(() => stage?.close());

const read = () => stage.shop.client(ada).call('getShopDetails', {});
const path = '/dashboard/shop';
const save = (page: Page) => page.getByRole('button', { name: 'Save details' }).click();
const readFields = (page: Page) =>
  Promise.all(['Name', 'Address', 'Tax number'].map((label) => page.getByLabel(label).inputValue()));

/** Another admin changes the address and the tax number. */
async function saveMeanwhile(taxId: string, promises: Partial<ShopDetails> = {}): Promise<void> {
  const { version } = await read();
  const body = {
    version,
    name: 'Hand-Tools Shop',
    address: `${version} Mill Lane\nYork`,
    taxId,
    ...promises,
  };
  await stage.shop.client(await stage.shop.admin()).call('saveShopDetails', { body });
}

test('an admin enters the details, and the page says which of them come from the settings', async () => {
  const page = await stage.open({ as: ada });
  await openPath(page, path);
  await expect.poll(() => page.getByText('From the setting SHOP_NAME').isVisible()).toBe(true);
  await page.getByLabel('Name').fill('');
  await save(page);
  await page.getByRole('alert').getByText('Name is Required').waitFor();
  await page.getByLabel('Name').fill('Escapement Supplies');
  await page.getByLabel('Address').fill('1 Mill Lane\nYork');
  await save(page);
  await page.getByText('Replaces “Hand-Tools Shop”').waitFor();
  // Saves again without a reload.
  await page.getByLabel('Name').fill('Hand-Tools Shop');
  await save(page);
  await page.getByText('From the setting SHOP_NAME').waitFor();
  await expect
    .poll(() => read())
    .toMatchObject({ name: 'Hand-Tools Shop', address: '1 Mill Lane\nYork', taxId: '' });
});

test('a promise needs a text, and customers see it once it is shown', async () => {
  const page = await stage.open({ as: ada });
  await openPath(page, path);
  await page.getByRole('checkbox', { name: 'Show the guarantee' }).check();
  await save(page);
  await page.getByRole('alert').getByText('Write the guarantee before you show it').waitFor();
  await page.getByLabel('Guarantee (optional)').fill('Two years on every tool');
  await page.getByLabel('Delivery (optional)').fill('Sent within two days');
  await page.getByLabel('Days for returns').fill('30');
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  const { _id } = await stage.product();
  const customer = await stage.open({ as: await stage.shop.signUp() });
  await openPath(customer, '/products');
  await customer.getByRole('main').locator(`a[href^="/purchase/${_id}"]`).first().click();
  const promises = customer.getByRole('main').getByRole('list', { name: 'What we promise' });
  await expect
    .poll(() => promises.getByRole('listitem').allTextContents())
    .toEqual(['Two years on every tool']);
  const soldOut = await stage.shop.addProduct({ a_quantity: 0 });
  await openPath(customer, `/purchase/${soldOut._id}`);
  await promises.getByText('Two years on every tool').waitFor();
  // Saves again without a reload.
  await page.getByRole('checkbox', { name: 'Show the guarantee' }).uncheck();
  await save(page);
  await expect.poll(() => read()).toMatchObject({ guaranteeShown: false, returnDays: 30 });
  await customer.reload();
  await customer.getByRole('heading', { level: 1 }).waitFor();
  expect(await promises.count()).toBe(0);
});

test('after a conflict, the form keeps what was typed, shows the saved values of other fields, and can be saved', async () => {
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, path);
  await saveMeanwhile('VAT 1', { delivery: 'Sent within two days', deliveryShown: true, returns: 'No' });
  await page.getByLabel('Name').fill('Fusee Ltd');
  await page.getByLabel('Address').fill('12 Escapement Row');
  await page.getByLabel('Returns (optional)', { exact: true }).fill('Send it back within 30 days');
  await page.getByRole('checkbox', { name: 'Show the returns promise' }).check();
  await save(page);
  await page.getByText('Another admin has changed these details').waitFor();
  const { address } = await read();
  await expect.poll(() => readFields(page)).toEqual(['Fusee Ltd', '12 Escapement Row', 'VAT 1']);
  await page.getByRole('button', { name: 'Use this (Address)' }).click();
  await expect.poll(() => readFields(page)).toEqual(['Fusee Ltd', address, 'VAT 1']);
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect
    .poll(() => read())
    .toMatchObject({
      name: 'Fusee Ltd',
      address,
      taxId: 'VAT 1',
      delivery: 'Sent within two days',
      deliveryShown: true,
      returns: 'Send it back within 30 days',
      returnsShown: true,
    });
});

test('without scripts, a conflict shows both versions, and the next post saves', async () => {
  const page = await stage.open({ as: ada, javaScriptEnabled: false, expected: [/status of 409/] });
  await page.goto(path);
  await saveMeanwhile('VAT 2', { guarantee: 'Two years', guaranteeShown: true });
  const { address } = await read();
  await page.getByLabel('Address').fill('12 Escapement Row\nYork');
  await save(page);
  await page.getByText('Another admin has changed these details').waitFor();
  await expect.poll(() => page.getByLabel('Address').inputValue()).toBe('12 Escapement Row\nYork');
  await page.getByText(address).waitFor();
  await page.getByText('Saved by another admin:Shown').waitFor();
  await page.getByRole('checkbox', { name: 'Show the guarantee' }).check();
  await page.getByLabel('Guarantee (optional)').fill('Ten years');
  await page.getByLabel('Tax number').fill('VAT 3');
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect
    .poll(() => read())
    .toMatchObject({
      address: '12 Escapement Row\nYork',
      taxId: 'VAT 3',
      guarantee: 'Ten years',
      guaranteeShown: true,
    });
});
