import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buyTogether, placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { holdRequests } from './held-requests.ts';
import { createPhoto } from './image-files.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { pressButton, waitForHeading } from './steps.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

async function openAs(as: TestUser, path: string): Promise<Page> {
  const page = await stage.open({ as });
  await openPath(page, path);
  return page;
}

const readField = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue();

/** Presses the button, types before the shop has answered, and waits for the message that follows the answer. */
async function typeWhileSending(
  page: Page,
  {
    button,
    api,
    typed,
    message,
  }: { button: string; api: string; typed: Record<string, string>; message: string },
): Promise<void> {
  const release = await holdRequests(page, api);
  const sent = page.waitForRequest(api);
  await pressButton(page, button);
  await sent;
  await fillFields(page, typed);
  release();
  await page.getByText(message).first().waitFor();
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
}

test('text typed while the shop details are saved counts as unsaved: closing the window asks first, and leaving the page keeps the text', async () => {
  const address = 'Address (optional)';
  const page = await openAs(admin, '/dashboard/shop');
  await fillFields(page, { [address]: '1 Mill Lane' });
  await typeWhileSending(page, {
    button: 'Save details',
    api: '**/api/shop',
    typed: { [address]: '1 Mill Lane\nYork' },
    message: 'Shop details saved.',
  });
  expect(await page.getByText('Saved', { exact: true }).count()).toBe(0);

  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.dismiss();
  });
  await page.evaluate(() => location.reload());
  await expect.poll(() => asked).toEqual(['beforeunload']);

  await page.getByRole('link', { name: 'Manage Products' }).first().click();
  await waitForHeading(page, 'Manage Products');
  await page.goBack();
  await page.getByText('Your unsaved changes are still here.').waitFor();
  expect(await readField(page, address)).toBe('1 Mill Lane\nYork');
  await pressButton(page, 'Save details');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stage.shop.client(admin).call('getShopDetails', {})).toMatchObject({
    address: '1 Mill Lane\nYork',
  });
});

test('changes to an internal note while it is saved stay in the form, also after leaving the page', async () => {
  const order = await placeOrder(stage.shop, await stage.shop.signUp(), await stage.shop.addProduct());
  const page = await openAs(admin, `/dashboard/orders/${order.number}`);
  await fillFields(page, { 'New note': 'Rang twice.' });
  await typeWhileSending(page, {
    button: 'Save note',
    api: '**/api/orders/*/notes',
    typed: { 'New note': 'Rang twice. They call back.' },
    message: 'Note saved.',
  });
  expect(await readField(page, 'New note')).toBe('Rang twice. They call back.');
  await page.getByRole('link', { name: 'Manage Products' }).first().click();
  await waitForHeading(page, 'Manage Products');
  await page.goBack();
  await expect.poll(() => readField(page, 'New note')).toBe('Rang twice. They call back.');
});

const ups = '1Z5R89390357567127';
const royalMail = 'RB123456785GB';
const number = 'Tracking number (optional)';
const carrier = 'Carrier (optional)';
const pieces = 'Pieces in the parcel (optional)';

/** Opens a paid order of four gauges and a lathe. */
async function openPieces() {
  const gauge = await stage.shop.addProduct({ name: 'Gauge' });
  const lathe = await stage.shop.addProduct({ name: 'Lathe' });
  const purchase = await buyTogether(stage.shop, await stage.shop.signUp(), [
    [gauge, 4],
    [lathe, 1],
  ]);
  const page = await openAs(admin, `/dashboard/orders/${purchase.number}`);
  const readNumbers = async () => {
    const { orders } = await stage.shop.client(admin).call('getPurchase', { params: { id: purchase._id } });
    return orders.map(({ shipments = [] }) =>
      shipments.map((parcel) => [parcel.quantity, parcel.trackingNumber]),
    );
  };
  return { page, readNumbers };
}

