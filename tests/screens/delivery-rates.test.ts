import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShippingEdit } from '../../contract/delivery/shipping-rates.ts';
import type { TestUser } from '../support/requests.ts';
import { openPath, openStage, type Stage } from './stage.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage({ settings: { SHOP_CURRENCY: 'GBP' } });
  ada = await stage.shop.admin();
});
afterAll(() => stage?.close());

const path = '/dashboard/delivery';
const read = () => stage.shop.client().call('getShipping', {});

/** Saves as another admin. */
async function saveMeanwhile(edit: Partial<ShippingEdit>): Promise<void> {
  const body = { ...(await read()), ...edit };
  await stage.shop.client(await stage.shop.admin()).call('saveShipping', { body });
}

const shipFree = (name: string) => ({
  name,
  countries: ['GB'],
  rates: [{ name: 'Post', by: 'flat' as const, price: 3 }],
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const zone = (page: Page, name: string) =>
  page.getByRole('group', { name: new RegExp(`^Zone \\d: ${name}`) });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.id);
const save = (page: Page) => press(page, 'Save delivery');

test('a starting point fills in zones and example prices, which must be checked before they are saved', async () => {
  await saveMeanwhile({ shipsFrom: '', zones: [] });
  const page = await stage.open({ as: ada });
  await openPath(page, path);
  await page.getByText('Customers are not charged for delivery, and they choose nothing.').waitFor();
  await page.getByRole('button', { name: 'United Kingdom' }).click();
  await page.getByText('These are examples, not real prices.').waitFor();
  expect(await focused(page)).toBe('zones');
  await save(page);
  await page.getByRole('alert').getByText('Check the example prices and days').waitFor();
  expect((await read()).zones).toEqual([]);

  const mainland = zone(page, 'Great Britain');
  const marks = mainland.getByText('Example', { exact: true });
  const examples = await marks.count();
  await mainland.getByLabel('Price in GBP').first().fill('4,20');
  await expect.poll(() => marks.count()).toBe(examples - 1);
  await press(page, 'Remove rate 2 of zone 1');
  await press(page, 'Add a rate to zone 1');
  expect(await focused(page)).toBe('zones.0.rates.1.name');
  const shop = page.getByRole('group', { name: 'Rate 2', exact: true }).first();
  await shop.getByLabel('Name').fill('From the shop');
  await shop.getByLabel('Price in GBP').fill('0');
  await shop.getByLabel('Customers collect their order').check();
  await page.getByLabel('I have checked every price').check();
  await save(page);
  await page.getByRole('alert').getByText('Say where and when').waitFor();
  await shop.getByLabel('Where and when').fill('1 Mill Lane, York');
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  await expect.poll(() => page.getByText('These are examples').count()).toBe(0);
  const saved = await read();
  expect(saved).toMatchObject({ shipsFrom: 'GB', workingDays: [1, 2, 3, 4, 5] });
  expect(saved.zones).toMatchObject([
    {
      countries: ['GB'],
      rates: [
        { name: 'Standard', price: 4.2, freeFrom: 60, days: [2, 4] },
        { name: 'From the shop', price: 0, pickup: '1 Mill Lane, York' },
      ],
    },
    { countries: ['GB'] },
    { countries: ['IM', 'JE', 'GG'] },
    {
      countries: ['*'],
      rates: [
        { by: 'weight', to: 1000 },
        { by: 'weight', from: 1000, to: 5000 },
      ],
    },
  ]);
  expect(saved.zones[1]?.postcodes).toContain('PA49');

  // Saves again, and keeps the ids of the rates.
  await press(page, 'Up zone 4');
  expect(await focused(page)).toBe('zones.2');
  await page.getByLabel('Zone name').first().press('Enter');
  await expect.poll(async () => (await read()).zones[2]?.name).toBe('Rest of the world');
  expect((await read()).zones[0]).toEqual(saved.zones[0]);
});

/** Opens the form with a rate of £3, which the preview shows. */
async function openPreview() {
  await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Britain')] });
  const page = await stage.open({ as: ada });
  await openPath(page, path);
  const preview = page.getByRole('complementary', { name: 'What customers see' });
  await preview.getByText('£3').waitFor();
  return { page, preview };
}

test('the preview shows what is typed: by postcode, weight and price of the goods', async () => {
  const { page, preview } = await openPreview();
  await zone(page, 'Britain').getByLabel('Price in GBP').fill('5');
  await preview.getByText('£5').waitFor();
  await zone(page, 'Britain').getByLabel('Free from').fill('50');
  await preview.getByText('Free', { exact: true }).waitFor();
  await zone(page, 'Britain').getByLabel('Only these postcodes').fill('BT, KW15–17');
  await preview.getByText('Enter a postcode').waitFor();
  await preview.getByLabel('Postcode').fill('kw16 3aa');
  await preview.getByText('Free', { exact: true }).waitFor();
  await preview.getByLabel('Postcode').fill('LS1 4AP');
  await preview.getByText('No rate applies here').waitFor();
  await zone(page, 'Britain').getByLabel('Priced').selectOption('weight');
  await zone(page, 'Britain').getByLabel('To less than').fill('400');
  await preview.getByLabel('Postcode').fill('BT1 5GS');
  await preview.getByText('the parcel is too heavy').waitFor();
  await preview.getByLabel('Weight').fill('399');
  await preview.getByText('Free', { exact: true }).waitFor();
  await zone(page, 'Britain').getByLabel('From', { exact: true }).fill('100');
  await preview.getByText('Britain has no rate for orders of under 100 g.').waitFor();
});

test('what is tried in the preview is not an unsaved change', async () => {
  const { page, preview } = await openPreview();
  await zone(page, 'Britain').getByLabel('Price in GBP').fill('5');
  await zone(page, 'Britain').getByLabel('Price in GBP').fill('3');
  await preview.getByLabel('Postcode').fill('LS1 4AP');
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  await page.goBack();
  await preview.getByText('£3').waitFor();
  expect(await page.getByText('Your unsaved changes are still here').count()).toBe(0);
});

test('after a conflict, the form keeps what was typed, shows the other version, and can be saved', async () => {
  await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Britain')] });
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, path);
  await zone(page, 'Britain').getByLabel('Price in GBP').fill('5');
  await saveMeanwhile({ zones: [shipFree('Home')] });
  await save(page);
  await page.getByRole('alert').getByText('Another admin has changed delivery').waitFor();
  const other = page.getByRole('region', { name: 'What another admin has saved meanwhile' });
  await other.getByRole('heading', { name: 'Home' }).waitFor();
  expect(await zone(page, 'Britain').getByLabel('Price in GBP').inputValue()).toBe('5');
  await save(page);
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await read()).zones).toMatchObject([{ name: 'Britain', rates: [{ price: 5 }] }]);
});

