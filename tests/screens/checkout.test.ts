import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { fillCardField, waitForTransactionId } from '../support/customer.ts';
import { setUpDelivery, home as tomsHome, zones } from '../support/delivery.ts';
import { placePurchase } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { readText } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { pressButton } from './steps.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  await setUpDelivery(stage.shop);
});
afterAll(() => stage?.close());

const home = { ...tomsHome, name: 'Nora Newcomer', line1: '4 Fusee Lane' };

/** Nora with a new unpaid purchase of two pieces for 25.00. */
async function order(details = {}) {
  const { shop } = stage;
  const nora = await shop.signUp('Nora Newcomer');
  const product = await shop.addProduct({ name: 'Depthing tool', price: 12.5, ...details });
  const purchase = await placePurchase(shop, nora, [[product, 2]]);
  const path = `/dashboard/payment/${purchase.orders[0]?._id}`;
  const params = { id: purchase._id };
  const read = () => shop.client(nora).call('getPurchase', { params });
  return { nora, product, purchase, path, read };
}

const save = (nora: TestUser, { _id, version }: Purchase, body = {}) =>
  stage.shop.client(nora).call('saveCheckout', {
    params: { id: _id },
    body: { version, shipTo: home, rate: 'post', price: 29.5, ...body },
  });

const findWhere = (page: Page) => page.getByRole('region', { name: 'Delivery address' });
const findTotal = (page: Page) => page.getByRole('region', { name: 'Summary' });
/** The text of an element, except that of pages without scripts. */
const readShown = async (element: Locator) => (await readText(element)).replaceAll('as you choose', '');
const findSelect = (page: Page) => page.locator('select[name="shipTo.country"]');
const findPanel = (page: Page) => page.getByRole('region', { name: 'Payment' });
const goOn = (page: Page) => pressButton(page, 'Continue to payment');
const readFocus = (page: Page) => page.evaluate(() => document.activeElement?.id);