test('a tracking number typed after a parcel is shipped, but before the page has loaded again, is used for the next parcel', async () => {
  const { page, readNumbers } = await openPieces();
  await page.getByLabel('Only Gauge').check();
  await fillFields(page, { [pieces]: '2', [number]: ups });
  const release = await holdRequests(page, '**/api/purchases/*');
  await pressButton(page, 'Ship');
  await page.getByText('2 pieces of Gauge are shipped.').waitFor();
  await expect.poll(() => readField(page, number)).toBe('');
  await page.getByLabel(number).focus();
  await page.keyboard.type(royalMail);
  release();
  await page.getByText(/2\sshipped, 2\sto\spack/).waitFor();
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  expect(await readField(page, number)).toBe(royalMail);
  expect(await readField(page, carrier)).toBe('Royal Mail');
  expect(await readField(page, pieces)).toBe('');
  // The focus is still where the admin types.
  await page.keyboard.press('Enter');
  await page.getByText('2 tools are shipped.').waitFor();
  await expect.poll(readNumbers).toEqual([
    [
      [2, ups],
      [2, royalMail],
    ],
    [[1, royalMail]],
  ]);
});

test('a tracking number typed while a parcel is sent stays for the next parcel, and the choice of pieces is reset', async () => {
  const { page } = await openPieces();
  await page.getByLabel('Only Gauge').check();
  await fillFields(page, { [pieces]: '2', [number]: '1Z5R89390357567136' });
  await typeWhileSending(page, {
    button: 'Ship',
    api: '**/api/shipments',
    typed: { [number]: '1Z5R89390357567145' },
    message: '2 pieces of Gauge are shipped.',
  });
  expect(await readField(page, number)).toBe('1Z5R89390357567145');
  expect(await readField(page, carrier)).toBe('UPS');
  expect(await readField(page, pieces)).toBe('');
  expect(await page.getByLabel('Both tools').isChecked()).toBe(true);
});

test('a count that is corrected while it is recorded stays in its row, and can be recorded', async () => {
  const product = await stage.shop.addProduct({ name: 'Broach', a_quantity: 5 });
  const page = await openAs(admin, '/dashboard/products/count');
  const pieces = 'Pieces of Broach';
  await fillFields(page, { [pieces]: '5' });
  await typeWhileSending(page, {
    button: 'Record the count of Broach',
    api: `**/api/products/${product._id}/stock`,
    typed: { [pieces]: '6' },
    message: 'as expected',
  });
  expect(await readField(page, pieces)).toBe('6');
  await pressButton(page, 'Record the count of Broach');
  await page.getByRole('row').filter({ hasText: 'Broach' }).getByText('+1').waitFor();
  expect(await readField(page, pieces)).toBe('');
});

test('text typed while a product is added stays for the next product, and the other fields are emptied', async () => {
  const page = await openAs(admin, '/dashboard/addProduct');
  const pivot = { Name: 'Pivot file', Price: '8', 'Order quantity': '1', 'Available quantity': '5' };
  await fillFields(page, { ...pivot, Description: 'Files pivots.' });
  await page.getByLabel('Image', { exact: true }).setInputFiles(await createPhoto());
  await typeWhileSending(page, {
    button: 'Add Product',
    api: '**/api/product',
    typed: { Name: 'Reamer' },
    message: 'The form is ready for the next one.',
  });
  await expect.poll(() => readField(page, 'Name')).toBe('Reamer');
  expect(await Promise.all(['Price', 'Description'].map((label) => readField(page, label)))).toEqual([
    '',
    '',
  ]);
});

test('a user who edits a report while it is sent still sees the confirmation', async () => {
  const tool = await stage.shop.addProduct();
  const author = stage.shop.client(await stage.shop.signUpConfirmed());
  await author.call('addReview', { body: { product: tool._id, rating: 1, reviews: 'Bent.', img: tool.img } });
  const page = await openAs(await stage.shop.signUpConfirmed(), `/purchase/${tool._id}`);
  await page.locator('summary').filter({ hasText: 'Report' }).click();
  const reason = 'What is wrong with it?';
  await fillFields(page, { [reason]: 'Rude.' });
  await typeWhileSending(page, {
    button: 'Send report',
    api: '**/api/reviews/*/reports',
    typed: { [reason]: 'Rude, and wrong.' },
    message: 'The shop’s admins will look at this review.',
  });
});
