import type { Locator, Page } from 'playwright-core';
import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMail, recordAttempt } from '../../server/mail/outbox.ts';
import { buy, placeOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { createPhoto, invalidImage } from './image-files.ts';
import { readDescription, readText, recordWrites } from './page-text.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { expectToast } from './toasts.ts';

let stage: Stage;
let admin: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  admin = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

/** Opens a page as this admin, with its clock stopped. */
async function openAs(person: TestUser, path: string, expected: RegExp[] = []): Promise<Page> {
  const page = await stage.open({ as: person, expected });
  await openPath(page, path);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  return page;
}

describe('an empty shop', () => {
  test('says that it has no orders, products and reviews, and links to Add Product', async () => {
    const page = await stage.open({ as: admin });
    await openPath(page, '/dashboard/allOrders');
    await page.getByRole('heading', { name: 'No orders yet' }).waitFor();
    await openPath(page, '/dashboard/manageProduct');
    await page.getByRole('heading', { name: 'The catalogue is empty' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Add Product' }).last().click();
    await page.getByRole('heading', { name: 'Add Product', level: 1 }).waitFor();
    await openPath(page, '/products');
    await page.getByRole('heading', { name: 'The shelves are empty' }).waitFor();
    await openPath(page, '/');
    await page.getByText('No reviews yet').waitFor();
  });
});

describe('Make Admin', () => {
  test('promotes a user after a dialog that names them; admins have no button', async () => {
    const nora = await stage.shop.signUp('Nora Newcomer');
    const page = await openAs(admin, '/dashboard/users');
    const row = page.getByRole('row').filter({ hasText: nora.email });
    const ownRow = page.getByRole('row').filter({ hasText: admin.email });
    await expect.poll(() => ownRow.getByRole('button', { name: 'Make Admin' }).count()).toBe(0);
    await row.getByRole('button', { name: /^Make Admin/ }).click();
    const sent = page.waitForRequest(/\/api\/user\/admin\//);
    await page
      .getByRole('dialog', { name: 'Make Nora Newcomer an admin?' })
      .getByRole('button', { name: 'Make Admin' })
      .click();
    expect((await sent).headers().authorization).toMatch(/^Bearer /);
    await expectToast(page, 'Make Admin Successfully');
    await row.getByText('admin', { exact: true }).waitFor();
    await expect.poll(() => row.getByRole('button', { name: 'Make Admin' }).count()).toBe(0);
  });

  test('reports the failure to a user who is no longer an admin', async () => {
    const nora = await stage.shop.signUp('Otto Late');
    const former = await stage.shop.admin('Former Admin');
    const page = await openAs(former, '/dashboard/users', [/status of 403/]);
    await stage.shop.database.db
      .updateTable('user')
      .set({ role: null })
      .where('email', '=', former.email)
      .execute();
    await page
      .getByRole('row')
      .filter({ hasText: nora.email })
      .getByRole('button', { name: /^Make Admin/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Make Admin' }).click();
    await page.getByText('Failed to make an admin!').waitFor();
  });
});

describe('All Orders', () => {
  test('a paid order has one button with its status, which ships the order and then reads sipping', async () => {
    const product = await stage.shop.addProduct({ name: 'Depthing tool' });
    const nora = await stage.shop.signUp('Nora Newcomer');
    const { intent } = await buy(stage.shop, nora, product);
    const page = await openAs(admin, '/dashboard/allOrders');
    const row = page.getByRole('row').filter({ hasText: intent.id });
    await expect.poll(() => readText(row)).toContain(nora.email);
    await expect.poll(() => readText(row)).toContain('$12.50');
    const button = row.getByRole('button');
    await expect.poll(() => readText(button)).toBe('paid');
    const sent = page.waitForRequest((request) => request.method() === 'PUT');
    await row.getByRole('button', { name: 'Ship, now paid' }).click();
    // The order has no address, so a dialog asks for confirmation.
    await page
      .getByRole('dialog', { name: 'Ship Depthing tool without an address?' })
      .getByRole('button', { name: 'Ship it' })
      .click();
    // The version is 2, because the order was placed, then paid.
    expect((await sent).postDataJSON()).toEqual({ orderStatus: 'sipping', version: 2 });
    await row.getByRole('button', { name: 'sipping', disabled: true }).waitFor();
    await row.getByText('shipped', { exact: true }).waitFor();
  });

  test('an unpaid order can be deleted after a dialog that names it', async () => {
    const product = await stage.shop.addProduct({ name: 'Star key' });
    await placeOrder(stage.shop, await stage.shop.signUp(), product);
    const page = await openAs(admin, '/dashboard/allOrders');
    const row = page.getByRole('row').filter({ hasText: 'Star key' });
    await row.getByRole('button', { name: 'Delete the order for Star key' }).click();
    await page
      .getByRole('dialog', { name: /Star key/ })
      .getByRole('button', { name: 'Delete the order' })
      .click();
    await expectToast(page, 'Order:Star key is Deleted.');
    await row.waitFor({ state: 'detached' });
  });
});

describe('Add Product', () => {
  const pressAddProduct = (page: Page) => page.getByRole('button', { name: 'Add Product' }).click();
  const winder = {
    Name: 'Mainspring winder',
    Price: '168.50',
    'Order quantity': '2',
    'Available quantity': '12',
    Description: 'Winds a spring.',
  };

  test('reports every missing field, in a summary and at the field', async () => {
    const page = await openAs(admin, '/dashboard/addProduct');
    const calls = recordWrites(page);
    await fillFields(page, { Email: '' });
    await pressAddProduct(page);
    const labels = ['Name', 'Email', 'Price', 'Order quantity', 'Available quantity', 'Description', 'Image'];
    for (const label of labels) {
      await page
        .getByRole('alert')
        .getByRole('link', { name: `${label} is Required` })
        .waitFor();
      await expect
        .poll(() => readDescription(page.getByLabel(label, { exact: true })))
        .toContain(`${label} is Required`);
    }
    await fillFields(page, { Email: 'nora at example.com' });
    await pressAddProduct(page);
    await expect
      .poll(() => readDescription(page.getByLabel('Email', { exact: true })))
      .toContain('Provide a valid Email');
    expect(calls).toEqual([]);
  });

  test('uploads the image, then sends the product with the token, and confirms it', async () => {
    const page = await openAs(admin, '/dashboard/addProduct');
    await fillFields(page, winder);
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    await page.getByRole('img', { name: 'Preview of bench.jpg' }).waitFor();
    const sent = page.waitForRequest(/\/api\/product$/);
    await pressAddProduct(page);
    expect((await sent).headers().authorization).toMatch(/^Bearer /);
    await expectToast(page, 'Product Added Successfully!');
    await page.getByRole('main').getByRole('link', { name: 'Mainspring winder' }).click();
    await page.getByRole('heading', { name: 'Mainspring winder', level: 1 }).waitFor();
    await expect.poll(() => readText(page.getByRole('main'))).toContain('USD 168.50');
  });

  test('warns about an order quantity above the stock, at the field and after saving', async () => {
    const page = await openAs(admin, '/dashboard/addProduct');
    await fillFields(page, { ...winder, Name: 'Oiler stand', 'Order quantity': '50' });
    await page.getByLabel('Image').setInputFiles(await createPhoto());
    const warning = page.getByText(
      'Sold out from the start: customers must order at least 50, but only 12 are',
    );
    await warning.waitFor();
    await fillFields(page, { 'Available quantity': '50' });
    await warning.waitFor({ state: 'detached' });
    await fillFields(page, { 'Available quantity': '1' });
    await page.getByText('only 1 is available.').waitFor();
    await pressAddProduct(page);
    await expectToast(page, 'Product Added Successfully!');
    const soldOut = page.getByText('It shows as sold out until its stock reaches its order quantity.');
    await expect.poll(() => soldOut.locator('svg').count()).toBe(1);
    const added = page.getByText('is in the catalogue. The form is ready for the next one.');
    const readBarColor = (notice: Locator) =>
      notice.evaluate((element) => getComputedStyle(element).borderLeftColor);
    await expect.poll(() => readBarColor(added)).toBe('rgb(31, 99, 85)');
    await expect.poll(() => readBarColor(soldOut)).toBe('rgb(138, 90, 18)');
  });

  test('a price with a thousands separator or an exponent is rejected, and the message says how to write it', async () => {
    const page = await openAs(admin, '/dashboard/addProduct');
    const calls = recordWrites(page);
    const field = page.getByLabel('Price', { exact: true });
    const format = 'Price must be in digits, such as 1234.50 or 1234,50';
    for (const price of ['1,500', '1e3']) {
      await fillFields(page, { ...winder, Price: price });
      await pressAddProduct(page);
      await page.getByRole('alert').getByRole('link', { name: format }).waitFor();
      await expect.poll(() => readDescription(field)).toContain(format);
      await expect.poll(() => field.inputValue()).toBe(price);
      await field.fill('1,50');
      await expect.poll(() => readDescription(field)).not.toContain(format);
    }
    expect(calls).toEqual([]);
  });

  test('says why an image is rejected, and saves nothing', async () => {
    const page = await openAs(admin, '/dashboard/addProduct', [/status of 415/]);
    const calls = recordWrites(page);
    await fillFields(page, { ...winder, Name: 'Never added' });
    await page.getByLabel('Image').setInputFiles(invalidImage);
    await pressAddProduct(page);
    await expectToast(page, 'Failed to add the Product');
    await expect.poll(() => readDescription(page.getByLabel('Image'))).toMatch(/JPEG|picture/i);
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Never added');
    expect(calls).toEqual(['POST /1/upload']);
  });
});

test('Manage Products: a product is deleted after a dialog that names it', async () => {
  await stage.shop.addProduct({ name: 'Eyeglass loupe', o_quantity: 5, a_quantity: 2 });
  const page = await openAs(admin, '/dashboard/manageProduct');
  const row = page.getByRole('row').filter({ hasText: 'Eyeglass loupe' });
  await expect.poll(() => readText(row)).toMatch(/\$12\.50.*Sold out/);
  await row.getByRole('button', { name: 'Delete Eyeglass loupe' }).click();
  const sent = page.waitForRequest((request) => request.method() === 'DELETE');
  await page
    .getByRole('dialog', { name: 'Delete Eyeglass loupe?' })
    .getByRole('button', { name: 'Delete the product' })
    .click();
  expect((await sent).headers().authorization).toMatch(/^Bearer /);
  await expectToast(page, 'Product:Eyeglass loupe is Deleted.');
  await row.waitFor({ state: 'detached' });
});

test('Manage Products: after a deletion the focus moves to the next row; after Keep it, back to the button', async () => {
  const first = await stage.shop.addProduct({ name: 'Pegwood' });
  const second = await stage.shop.addProduct({ name: 'Pin vise' });
  const page = await openAs(admin, '/dashboard/manageProduct');
  const readFocus = () =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
  await page.getByRole('button', { name: `Delete ${first.name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the product' }).click();
  await expect.poll(readFocus).toBe(second._id);
  await page.getByRole('button', { name: `Delete ${second.name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => readFocus()).toBe(`Delete ${second.name}`);
});

test('Audit Log: the menu links to it, and it shows the latest action, its admin and its time', async () => {
  const tom = await stage.shop.signUp('Tom Tompion');
  const page = await openAs(admin, '/dashboard/users');
  await stage.shop.client(admin).call('makeAdmin', { params: { email: tom.email } });
  await page.getByRole('link', { name: 'Audit Log' }).click();
  await page.getByRole('heading', { name: 'Audit Log', level: 1 }).waitFor();
  const first = page.getByRole('row').nth(1);
  const today = new Date().toISOString().slice(0, 10);
  await expect.poll(() => first.getByRole('time').getAttribute('datetime')).toContain(today);
  const cells = ['Made an adminrole: admin (was customer)', `Tom Tompion${tom.email}`, admin.email];
  await expect.poll(async () => (await first.getByRole('cell').allTextContents()).slice(0, 3)).toEqual(cells);
});

test('Messages: a message moves between the lists', async () => {
  const { db } = stage.shop.database;
  const message = { id: uuidv7(), email: 'ines@mail.example', text: 'Do you repair chains?' };
  await db
    .insertInto('contact_message')
    .values({ ...message, created_at: Date.now() })
    .execute();
  const page = await openAs(admin, '/dashboard/messages');
  await page.getByText(message.text).waitFor();
  await page.getByRole('button', { name: 'Mark as answered (message from ines@mail.example)' }).click();
  await page.getByText('No messages to answer').waitFor();
  await page.getByRole('link', { name: 'Answered', exact: true }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  const [received, answered] = await page
    .getByRole('cell')
    .getByRole('time')
    .evaluateAll((times) => times.map((time) => time.getBoundingClientRect()));
  expect(answered?.height).toBe(received?.height);
  await page.getByRole('button', { name: 'Mark as not answered (message from ines@mail.example)' }).click();
  await page.getByText('No answered messages').waitFor();
  await page.getByRole('link', { name: 'To answer' }).click();
  await page.getByText(message.text).waitFor();
  // Another admin is faster.
  await db.updateTable('contact_message').set({ answered_at: Date.now() }).execute();
  await page.getByRole('button', { name: 'Mark as answered (message from ines@mail.example)' }).click();
  await page.getByRole('status').getByText('Already marked as answered.').waitFor();
  await page.getByText('No messages to answer').waitFor();
  await db.deleteFrom('contact_message').execute();
});

test('Messages: one form marks all shown messages as answered, but not a message that arrives meanwhile', async () => {
  const { db } = stage.shop.database;
  const add = (text: string) =>
    db
      .insertInto('contact_message')
      .values({ id: uuidv7(), email: 'eve@mail.example', text, created_at: Date.now() })
      .execute();
  for (const text of ['Buy watches!', 'Buy more watches!']) await add(text);
  const page = await openAs(admin, '/dashboard/messages');
  await page.getByText('Buy more watches!').waitFor();
  await add('Where is my order?');
  await page.getByText('Mark many as answered').click();
  await page.getByRole('button', { name: 'Mark the 2 messages shown as answered' }).click();
  await page.getByRole('status').getByText('2 messages marked as answered.').waitFor();
  await page.getByText('Where is my order?').waitFor();
  await page.getByText('Buy more watches!').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Answered', exact: true }).click();
  await page.getByText('Buy more watches!').waitFor();
  await db.deleteFrom('contact_message').execute();
});

test('Health: the menu links to it, and it reports failures after Refresh', async () => {
  const page = await openAs(admin, '/dashboard/users');
  await page.getByRole('main').getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  const { db } = stage.shop.database;
  const now = Date.now();
  const refresh = () => page.getByRole('link', { name: 'Refresh' }).click();
  // Before an order has been paid, nobody knows whether payments work.
  await db.deleteFrom('last_time').where('name', '=', 'paid').execute();
  await refresh();
  await page.getByRole('heading', { name: 'No problems so far' }).waitFor();
  await page.getByText('No order has been paid yet.').waitFor();
  await db
    .insertInto('last_time')
    .values(['paid', 'webhook of a payment', 'mail sent'].map((name) => ({ name, at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await refresh();
  await page.getByRole('heading', { name: 'All is well' }).waitFor();
  const outage = { service: 'mail', problem: 'refused', since: now } as const;
  await db.insertInto('outage').values(outage).execute();
  await refresh();
  await page.getByText(/^Mail has not left since .*: the server refuses the connection\.$/).waitFor();
  expect(await page.locator('code').allTextContents()).toEqual(['npm run doctor']);
  await db.deleteFrom('outage').execute();
  const failed = { hour: Math.floor(now / 3_600_000), what: 'a page could not be rendered', times: 3 };
  await db
    .insertInto('error_count')
    .values({ ...failed, last_at: now, request_id: 'req-1' })
    .execute();
  await refresh();
  await page.getByRole('heading', { name: 'One problem' }).waitFor();
  await page.getByText('3 errors in the last day, most recently less than a minute ago.').waitFor();
  const row = page.getByRole('row').nth(1);
  await expect
    .poll(async () => (await row.getByRole('cell').allTextContents()).toSpliced(1, 1))
    .toEqual(['A page could not be rendered', '3', 'req-1']);
  // The server renders the same.
  await openPath(page, '/dashboard/health');
  await page.getByRole('heading', { name: 'One problem' }).waitFor();
  await db.deleteFrom('error_count').execute();
});

test('Health: failed messages are listed, and one button sends all of them again', async () => {
  const { database } = stage.shop;
  const id = uuidv7();
  const recipient = 'gone@mail.example';
  await addMail(database.db, [{ id, kind: 'order paid', recipient, about: id, dueAt: Date.now() + 60_000 }]);
  const mail = { id, attempts: 0, give_up_at: 0 };
  await recordAttempt(database, mail, { state: 'failed', response: '550 No such user' });
  const page = await openAs(admin, '/dashboard/health');
  const row = page.getByRole('row').filter({ hasText: recipient });
  await expect
    .poll(async () => (await row.getByRole('cell').allTextContents()).toSpliced(2, 1))
    .toEqual([recipient, 'order paid', '550 No such user']);
  await page.getByRole('button', { name: 'Send failed messages again' }).click();
  await page.getByText('The failed messages are being sent again.').waitFor();
  await row.waitFor({ state: 'detached' });
});