test('from the address to the payment: rates follow the country and the postcode, and the total is above each button', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({
    as: nora,
    viewport: { width: 1280, height: 900 },
    expected: [/status of 422/],
  });
  await openPath(page, `${path}?done=ordered`);
  expect(await page.getByText('Add your product Successfully').count()).toBe(0);
  expect(await findSelect(page).inputValue()).toBe('GB');
  // Germany, the United Kingdom and the United States.
  expect(await findSelect(page).locator('option').count()).toBe(3);
  await page.getByText('Enter the postcode first').waitFor();
  expect(await readShown(findTotal(page))).toContain('Deliverynot chosen');

  const quoted = page.waitForRequest(/\/quote\?/);
  await findWhere(page).getByLabel('Postcode').fill('BT1 1AA');
  // The rest of the address is in no URL.
  expect([...new URL((await quoted).url()).searchParams.keys()]).toEqual(['country', 'postcode']);
  await expect
    .poll(() => readShown(findTotal(page)))
    .toContain('Parcel to Northern IrelandUSD 9.00TotalUSD 34.00');
  await findWhere(page).getByLabel('Postcode').fill('CV1 5FB');
  await expect
    .poll(() => readShown(findTotal(page)))
    .toMatch(/GoodsUSD 25\.00Delivery, Tracked 48USD 4\.50TotalUSD 29\.50\s*Continue to payment/);
  await page.getByText('The delivery options have changed: 2 are available.').waitFor();
  await page.getByText(/^arrives \d+/).waitFor();
  await page.getByLabel('Collect it').check();
  await expect.poll(() => readShown(findTotal(page))).toContain('Collect itfreeTotalUSD 25.00');
  await page.getByLabel('Tracked 48').check();

  await findSelect(page).selectOption('US');
  await findWhere(page).getByLabel('ZIP code').waitFor();
  await findWhere(page).getByLabel('State').fill('Ohio');
  await page.getByText('Import charges may apply in this country (United States)').waitFor();
  await expect.poll(() => readShown(findTotal(page))).toContain('AirmailUSD 20.00');
  await findSelect(page).selectOption('GB');
  await expect.poll(() => readShown(findTotal(page))).toContain('Tracked 48');
  expect(await findWhere(page).getByLabel('Postcode').inputValue()).toBe('CV1 5FB');

  // Nothing that was typed is lost when something is missing.
  await goOn(page);
  await page.getByRole('link', { name: 'Address is Required' }).click();
  await expect.poll(() => readFocus(page)).toBe('shipTo.line1');
  await findWhere(page).getByLabel('Address', { exact: true }).fill('4 Fusee Lane');
  await findWhere(page).getByLabel('Town or city').fill('Coventry');
  await page.getByLabel('Remark (optional)').fill('Ring twice.');
  const invoiceCountry = page.locator('select[name="billTo.country"]');
  expect(await invoiceCountry.isVisible()).toBe(false);
  await page.getByLabel('Another address for the invoice').check();
  const invoice = page.getByRole('group', { name: 'Invoice' });
  await invoice.getByLabel('Country').selectOption('DE');
  await invoice.getByLabel('Name').fill('Uhren GmbH');
  await invoice.getByLabel('Address', { exact: true }).fill('Gasse 1');
  await invoice.getByLabel('Postcode').fill('10115');
  await invoice.getByLabel('City').fill('Berlin');
  await goOn(page);

  await page.getByRole('region', { name: 'Where and how' }).getByText('4 Fusee Lane').waitFor();
  await page.getByText('Uhren GmbH').waitFor();
  await expect.poll(() => readFocus(page)).toBe('payment');
  await expect
    .poll(() => readShown(findPanel(page)))
    .toMatch(/GoodsUSD 25\.00Delivery, Tracked 48USD 4\.50TotalUSD 29\.50\s*Pay now/);
  expect(await read()).toMatchObject({
    price: 29.5,
    rate: 'post',
    remark: 'Ring twice.',
    // The state belonged to the address in the United States.
    shipTo: { line1: '4 Fusee Lane', region: '', country: 'GB' },
    billTo: { name: 'Uhren GmbH', country: 'DE' },
  });
  await fillCardField(page, '4242 4242 4242 4242');
  await pressButton(page, 'Pay now');
  await waitForTransactionId(page);
  expect((await read()).paid).toBe(true);
});

test('the next purchase starts with the last address, and Change keeps what was saved', async () => {
  const { nora, purchase, product } = await order();
  await save(nora, purchase);
  const next = await placePurchase(stage.shop, nora, [[product, 2]]);
  const page = await stage.open({ as: nora });
  await openPath(page, `/dashboard/payment/${next.orders[0]?._id}`);
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
  await page.getByLabel('Collect it').check();
  await goOn(page);
  await page.getByRole('link', { name: 'Change where and how it is sent' }).click();
  expect(await page.getByLabel('Collect it').isChecked()).toBe(true);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('5 Verge Row');
  await page.getByLabel('Tracked 48').check();
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Change where and how it is sent' }).click();
  await findSelect(page).waitFor();
  expect(await page.getByText('Your unsaved changes are still here.').count()).toBe(0);
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
  expect(await page.getByLabel('Collect it').isChecked()).toBe(true);
  await page.getByLabel('Tracked 48').check();
  await goOn(page);
  await expect.poll(() => readShown(findPanel(page))).toContain('TotalUSD 29.50');
});

test('a tool that is no longer sent to the saved country opens the checkout again', async () => {
  const { nora, purchase, path, product } = await order();
  await save(nora, purchase);
  const { db } = stage.shop.database;
  await db.updateTable('product').set({ not_to: 'GB' }).where('id', '=', product._id).execute();
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await page.getByText('We cannot send Depthing tool to United Kingdom.').waitFor();
  expect(await page.getByRole('link', { name: 'Cancel' }).count()).toBe(0);
  await findSelect(page).selectOption('DE');
  await expect.poll(() => readShown(findTotal(page))).toContain('ParcelUSD 12.00TotalUSD 37.00');
});

