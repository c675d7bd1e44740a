import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
async function saveMeanwhile(taxId: string): Promise<void> {
  const { version } = await read();
  const body = { version, name: 'Hand-Tools Shop', address: `${version} Mill Lane\nYork`, taxId };
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

test('after a conflict, the form keeps what was typed, shows the saved values of other fields, and can be saved', async () => {
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, path);
  await saveMeanwhile('VAT 1');
  await page.getByLabel('Name').fill('Fusee Ltd');
  await page.getByLabel('Address').fill('12 Escapement Row');
  await save(page);
  await page.getByText('Another admin has changed these details').waitFor();
  const { address } = await read();
  await expect.poll(() => readFields(page)).toEqual(['Fusee Ltd', '12 Escapement Row', 'VAT 1']);
  await page.getByRole('button', { name: 'Use this (Address)' }).click();
  await expect.poll(() => readFields(page)).toEqual(['Fusee Ltd', address, 'VAT 1']);
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect.poll(() => read()).toMatchObject({ name: 'Fusee Ltd', address, taxId: 'VAT 1' });
});

test('without scripts, a conflict shows both versions, and the next post saves', async () => {
  const page = await stage.open({ as: ada, javaScriptEnabled: false, expected: [/status of 409/] });
  await page.goto(path);
  await saveMeanwhile('VAT 2');
  const { address } = await read();
  await page.getByLabel('Address').fill('12 Escapement Row\nYork');
  await save(page);
  await page.getByText('Another admin has changed these details').waitFor();
  await expect.poll(() => page.getByLabel('Address').inputValue()).toBe('12 Escapement Row\nYork');
  await page.getByText(address).waitFor();
  await page.getByLabel('Tax number').fill('VAT 3');
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect.poll(() => read()).toMatchObject({ address: '12 Escapement Row\nYork', taxId: 'VAT 3' });
});