test('zones that were added but not saved are kept while the admin is on another page', async () => {
  await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Britain')] });
  const page = await stage.open({ as: ada });
  await openPath(page, path);
  await press(page, 'Add a zone');
  await page.getByLabel('Zone name').nth(1).fill('Ireland');
  await page.getByLabel('Add a country').nth(1).fill('ireland');
  const menu = page.getByRole('navigation', { name: 'Dashboard' });
  await menu.getByRole('link', { name: 'Shop Details' }).click();
  await page.getByRole('heading', { name: 'Shop Details', level: 1 }).waitFor();
  await menu.getByRole('link', { name: 'Delivery', exact: true }).click();
  await page.getByText('Your unsaved changes are still here').waitFor();
  await expect.poll(() => page.getByLabel('Zone name').nth(1).inputValue()).toBe('Ireland');
  await page.getByRole('button', { name: 'Remove Ireland' }).waitFor();
});

test('holidays and closed days are saved, and a country that does not exist is reported', async () => {
  await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Britain')] });
  const page = await stage.open({ as: ada, expected: [/status of 422/] });
  await openPath(page, path);
  await page.getByLabel('Public holidays').selectOption('GB-SCT');
  await page.getByLabel('Also closed on').fill('2026-12-24; 2026-12-28 to tomorrow');
  await page.getByLabel('Add a country').fill('Atlantis');
  await save(page);
  await page.locator('[id="closed-error"]').waitFor();
  await page.locator('[id="zones.0.countries-error"]').waitFor();
  expect(await page.getByLabel('Add a country').inputValue()).toBe('Atlantis');
  await page.getByLabel('Also closed on').fill('2026-12-24; 2026-12-28 to 2027-01-01');
  await page.getByLabel('Add a country').fill('');
  await save(page);
  const closed = [
    { from: '2026-12-24', to: '2026-12-24' },
    { from: '2026-12-28', to: '2027-01-01' },
  ];
  await expect.poll(read).toMatchObject({ holidays: 'GB-SCT', closed });
  await openPath(page, path);
  expect(await page.getByLabel('Also closed on').inputValue()).toBe('2026-12-24, 2026-12-28 to 2027-01-01');
});