test('an order that is too small learns from which price it would be sent', async () => {
  const { nora, path } = await order();
  const rates = [{ name: 'Pallet', by: 'total' as const, from: 50, price: 9 }];
  await setUpDelivery(stage.shop, { zones: [{ name: 'Ireland', countries: ['IE'], rates }] });
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await findSelect(page).selectOption('IE');
  await page.getByText('Orders to Ireland must be at least USD 50.00; this one is USD 25.00.').waitFor();
  await setUpDelivery(stage.shop);
});

test('a tool that is not sent to a country, and a parcel that is too heavy, are said where the country is chosen', async () => {
  const { nora, path } = await order({ notTo: 'US', weight: 400 });
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await findSelect(page).selectOption('US');
  await page
    .getByText('We cannot send Depthing tool to United States. Choose another country, or delete this tool')
    .waitFor();
  await page.getByRole('button', { name: 'Continue to payment' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => readFocus(page)).toBe('rate');
  await findSelect(page).selectOption('DE');
  await page.getByText('This order is too heavy for the ways in which we send to Germany.').waitFor();
});

test('if the price of delivery changes meanwhile, the new total is shown, and nothing is lost', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({ as: nora, expected: [/status of 409/] });
  await openPath(page, path);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('4 Fusee Lane');
  await findWhere(page).getByLabel('Postcode').fill('CV1 5FB');
  await findWhere(page).getByLabel('Town or city').fill('Coventry');
  await expect.poll(() => readShown(findTotal(page))).toContain('TotalUSD 29.50');
  const [first, ...others] = zones;
  if (!first) expect.unreachable();
  const rates = [{ _id: 'post', name: 'Tracked 48', by: 'flat' as const, price: 5 }];
  await setUpDelivery(stage.shop, { zones: [{ ...first, rates }, ...others] });
  await goOn(page);
  await page.getByText('The total has changed from USD 29.50 to USD 30.00.').waitFor();
  await expect.poll(() => readShown(findTotal(page))).toContain('Tracked 48USD 5.00TotalUSD 30.00');
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
  await goOn(page);
  await findPanel(page).waitFor();
  expect((await read()).price).toBe(30);
  await setUpDelivery(stage.shop);
});

test('in two windows, the stale one says so and keeps what was typed', async () => {
  const { nora, purchase, path, read } = await order();
  // The provider rejects the payment that the other window has cancelled.
  const page = await stage.open({ as: nora, expected: [/status of 409/, /status of 400/] });
  await openPath(page, path);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('5 Verge Row');
  await findWhere(page).getByLabel('Postcode').fill('CV1 5FB');
  await findWhere(page).getByLabel('Town or city').fill('York');
  await expect.poll(() => readShown(findTotal(page))).toContain('TotalUSD 29.50');
  const berlin = { name: 'Otto', line1: 'Gasse 1', postcode: '10115', city: 'Berlin', country: 'DE' };
  await save(nora, purchase, {
    shipTo: berlin,
    billTo: berlin,
    rate: 'de',
    price: 37,
    remark: 'Ring twice.',
  });
  await goOn(page);
  await page.getByText('This order has changed since you loaded the page').waitFor();
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('5 Verge Row');
  // The two addresses are not mixed.
  expect(await findSelect(page).inputValue()).toBe('GB');
  expect(await findWhere(page).getByLabel('Name').inputValue()).toBe('Nora Newcomer');
  await goOn(page);
  await page.getByRole('region', { name: 'Where and how' }).getByText('5 Verge Row').waitFor();
  expect((await read()).shipTo).toMatchObject({ name: 'Nora Newcomer', line1: '5 Verge Row', country: 'GB' });
  expect((await read()).remark).toBeUndefined();

  // The card form is stale, too.
  await fillCardField(page, '4242 4242 4242 4242');
  await save(nora, await read(), { rate: 'pickup', price: 25 });
  await pressButton(page, 'Pay now');
  await page.getByText('This order was changed in another window. The total is USD 25.00').waitFor();
  expect((await read()).paid).toBe(false);
  await pressButton(page, 'Pay now');
  await waitForTransactionId(page);
  expect(await read()).toMatchObject({ paid: true, price: 25 });
});

