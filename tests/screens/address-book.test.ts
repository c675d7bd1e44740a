import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { home, setUpDelivery } from '../support/delivery.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';
import { pressButton } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
});
afterAll(() => stage?.close());

const findBook = (page: Page) => page.getByRole('region', { name: 'Address book' });
const listed = (page: Page, text: string) => findBook(page).locator('li > p').filter({ hasText: text });

test('a shop without delivery costs has no address book', async () => {
  const tom = await stage.shop.signUp('Tom Graham');
  const page = await stage.open({ as: tom });
  await openPath(page, '/dashboard');
  await page.getByRole('heading', { name: 'My Profile' }).waitFor();
  expect(await findBook(page).count()).toBe(0);
});

test.each([
  ['with scripts', true],
  ['without scripts', false],
])(
  '%s, an address is added in the fields of its country, changed and removed',
  async (_, javaScriptEnabled) => {
    const { shop } = stage;
    await setUpDelivery(shop);
    const nora = await shop.signUp('Nora Newcomer');
    const list = () => shop.client(nora).call('listAddresses', {});
    const page = await stage.open({
      as: nora,
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of 422/],
    });
    await page.goto('/dashboard');
    const book = findBook(page);
    await book.getByRole('link', { name: 'Add an address' }).click();
    expect(await book.getByLabel('Name').inputValue()).toBe('Nora Newcomer');
    await book.getByLabel('Address', { exact: true }).fill('1 Main St');
    await book.getByLabel('Country').selectOption('US');
    if (!javaScriptEnabled) await pressButton(page, 'Show the fields of this country');
    await book.getByLabel('City').fill('Dayton');
    await pressButton(page, 'Save address');
    await book.getByRole('link', { name: 'State is Required' }).waitFor();
    expect(await book.getByLabel('Address', { exact: true }).inputValue()).toBe('1 Main St');
    await book.getByLabel('State').fill('OH');
    await book.getByLabel('ZIP code').fill('45402');
    await pressButton(page, 'Save address');
    await listed(page, 'Dayton, OH 45402').waitFor();
    await page.getByText('Address saved.').waitFor();
    expect(await list()).toMatchObject([{ line1: '1 Main St', region: 'OH', country: 'US' }]);

    await book.getByRole('link', { name: /^Change/ }).click();
    await book.getByLabel('Address', { exact: true }).fill('2 Main St');
    await pressButton(page, 'Save address');
    await listed(page, '2 Main St').waitFor();
    await book.getByRole('link', { name: 'Add an address' }).waitFor();
    expect(await list()).toMatchObject([{ line1: '2 Main St' }]);

    await book.getByRole('button', { name: /^Remove/ }).click();
    await listed(page, '2 Main St').waitFor({ state: 'detached' });
    await page.getByText('Address removed.').waitFor();
    expect(await list()).toEqual([]);
  },
);

test('Change moves the focus to the form, Cancel discards the input, and another country clears the errors', async () => {
  const { shop } = stage;
  await setUpDelivery(shop);
  const tom = await shop.signUp('Tom Twohomes');
  for (const line1 of ['1 Mill Lane', '2 Mill Lane'])
    await shop.client(tom).call('addAddress', { body: { ...home, line1 } });
  const page = await stage.open({ as: tom });
  await openPath(page, '/dashboard');
  const book = findBook(page);
  const line = book.getByLabel('Address', { exact: true });
  for (const number of [1, 2]) {
    await book.getByRole('link', { name: `${number} Mill Lane` }).click();
    await expect.poll(() => line.inputValue()).toBe(`${number} Mill Lane`);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('book.country');
  }
  await line.fill('');
  await pressButton(page, 'Save address');
  await book.getByRole('link', { name: 'Address is Required' }).waitFor();
  await book.getByLabel('Country').selectOption('US');
  await book.getByRole('link', { name: 'Address is Required' }).waitFor({ state: 'detached' });
  await book.getByRole('link', { name: 'Cancel' }).click();
  await line.waitFor({ state: 'detached' });
  await book.getByRole('link', { name: '2 Mill Lane' }).click();
  await expect.poll(() => line.inputValue()).toBe('2 Mill Lane');
  expect(await book.getByText('Your unsaved changes are still here.').count()).toBe(0);
});

test('a full address book says so', async () => {
  const { shop } = stage;
  await setUpDelivery(shop);
  const ann = await shop.signUp('Ann Full');
  for (let number = 1; number <= 10; number++)
    await shop.client(ann).call('addAddress', { body: { ...home, line1: `${number} Mill Lane` } });
  const page = await stage.open({ as: ann });
  await openPath(page, '/dashboard');
  await findBook(page).getByText('Your address book is full.').waitFor();
  expect(await findBook(page).getByRole('link', { name: 'Add an address' }).count()).toBe(0);
});

test.each([
  ['with scripts', true],
  ['without scripts', false],
])(
  '%s, an address that can no longer be saved stays in its form, with the reason',
  async (_, javaScriptEnabled) => {
    const { shop } = stage;
    await setUpDelivery(shop);
    const ann = await shop.signUp('Ann Full');
    const client = shop.client(ann);
    const add = (number: number) =>
      client.call('addAddress', { body: { ...home, line1: `${number} Mill Lane` } });
    const { insertedId: id } = await add(1);
    for (let number = 2; number <= 9; number++) await add(number);
    const page = await stage.open({
      as: ann,
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of 404/, /status of 409/],
    });
    const book = findBook(page);
    const line = book.getByLabel('Address', { exact: true });
    await page.goto('/dashboard?address=new');
    if (javaScriptEnabled) await waitForHydration(page);
    await line.fill('11 Fusee Lane');
    await book.getByLabel('Postcode').fill('CV1 5FB');
    await book.getByLabel('Town or city').fill('Coventry');
    await add(10);
    await pressButton(page, 'Save address');
    await book.getByText('Your address book is full: it has 10 addresses.').waitFor();
    await listed(page, '10 Mill Lane').waitFor();
    expect(await line.inputValue()).toBe('11 Fusee Lane');
    await book.getByRole('link', { name: 'Cancel' }).click();
    await line.waitFor({ state: 'detached' });

    await book.getByRole('link', { name: /^Change.* 1 Mill Lane/ }).click();
    await line.fill('12 Fusee Lane');
    await client.call('removeAddress', { params: { id } });
    await pressButton(page, 'Save address');
    await book.getByRole('alert').getByText('There is no such address.').waitFor();
    expect(await line.inputValue()).toBe('12 Fusee Lane');
  },
);