test.each([true, false])(
  'adding a country that does not exist is reported at once, and Enter adds one (scripts: %s)',
  async (javaScriptEnabled) => {
    await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Britain')] });
    const expected = javaScriptEnabled ? [] : [/static\/js\/.*: csp$/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, path) : page.goto(path));
    const field = page.getByLabel('Add a country');
    await field.fill('Germnay');
    await press(page, 'Add the country to zone 1');
    await page.locator('[id="zones.0.countries-error"]').waitFor();
    expect(await field.inputValue()).toBe('Germnay');
    await field.fill('germany');
    // Without scripts, Enter presses the form's first button.
    await (javaScriptEnabled ? field.press('Enter') : press(page, 'Add the country to zone 1'));
    await page.getByRole('button', { name: 'Remove Germany' }).waitFor();
    expect(await page.locator('[id="zones.0.countries-error"]').count()).toBe(0);
    expect(await read()).toMatchObject({ zones: [{ countries: ['GB'] }] });
  },
);

test('without scripts, every step posts the form and keeps what was typed; a conflict can be saved over', async () => {
  await saveMeanwhile({ shipsFrom: '', zones: [] });
  const page = await stage.open({
    as: ada,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of (409|422)/],
  });
  await page.goto(path);
  await page.getByRole('button', { name: 'Germany and the EU' }).click();
  await page.getByLabel('Price in GBP').first().fill('5.50');
  await page.getByRole('button', { name: 'Remove Austria' }).click();
  await press(page, 'Remove zone 3');
  await press(page, 'Add a zone');
  await page.getByLabel('Zone name').last().fill('Alps');
  await page.getByLabel('Add a country').last().fill('Austria (AT)');
  await press(page, 'Add the country to zone 3');
  await page.getByRole('list', { name: 'Countries of zone 3' }).getByText('Austria').waitFor();
  const rate = page.getByRole('group', { name: 'Rate 1', exact: true }).last();
  await rate.getByLabel('Name').fill('Parcel');
  await rate.getByLabel('Priced').selectOption('weight');
  await rate.getByLabel('To less than').fill('2000');
  await press(page, 'Up zone 3');
  await page.getByLabel('I have checked every price').check();
  await save(page);
  await page.getByRole('link', { name: 'Price is Required' }).waitFor();
  expect(await page.getByLabel('Price in GBP').first().inputValue()).toBe('5.50');
  const alps = zone(page, 'Alps');
  await alps.getByLabel('Price in GBP').fill('9');
  await page.getByLabel('I have checked every price').check();
  await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Home')] });
  await save(page);
  await page.getByText('Another admin has changed delivery').waitFor();
  const other = page.getByRole('region', { name: 'What another admin has saved meanwhile' });
  await other.getByRole('heading', { name: 'Home' }).waitFor();
  await page.getByLabel('I have checked every price').check();
  await save(page);
  await page.getByText('Delivery saved.').waitFor();
  expect((await read()).zones).toMatchObject([
    { name: 'Germany', rates: [{ price: 5.5 }] },
    { name: 'Alps', countries: ['AT'], rates: [{ by: 'weight', to: 2000, price: 9 }] },
    { name: 'European Union' },
  ]);
  await page.getByLabel('Delivery to').selectOption('AT');
  await page.getByRole('button', { name: 'Show the rates' }).click();
  const preview = page.getByRole('complementary', { name: 'What customers see' });
  await preview.getByText('£9').waitFor();
});

test('with delivery rates, links between pages open a product, the basket and the delivery costs', async () => {
  await saveMeanwhile({ shipsFrom: 'GB', zones: [shipFree('Great Britain')] });
  // Each page starts anew: a page that was opened earlier has already loaded the code of some calls.
  for (const [from, link, text] of [
    ['/products', /^Order /, 'plus delivery'],
    ['/products', /^Basket/, 'Your basket is empty'],
    ['/', 'Delivery costs', 'We send parcels from this country'],
  ] as const) {
    const page = await stage.open({ as: await stage.shop.signUp() });
    await openPath(page, from);
    await page.getByRole('link', { name: link }).first().click();
    await expect.poll(() => new URL(page.url()).pathname).not.toBe(from);
    await page.getByRole('main').getByText(text).first().waitFor();
    await page.close();
  }
});