test('without scripts, another country shows its fields and rates, and nothing that was typed is lost', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({
    as: nora,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /sandbox\/stripe.*: csp$/, /status of 422/],
  });
  await page.goto(path);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('Gasse 1');
  await findWhere(page).getByLabel('Postcode').fill('10115');
  await page.getByLabel('Remark (optional)').fill('Ring twice.');
  await findSelect(page).selectOption('DE');
  await pressButton(page, 'Update after changing the country or postcode');
  await page.getByText('total USD 37.00').waitFor();
  await page.getByLabel('Parcel').check();
  await findSelect(page).selectOption('US');
  await pressButton(page, 'Update after changing the country or postcode');
  await page.getByText('The delivery option that you chose is not available for this address.').waitFor();
  await findWhere(page).getByLabel('State').fill('Ohio');
  await findSelect(page).selectOption('DE');
  await pressButton(page, 'Update after changing the country or postcode');
  await page.getByText('total USD 37.00').waitFor();
  expect(await page.locator('[name="shipTo.region"]').inputValue()).toBe('Ohio');
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('Gasse 1');
  expect(await page.getByLabel('Remark (optional)').inputValue()).toBe('Ring twice.');
  // Enter sends the form, instead of pressing the first button that can be seen.
  await findWhere(page).getByLabel('Address', { exact: true }).press('Enter');
  await page.getByRole('link', { name: 'City is Required' }).waitFor();
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('Gasse 1');
  expect(await findWhere(page).getByLabel('Postcode', { exact: true }).inputValue()).toBe('10115');
  await findWhere(page).getByLabel('City').fill('Berlin');
  await goOn(page);
  await page.getByRole('region', { name: 'Where and how' }).getByText('10115 Berlin').waitFor();
  expect(await findPanel(page).locator('noscript').first().textContent()).toContain(
    'Paying by card needs JavaScript',
  );
  expect(await read()).toMatchObject({
    price: 37,
    shipTo: { country: 'DE', city: 'Berlin', region: '' },
    remark: 'Ring twice.',
  });
});

test('the address book fills in the checkout, which can add to it, with and without scripts', async () => {
  const { nora, path, product } = await order();
  const client = stage.shop.client(nora);
  const berlin = { name: 'Otto', line1: 'Gasse 1', postcode: '10115', city: 'Berlin', country: 'DE' };
  await client.call('addAddress', { body: berlin });
  await client.call('addAddress', { body: { ...home, phone: '024 7655 0148' } });
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  // The newest is filled in.
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
  const book = page.getByLabel('Fill in from your address book');
  await findWhere(page).getByLabel('Address', { exact: true }).fill('5 Verge Row');
  await book.selectOption('Otto, Gasse 1, 10115 Berlin, GERMANY');
  // Neither the choice nor the draft overwrites what was typed: only the button does.
  await page.getByRole('link', { name: 'My Orders' }).last().click();
  await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('Your unsaved changes are still here.').waitFor();
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('5 Verge Row');
  await book.selectOption('Otto, Gasse 1, 10115 Berlin, GERMANY');
  await pressButton(page, 'Use this address');
  await expect.poll(() => readShown(findTotal(page))).toContain('Parcel');
  expect(await findWhere(page).getByLabel('City').inputValue()).toBe('Berlin');
  expect(await findWhere(page).getByLabel('Phone (optional)').inputValue()).toBe('');
  await findWhere(page).getByLabel('Address', { exact: true }).fill('Gasse 2');
  await page.getByLabel('Save this address in my address book').check();
  await goOn(page);
  await findPanel(page).waitFor();
  expect((await client.call('listAddresses', {})).map(({ line1 }) => line1)).toEqual([
    'Gasse 2',
    '4 Fusee Lane',
    'Gasse 1',
  ]);

  const next = await placePurchase(stage.shop, nora, [[product, 2]]);
  const plain = await stage.open({
    as: nora,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /sandbox\/stripe.*: csp$/],
  });
  await plain.goto(`/dashboard/payment/${next.orders[0]?._id}`);
  expect(await findWhere(plain).getByLabel('Address', { exact: true }).inputValue()).toBe('Gasse 2');
  await plain.getByLabel('Fill in from your address book').selectOption({ index: 2 });
  await pressButton(plain, 'Use this address');
  expect(await findWhere(plain).getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
  expect(await findWhere(plain).getByLabel('Postcode').inputValue()).toBe('CV1 5FB');
  // An address that the book has is not added again.
  await plain.getByLabel('Save this address in my address book').check();
  await goOn(plain);
  await plain.getByRole('region', { name: 'Where and how' }).getByText('CV1 5FB').waitFor();
  expect(await client.call('listAddresses', {})).toHaveLength(3);

  // The order does not wait for an address book that is full.
  const last = await placePurchase(stage.shop, nora, [[product, 2]]);
  await plain.goto(`/dashboard/payment/${last.orders[0]?._id}`);
  await findWhere(plain).getByLabel('Address', { exact: true }).fill('11 Fusee Lane');
  await plain.getByLabel('Save this address in my address book').check();
  for (let number = 4; number <= 10; number++)
    await client.call('addAddress', { body: { ...home, line1: `${number} Mill Lane` } });
  await goOn(plain);
  await plain.getByText('The address could not be added to your address book.').waitFor();
  await plain.getByRole('region', { name: 'Where and how' }).getByText('11 Fusee Lane').waitFor();
});

test('what was typed before the page was hydrated, or is restored by the browser, is quoted', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({ as: nora });
  // As if the customer had typed before the scripts have run.
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      const fill = (name: string, text: string) => {
        const field = document.querySelector<HTMLInputElement>(`[name="shipTo.${name}"]`);
        if (field) field.value = text;
      };
      fill('country', 'DE');
      fill('postcode', '10115');
    });
  });
  await openPath(page, path);
  await expect.poll(() => readShown(findTotal(page))).toContain('ParcelUSD 12.00TotalUSD 37.00');
  await findWhere(page).getByLabel('Address', { exact: true }).fill('Gasse 1');
  await findWhere(page).getByLabel('City').fill('Berlin');
  await goOn(page);
  await findPanel(page).waitFor();
  expect(await read()).toMatchObject({ price: 37, shipTo: { country: 'DE', postcode: '10115' } });
});

test('a draft restores the chosen delivery option', async () => {
  const { nora, path } = await order();
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await findWhere(page).getByLabel('Postcode').fill('CV1 5FB');
  await page.getByLabel('Collect it').check();
  await page.getByRole('link', { name: 'My Orders' }).last().click();
  await page.getByRole('heading', { name: 'My Orders', level: 1 }).waitFor();
  await page.goBack();
  await page.getByText('Your unsaved changes are still here.').waitFor();
  await page.getByLabel('Collect it').waitFor();
  expect(await page.getByLabel('Collect it').isChecked()).toBe(true);
  await expect.poll(() => readShown(findTotal(page))).toContain('Collect itfree');
});

test('a button that is pressed while rates are loading waits for them, and a failure can be tried again', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({ as: nora, expected: [/net::ERR_FAILED/] });
  await openPath(page, path);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('4 Fusee Lane');
  await findWhere(page).getByLabel('Town or city').fill('Coventry');
  const quotes = /\/quote\?/;
  await page.route(quotes, (route) => route.abort());
  await findWhere(page).getByLabel('Postcode').fill('CV1 5FB');
  await findWhere(page).getByLabel('Postcode').blur();
  await page.getByRole('alert').getByText('The delivery costs could not be loaded.').waitFor();
  expect(await page.getByRole('button', { name: 'Continue to payment' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await page.getByRole('button', { name: 'Continue to payment' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => readFocus(page)).toBe('rates-failed');
  await page.unroute(quotes);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => readShown(findTotal(page))).toContain('TotalUSD 29.50');
  // One request, without a pause between the field and the button.
  const requests: string[] = [];
  page.on('request', (request) => {
    const call = /\/(quote|checkout)(\?|$)/.exec(request.url())?.[1];
    if (call) requests.push(call);
  });
  await findWhere(page).getByLabel('Postcode').fill('CV1 5FA');
  await page.keyboard.press('Enter');
  await findPanel(page).waitFor();
  expect(requests.slice(0, 2)).toEqual(['quote', 'checkout']);
  expect(await read()).toMatchObject({ price: 29.5, shipTo: { postcode: 'CV1 5FA' } });
});

test('if the total changes while the rates are loading, the customer sees it before going on', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('4 Fusee Lane');
  await findWhere(page).getByLabel('Town or city').fill('Belfast');
  await findWhere(page).getByLabel('Postcode').fill('BT1 1AA');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The total is now USD 34.00.').waitFor();
  expect((await read()).rate).toBeUndefined();
  await goOn(page);
  await findPanel(page).waitFor();
  expect((await read()).price).toBe(34);
});

test('missing parts of the address are named at their fields, even before there is a rate', async () => {
  const { nora, path } = await order();
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await goOn(page);
  await page.getByRole('link', { name: 'Postcode is Required' }).click();
  await expect.poll(() => readFocus(page)).toBe('shipTo.postcode');
  await page.getByRole('link', { name: 'Town or city is Required' }).waitFor();
  // Another country has other fields.
  await findSelect(page).selectOption('US');
  await page.getByRole('link', { name: 'Town or city is Required' }).waitFor({ state: 'detached' });
  expect(await page.getByText('is Required').count()).toBe(0);
  await expect.poll(() => readShown(findTotal(page))).toContain('TotalUSD 45.00');
  await findSelect(page).selectOption('GB');
  await page.getByRole('status').getByText('Enter the postcode: the delivery costs depend on it.').waitFor();
});

test('a postcode of an unusual form is questioned once, and then accepted', async () => {
  const { nora, path, read } = await order();
  const page = await stage.open({ as: nora });
  await openPath(page, path);
  await findWhere(page).getByLabel('Address', { exact: true }).fill('2 Signal Regiment');
  await findWhere(page).getByLabel('Postcode').fill('BFPO 58');
  await expect.poll(() => readShown(findTotal(page))).toContain('TotalUSD 29.50');
  await goOn(page);
  await page.getByText('Is this right? It usually looks like A12AA.').waitFor();
  await goOn(page);
  await findPanel(page).waitFor();
  expect((await read()).shipTo).toMatchObject({ postcode: 'BFPO 58', city: '' });
});

test('the basket and the order form leave the address to the checkout, which shows what is known of it', async () => {
  const { shop } = stage;
  const tom = await shop.signUp('Tom Typed');
  const body = { address: '7 Old Road\nLeeds', phone: '0113 1', education: 'None', linkedIn: 'in/tom' };
  await shop.client(tom).call('saveUser', { params: { email: tom.email }, body });
  const product = await shop.addProduct({ name: 'Pin vise', price: 12.5 });
  const page = await stage.open({ as: tom });
  await openPath(page, `/purchase/${product._id}`);
  expect(await page.getByLabel('Address (optional)').count()).toBe(0);
  expect(await page.getByLabel('Phone (optional)').count()).toBe(0);
  await pressButton(page, 'Continue to checkout');
  await findWhere(page).getByText('7 Old Road').waitFor();
  expect(await findWhere(page).getByLabel('Name').inputValue()).toBe('Tom Typed');
  expect(await findWhere(page).getByLabel('Phone (optional)').inputValue()).toBe('0113 1');
  expect(await page.getByRole('list', { name: 'Progress' }).textContent()).toContain('reserved');

  // An order from before delivery was set up has its address as text, too.
  const client = shop.client(tom);
  await client.call('addAddress', { body: home });
  const lines = [{ orderId: product._id, orderQuantity: 1 }];
  const { insertedId } = await client.call('placePurchase', {
    body: { lines, price: 12.5, address: '8 New Road\nYork' },
  });
  const { orders } = await client.call('getPurchase', { params: { id: insertedId } });
  await openPath(page, `/dashboard/payment/${orders[0]?._id}`);
  await findWhere(page).getByText('8 New Road').waitFor();
  expect(await findWhere(page).getByLabel('Address', { exact: true }).inputValue()).toBe('4 Fusee Lane');
});
