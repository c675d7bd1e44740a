import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Order } from '../../contract/orders/orders.ts';
import { phone } from '../support/browser.ts';
import { buy, buyTogether, chargeBack, placeOrder, refundOrder, shipOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { readDescription, readText } from './page-text.ts';
import { openPath, openStage, type Stage, waitForTab } from './stage.ts';

const ups = '1Z5R89390357567127';

let stage: Stage;
let admin: TestUser;
let paid: Order[];
let unpaid: Order;
const path = '/dashboard/allOrders';
beforeAll(async () => {
  stage = await openStage({ demo: false });
  const { shop } = stage;
  admin = await shop.admin('Ada Harrison');
  const product = await shop.addProduct({ name: 'Depthing tool', a_quantity: 100 });
  const [tom, nora] = [await shop.signUp('Tom Graham'), await shop.signUp('Nora Newcomer')];
  unpaid = await placeOrder(shop, tom, product);
  paid = [];
  for (const _ of [1, 2, 3]) paid.push((await buy(shop, nora, product, 2)).order);
  await shop.database.db.updateTable('purchase').set({ address: '1 Mill Lane' }).execute();
});
afterAll(() => stage?.close());

const open = async (query = ''): Promise<Page> => {
  const page = await stage.open({ as: admin });
  await openPath(page, path + query);
  return page;
};
const expectFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);
const countRows = (page: Page) => page.locator('tbody tr').count();

test('the order desk searches as the user types, keeps the search in the URL and announces the count', async () => {
  const page = await open();
  await expect.poll(() => countRows(page)).toBe(4);
  await page.getByLabel('Search orders').pressSequentially('grah');
  // A part of the text may already have been searched for, with the same result.
  await expect.poll(() => new URL(page.url()).search).toBe('?q=grah');
  await page.getByText(/^1 tool in 1 order: \$/).waitFor();
  await expect
    .poll(() => page.getByLabel('Search orders').evaluate((field) => field === document.activeElement))
    .toBe(true);
  await page.getByRole('link', { name: 'To ship' }).click();
  await page.getByRole('heading', { name: 'No matching orders' }).waitFor();
  await page.goBack();
  await page.getByText(/^1 tool in 1 order: \$/).waitFor();
  await page.goBack();
  await page.locator('tbody tr').nth(3).waitFor();
  await expect.poll(() => page.getByLabel('Search orders').inputValue()).toBe('');
});

test('past the end of the list, the page shows no count and leads back to the first orders', async () => {
  for (const [query, first] of [
    ['', path],
    ['status=unpaid&', `${path}?status=unpaid`],
  ]) {
    const page = await open(`?${query}after=00000000-0000-7000-8000-000000000000`);
    await page.getByRole('heading', { name: 'No more orders' }).waitFor();
    await expect.poll(() => page.getByText(/orders? match/).count()).toBe(0);
    const link = page.getByRole('link', { name: 'Show the first orders' });
    await expect.poll(() => link.getAttribute('href')).toBe(first);
    await link.click();
    await page.locator('tbody tr').first().waitFor();
  }
});

test('status, days and sort are in the URL, work without scripts, and apply to the export', async () => {
  const page = await stage.open({ as: admin, javaScriptEnabled: false });
  await page.goto(path);
  await page.getByRole('link', { name: 'Unpaid' }).click();
  await expect.poll(() => countRows(page)).toBe(1);
  await page.getByText('Dates and sorting').click();
  await page.getByLabel('From').fill('2020-01-31');
  await page.getByLabel('Sort').selectOption('Oldest first');
  await page.getByRole('button', { name: 'Search' }).click();
  const search = new URL(page.url()).searchParams;
  expect(Object.fromEntries(search)).toMatchObject({ status: 'unpaid', from: '2020-01-31', sort: 'created' });
  await expect.poll(() => countRows(page)).toBe(1);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^orders-.*\.csv$/);
  expect(new URL(download.url()).search).toBe('?status=unpaid&from=2020-01-31&sort=created&format=csv');
  await page.getByRole('link', { name: 'Clear all' }).click();
  await expect.poll(() => countRows(page)).toBe(4);
});

test('a search for the number of an order ignores the filters and says so; the search in the header opens the order', async () => {
  const { number } = unpaid;
  const page = await open(`?status=paid&from=2030-01-01&q=${number.toLowerCase().replace('-', '')}`);
  await expect.poll(() => countRows(page)).toBe(1);
  await page.getByRole('link', { name: `Order ${number}` }).waitFor();
  await page.getByText(`Order ${number} is shown whatever its status and day`).waitFor();
  await openPath(page, `${path}?status=unpaid&q=grah`);
  await expect.poll(() => page.getByText('whatever its status').count()).toBe(0);

  const plain = await stage.open({ as: admin, javaScriptEnabled: false });
  for (const other of [page, plain]) {
    await other.goto('/blogs');
    const box = other.getByRole('banner').locator('input[name=q]:visible');
    await box.fill(`# ${number.toLowerCase()}`);
    await box.press('Enter');
    await other.getByRole('heading', { name: `Order ${number}`, level: 1 }).waitFor();
  }
  // Another customer's number is a search like any other.
  const eve = await stage.open({ as: await stage.shop.signUp('Eve') });
  await openPath(eve, `/products?q=${number}`);
  await eve.getByRole('heading', { name: 'Products', level: 1 }).waitFor();
});

test('shortcuts move, select and open; a dialog lists them and turns them off', async () => {
  const page = await open();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect
    .poll(() => page.getByLabel(`Select order ${paid[1]?.number}, Depthing tool`).isChecked())
    .toBe(true);
  await page.getByText('1 tool in 1 order selected').waitFor();
  await page.keyboard.press('k');
  await expectFocus(page.locator('tbody tr').first());
  await page.keyboard.press('/');
  await page.keyboard.type('jx');
  await page.getByText('No matching orders').waitFor();
  await page.getByLabel('Search orders').fill('');
  await page.locator('tbody tr').nth(3).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByLabel('Enable these shortcuts').uncheck();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('?');
  await expect.poll(() => dialog.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await dialog.getByLabel('Enable these shortcuts').check();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.locator('h1').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/dashboard/orders/${paid[2]?.number}`);
});

/** Types into the element that has the focus as quickly as a scanner, whatever else the machine does. */
const scan = (page: Page, code: string) =>
  page.evaluate(
    (keys) => {
      for (const key of keys)
        (document.activeElement ?? document).dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        );
    },
    [...code, 'Enter'],
  );

test.each([
  ['lower case', (code: string) => code.toLowerCase()],
  ['upper case', (code: string) => code],
])(
  'a code scanned in %s is searched for, whatever has the focus; j then moves from the order found',
  async (_, spell) => {
    const [first, second] = paid;
    if (!first || !second) throw new Error('There are no orders.');
    const page = await open();
    for (const focused of [
      page.locator(`[id="${second._id}"]`),
      page.locator(`[id="${second._id}"]`).getByRole('button'),
      page.getByRole('heading', { level: 1 }),
    ]) {
      await focused.focus();
      await scan(page, spell(first.number));
      await expect.poll(() => countRows(page)).toBe(1);
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(
        `${path}?q=${spell(first.number)}`,
      );
      await expectFocus(page.locator(`[id="${first._id}"]`));
      await page.goBack();
      await page.locator('tbody tr').nth(3).waitFor();
    }
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await readNumbers([first, second])).map(([status]) => status)).toEqual(['paid', 'paid']);

    await page.keyboard.press('/');
    await page.keyboard.type('nora');
    await page.keyboard.press('Enter');
    await expectFocus(page.locator('tbody tr').first());
    await expect.poll(() => countRows(page)).toBe(3);
    await page.keyboard.press('j');
    await expectFocus(page.locator('tbody tr').nth(1));
    // Repeating the search loads nothing, but moves the focus.
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await expectFocus(page.locator('tbody tr').first());
  },
);

test('the packing slips of the selected orders are printed at once; unpaid ones are named', async () => {
  const page = await stage.open({ as: admin });
  await openPath(page, path);
  for (const { number } of [unpaid, ...paid.slice(0, 2)])
    await page.getByLabel(`Select order ${number}, Depthing tool`).check();
  await page.getByRole('link', { name: 'Print slips' }).click();
  const slips = await page.context().newPage();
  await slips.goto(await waitForTab(page, /print\/slips/));
  await slips.getByText('2 packing slips').waitFor();
  await slips.getByText(`Order ${unpaid.number} is not paid yet, so it has no packing slip.`).waitFor();
  for (const { number } of paid.slice(0, 2))
    await expect.poll(() => slips.getByRole('article', { name: `Packing slip ${number}` }).count()).toBe(1);
  await page.getByText('3 tools in 3 orders selected').waitFor();
});

test('with a selection, the key s ships the selected orders', async () => {
  const page = await stage.open({ as: admin });
  await openPath(page, path);
  for (const { number } of paid.slice(0, 2))
    await page.getByLabel(`Select order ${number}, Depthing tool`).check();
  await page.locator(`[id="${paid[2]?._id}"]`).focus();
  await page.keyboard.press('s');
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  for (const { number } of paid.slice(0, 2)) await dialog.getByText(`Order ${number}`).waitFor();
  await expect.poll(() => dialog.getByLabel('Tracking number').count()).toBe(2);
});

test('several orders are shipped at once, each with its tracking number; a failure names its order and the reason', async () => {
  const page = await stage.open({ as: admin, expected: [/status of 422/] });
  await openPath(page, path);
  for (const { number } of [unpaid, ...paid.slice(0, 2)])
    await page.getByLabel(`Select order ${number}, Depthing tool`).check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  // A hidden dialog is not closed yet, because its `close` event comes after the browser hides it.
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders', includeHidden: true });
  await dialog.getByText(`not paid: ${unpaid.number}.`).waitFor();
  await expect.poll(() => dialog.getByLabel('2 × Depthing tool').count()).toBe(2);
  const [one, other] = [
    dialog.getByLabel('Tracking number').nth(0),
    dialog.getByLabel('Tracking number').nth(1),
  ];
  await one.fill('no number!');
  await one.press('Enter');
  await expect.poll(() => other.evaluate((field) => field === document.activeElement)).toBe(true);
  await other.pressSequentially(ups);
  await dialog.getByText('This looks like a UPS number.').waitFor();
  await other.press('Enter');
  await page.keyboard.press('Enter');
  await dialog.getByText('Tracking number can only have letters').waitFor();
  await dialog
    .getByRole('status')
    .getByText(/^Shipped: [0-9A-Z]{4}-[0-9A-Z]{4}\. Not shipped yet:$/)
    .waitFor();
  await expect.poll(() => one.inputValue()).toBe('no number!');
  await expect.poll(() => other.isVisible()).toBe(false);
  await one.fill('');
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText('2 tools in 2 orders are shipped.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'sipping' }).count()).toBe(2);
  await expect.poll(() => page.getByText('selected').count()).toBe(0);
  const shipped = await Promise.all(
    paid.slice(0, 2).map(({ _id: id }) => stage.shop.client(admin).call('getOrder', { params: { id } })),
  );
  expect(shipped.map(({ carrier, trackingNumber = '' }) => [carrier, trackingNumber]).toSorted()).toEqual(
    [
      [undefined, ''],
      ['UPS', ups],
    ].toSorted(),
  );
  await page.locator(`[id="${paid[2]?._id}"]`).focus();
  await page.keyboard.press('s');
  await expect.poll(() => one.evaluate((field) => field === document.activeElement)).toBe(true);
  await one.fill(ups.replace(/7$/, '8'));
  await dialog.getByText('The check digit of this UPS number is wrong.').waitFor();
  await one.fill(ups);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.locator(`[id="${paid[2]?._id}"]`).focus();
  await page.keyboard.press('s');
  await expect.poll(() => one.inputValue()).toBe(ups);
  await dialog.getByLabel('Depthing tool').uncheck();
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await dialog.getByText('Select a tool to ship with this number').waitFor();
  await dialog.getByLabel('Depthing tool').check();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  await page.getByText('Order:Depthing tool is Shipped.').waitFor();
  await page.getByLabel('Search orders').fill('1Z5R 8939');
  await page.getByText(/^2 tools in 2 orders: \$/).waitFor();
  await expect.poll(() => page.getByRole('cell', { name: `shipped UPS ${ups}` }).count()).toBe(2);
});

test('orders of different customers with the same tracking number are shipped only on a second press', async () => {
  const { shop } = stage;
  const product = await shop.addProduct({ name: 'Loupe', a_quantity: 100 });
  const orders: Order[] = [];
  for (const name of ['Ada Byron', 'Mary Somerville'])
    orders.push((await buy(shop, await shop.signUp(name), product)).order);
  await shop.database.db.updateTable('purchase').set({ address: '1 Mill Lane' }).execute();
  const page = await open('?q=loupe');
  for (const box of await page.getByLabel(/^Select order .*, Loupe$/).all()) await box.check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  const shared = '1Z879E930346834440';
  await dialog.getByLabel('Tracking number').nth(0).fill(shared);
  await dialog
    .getByLabel('Tracking number')
    .nth(1)
    .fill(`${shared.slice(0, 6)} ${shared.slice(6).toLowerCase()}`);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  const duplicates = dialog.getByText(/^Another customer’s order, .* has the same tracking number/);
  await expect.poll(() => duplicates.count()).toBe(2);
  await dialog.getByLabel('Tracking number').nth(1).fill('RB123456785GB');
  // Neither field has the message any more.
  await expect.poll(() => duplicates.count()).toBe(0);
  await dialog.getByText('This looks like a Royal Mail number.').waitFor();
  await dialog.getByLabel('Tracking number').nth(1).fill(shared);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await expect.poll(() => duplicates.count()).toBe(2);
  expect((await readNumbers(orders)).map(([status]) => status)).toEqual(['paid', 'paid']);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText('2 tools in 2 orders are shipped.').waitFor();
});

/** Buys three tools in one purchase and a single tool in another. The names of the products start with `word`. */
async function buyFour(word: string, [one, other]: TestUser[] = []) {
  const { shop } = stage;
  const addTool = (name: string) => shop.addProduct({ name: `${word} ${name}`, a_quantity: 100 });
  const [saw, file, vice] = [await addTool('saw'), await addTool('file'), await addTool('vice')];
  const three = await buyTogether(shop, one ?? (await shop.signUp('Ada Byron')), [
    [saw, 1],
    [file, 2],
    [vice, 1],
  ]);
  const { order: single } = await buy(shop, other ?? (await shop.signUp('Mary Somerville')), saw);
  await shop.database.db.updateTable('purchase').set({ address: '1 Mill Lane' }).execute();
  return { three, single };
}
const selectAll = (page: Page) =>
  page.getByRole('checkbox', { name: 'Select all paid and shipped tools on this page' });
/** Selects all orders of the list and opens the ship dialog. */
async function openShipDialog(page: Page) {
  await selectAll(page).check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  return {
    dialog,
    ship: dialog.getByRole('button', { name: 'Ship', exact: true }),
    numberOf: (number: string) =>
      dialog.getByRole('group', { name: `Order ${number}` }).getByLabel('Tracking number'),
  };
}

const isIndeterminate = (box: Locator) =>
  box.evaluate((node) => node instanceof HTMLInputElement && node.indeterminate);
const readNumbers = (orders: readonly Order[]) =>
  Promise.all(
    orders.map(async ({ _id: id }) => {
      const order = await stage.shop.client(admin).call('getOrder', { params: { id } });
      return [order.orderStatus, order.carrier, order.trackingNumber];
    }),
  );

test.each([
  ['desktop', {}],
  ['phone', phone],
])('on a %s, one checkbox selects all paid and shipped tools', async (name, options) => {
  const { three } = await buyFour(name);
  const product = await stage.shop.addProduct({ name: `${name} rasp` });
  await placeOrder(stage.shop, await stage.shop.signUp(), product);
  const page = await stage.open({ as: admin, ...options });
  await openPath(page, `${path}?q=${name}`);
  await page.getByText(/^5 tools in 3 orders: \$/).waitFor();
  const all = selectAll(page);
  await page.getByLabel(`Select order ${three.number}, ${name} file`).check();
  await expect.poll(() => isIndeterminate(all)).toBe(true);
  await all.focus();
  await page.keyboard.press('Space');
  await page.getByText('4 tools in 2 orders selected').waitFor();
  await expect.poll(() => isIndeterminate(all)).toBe(false);
  await expect.poll(() => page.getByLabel(/^Select order .* rasp$/).isChecked()).toBe(false);
  await all.uncheck();
  await expect.poll(() => page.getByRole('region', { name: 'Selected tools' }).count()).toBe(0);
});

test('rows of the same purchase show its customer and transaction once', async () => {
  const { three } = await buyFour('Riffler');
  const page = await open('?q=riffler');
  const rows = page.getByRole('row').filter({ hasText: three.number });
  await expect.poll(() => rows.count()).toBe(3);
  const texts = await Promise.all([0, 1, 2].map((at) => readText(rows.nth(at))));
  for (const repeated of ['1 Mill Lane', 'Transaction', '@'])
    expect(texts.map((text) => text.includes(repeated))).toEqual([true, false, false]);
  for (const text of texts) expect(text).toContain('Ada Byron');
  expect(texts.map((text) => text.includes('Same order, same address.'))).toEqual([false, true, true]);
});

test('shipping an order moves no row', async () => {
  const { three } = await buyFour('Screwdrivers, hollow-ground, fine', [admin, admin]);
  const page = await open('?q=hollow');
  await page.setViewportSize({ width: 1280, height: 800 });
  const readTops = () =>
    page
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top + scrollY));
  const tops = await readTops();
  const number = '1Z5R89390357569992';
  await page.getByLabel(`Select order ${three.number}`).first().check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  await dialog.getByLabel('Tracking number').fill(number);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText(`UPS ${number}`).waitFor();
  expect(await readTops()).toEqual(tops);
});

test('the ship dialog names the tools of a purchase that are not selected', async () => {
  const { three } = await buyFour('Broach');
  const page = await open('?q=broach');
  for (const name of ['saw', 'file'])
    await page.getByLabel(`Select order ${three.number}, Broach ${name}`).check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  await expect
    .poll(() => readDescription(dialog.getByRole('group', { name: `Order ${three.number}` })))
    .toBe(`1 other tool of order ${three.number} will not be shipped: Broach vice.`);
  await dialog.getByRole('button', { name: 'Not yet' }).click();
  await page.getByLabel(`Select order ${three.number}, Broach saw`).uncheck();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  await dialog
    .getByText(`2 other tools of order ${three.number} will not be shipped: Broach vice, Broach saw.`)
    .waitFor();
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText('Order:Broach file is Shipped.').waitFor();
  await selectAll(page).check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  await dialog.getByText(`Order ${three.number}`).waitFor();
  await expect.poll(() => dialog.getByText('will not be shipped').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText('3 tools in 2 orders are shipped.').waitFor();
});

test('the ship dialog shows addresses and notes, and sends orders to the same address as one parcel, whose slips can then be printed', async () => {
  const { shop } = stage;
  const { three, single } = await buyFour('Swage', [admin, admin]);
  const client = shop.client(admin);
  const text = 'Gift: no prices, please.';
  await client.call('addOrderNote', { params: { id: single._id }, body: { text } });
  const page = await open('?q=swage');
  const { dialog, ship } = await openShipDialog(page);
  const group = dialog.getByRole('group', { name: `Order ${single.number}` });
  await group.getByText(text).waitFor();
  await expect.poll(() => dialog.getByText('1 Mill Lane').count()).toBe(2);
  await group.getByRole('checkbox').uncheck();
  await dialog.getByLabel(/Ship orders \S+ and \S+ as one parcel \(same address\)$/).check();
  await expect.poll(() => dialog.getByLabel('Tracking number').count()).toBe(1);
  // The box stays unchecked.
  await expect.poll(() => group.getByRole('checkbox').isChecked()).toBe(false);
  await group.getByRole('checkbox').check();
  await dialog.getByLabel('Tracking number').fill('RB123456785GB');
  await ship.click();
  await page.getByText('4 tools in 2 orders are shipped.').waitFor();
  const orders = [single, ...three.orders];
  const shipped = await Promise.all(orders.map(({ _id: id }) => client.call('getOrder', { params: { id } })));
  expect(new Set(shipped.flatMap(({ shipments = [] }) => shipments.map(({ _id }) => _id))).size).toBe(1);
  expect(await page.getByRole('link', { name: 'Print slips' }).getAttribute('href')).toMatch(
    new RegExp(`orders=(${single.number},${three.number}|${three.number},${single.number})$`),
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The parcel is taken back.').waitFor();
  expect((await readNumbers(orders)).map(([status]) => status)).toEqual(orders.map(() => 'paid'));
});

test('in the ship dialog, a second press ships a number with a wrong check digit; a number without a carrier ships at once', async () => {
  const { three, single } = await buyFour('Burin');
  const page = await open('?q=burin');
  await selectAll(page).check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  const numberOf = (number: string) =>
    dialog.getByRole('group', { name: `Order ${number}` }).getByLabel('Tracking number');
  const [mistyped, unknown] = [numberOf(three.number), numberOf(single.number)];
  const ship = dialog.getByRole('button', { name: 'Ship', exact: true });
  await mistyped.fill('1Z5R89390357567128');
  await unknown.fill('LOCAL-17');
  await expect.poll(() => readDescription(unknown)).toMatch(/^No carrier recognized: the customer gets/);
  await expect.poll(() => unknown.getAttribute('aria-invalid')).toBe(null);
  await ship.click();
  await expectFocus(mistyped);
  await expect
    .poll(() => readDescription(mistyped))
    .toBe(
      'The check digit of this UPS number is wrong. Look for a typo, or press Ship again to use it as typed.',
    );
  await dialog.getByText(`Shipped: ${single.number}. Not shipped yet:`).waitFor();
  expect(await readNumbers([...three.orders, single])).toEqual([
    ...three.orders.map(() => ['paid', undefined, undefined]),
    ['sipping', undefined, 'LOCAL-17'],
  ]);
  // Another number is questioned again.
  await mistyped.fill('1Z5R89390357567129');
  await expect.poll(() => readDescription(mistyped)).not.toContain('again');
  await ship.click();
  await expect.poll(() => readDescription(mistyped)).toContain('press Ship again');
  await ship.click();
  await page.getByText('4 tools in 2 orders are shipped.').waitFor();
  expect(await readNumbers(three.orders)).toEqual(
    three.orders.map(() => ['sipping', undefined, '1Z5R89390357567129']),
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 parcels are taken back. The customers get no message about them.').waitFor();
  await expectFocus(page.locator('tbody tr').first());
  expect((await readNumbers([single])).map(([status]) => status)).toEqual(['paid']);
});

test('in the ship dialog, scans pass over a parcel that is not selected, and the number of another customer’s earlier order is accepted only on a second press', async () => {
  const { three, single } = await buyFour('Graver');
  await stage.shop.database.db
    .updateTable('purchase')
    .set({ address: '' })
    .where('id', '=', three._id)
    .execute();
  const page = await stage.open({ as: admin, expected: [/status of 409/] });
  await openPath(page, `${path}?q=graver`);
  const { dialog, numberOf, ship } = await openShipDialog(page);
  await expectFocus(numberOf(single.number));
  await page.keyboard.type('G-100');
  await page.keyboard.press('Enter');
  await expectFocus(ship);
  // A label in the field of a parcel that is not selected: none is shipped.
  await numberOf(three.number).fill('G-200');
  await ship.click();
  await dialog.getByText('Select a tool to ship with this number').waitFor();
  expect(await readNumbers([single])).toEqual([['paid', undefined, undefined]]);
  await numberOf(three.number).fill('');
  await ship.click();
  await page.getByText('Order:Graver saw is Shipped.').waitFor();
  await page.getByText('3 tools in 1 order selected').waitFor();
  // The message covers neither the table nor the buttons below it.
  const readBoxes = () =>
    Promise.all([page.locator('#selection-bar'), page.locator('.toast')].map((one) => one.boundingBox()));
  const [bar, message] = await readBoxes();
  if (!bar || !message) return expect.unreachable();
  expect(message.x + message.width).toBeLessThanOrEqual(bar.x);
  await page.setViewportSize({ width: 800, height: 740 });
  const [lowBar, lowMessage] = await readBoxes();
  if (!lowBar || !lowMessage) return expect.unreachable();
  expect(lowMessage.y + lowMessage.height).toBeLessThanOrEqual(lowBar.y);
  await page.setViewportSize({ width: 1280, height: 720 });
  // The list need not show the other order.
  await page.getByLabel('Search orders').fill('graver file');
  await page.getByText(/^1 tool in 1 order: \$/).waitFor();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
  await numberOf(three.number).fill('g-1 00');
  await ship.click();
  const question = `Another customer’s order, ${single.number}, has the same tracking number.`;
  await expect.poll(() => readDescription(numberOf(three.number))).toContain(question);
  await expectFocus(numberOf(three.number));
  await numberOf(three.number).fill('G-200');
  await expect.poll(() => readDescription(numberOf(three.number))).not.toContain(question);
  await numberOf(three.number).fill('G-100');
  await ship.click();
  await expect.poll(() => readDescription(numberOf(three.number))).toContain(question);
  await ship.click();
  await page.getByText('Order:Graver file is Shipped.').waitFor();
});

test('an order that was refunded after the list was loaded is not shipped from it', async () => {
  const { shop } = stage;
  const product = await shop.addProduct({ name: 'Hairspring tongs' });
  const { order } = await buy(shop, await shop.signUp(), product, 2);
  await shop.database.db
    .updateTable('purchase')
    .set({ address: '1 Mill Lane' })
    .where('id', '=', order._id)
    .execute();
  const page = await stage.open({ as: admin, expected: [/status of 409/] });
  await openPath(page, `${path}?q=hairspring`);
  const client = shop.client(admin);
  const params = { id: order._id };
  await refundOrder(client, { params, body: { amount: 1, quantity: 1, restock: 1, reason: 'other' } });
  await page
    .getByRole('row')
    .filter({ hasText: 'Hairspring tongs' })
    .getByRole('button', { name: 'paid' })
    .click();
  await page.getByText('This order has changed since you loaded the page.').waitFor();
  // The row shows what has changed.
  await page.getByText('1\u00a0to\u00a0pack').waitFor();
  expect(await client.call('getOrder', { params })).toMatchObject({ orderStatus: 'paid' });
  await page
    .getByRole('row')
    .filter({ hasText: 'Hairspring tongs' })
    .getByRole('button', { name: 'paid' })
    .click();
  await page.getByText('Order:Hairspring tongs is Shipped.').waitFor();
});

test('an order that was charged back is not listed under To ship, and ships only if it is selected in the dialog, too', async () => {
  const { shop } = stage;
  const product = await shop.addProduct({ name: 'Mandrel' });
  const { order } = await buy(shop, admin, product);
  await chargeBack(shop, order.purchase);
  const page = await open('?q=mandrel');
  const row = page.getByRole('row').filter({ hasText: 'Mandrel' });
  await row.getByText('charged back').waitFor();
  const client = shop.client(admin);
  expect(await client.call('listAllOrders', { query: { q: 'mandrel', status: 'paid' } })).toEqual([]);
  const shipSelected = async () => {
    const box = page.getByLabel(`Select order ${order.number}, Mandrel`);
    await box.check();
    await page.getByRole('button', { name: 'Ship selected' }).click();
    const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
    await dialog.getByText('Select it only if you want to send it anyway.').waitFor();
    return dialog;
  };
  const dialog = await shipSelected();
  const tool = dialog.getByRole('checkbox', { name: 'Mandrel' });
  expect(await tool.isChecked()).toBe(false);
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  const params = { id: order._id };
  expect(await client.call('getOrder', { params })).toMatchObject({ orderStatus: 'paid' });
  const again = (await dialog.isVisible()) ? dialog : await shipSelected();
  await again.getByRole('checkbox', { name: 'Mandrel' }).check();
  await again.getByRole('button', { name: 'Ship', exact: true }).click();
  await expect.poll(() => client.call('getOrder', { params })).toMatchObject({ orderStatus: 'sipping' });
});

test('the tracking number of a shipped parcel is not used for the other tools of its purchase', async () => {
  const { three, single } = await buyFour('Caliper');
  const page = await stage.open({ as: admin, expected: [/status of 422/] });
  await openPath(page, `${path}?q=caliper`);
  const { dialog, numberOf, ship } = await openShipDialog(page);
  await numberOf(three.number).fill('C-100');
  await dialog.getByLabel('Caliper file').uncheck();
  await dialog.getByLabel('Caliper vice').uncheck();
  await numberOf(single.number).fill('no number!');
  await ship.click();
  await dialog.getByText(`Shipped: ${three.number}. Not shipped yet:`).waitFor();
  await expect.poll(() => numberOf(three.number).inputValue()).toBe('');
  await expect.poll(() => readDescription(numberOf(three.number))).toBe('');
  await dialog.getByLabel('Caliper file').check();
  await numberOf(three.number).fill('C-200');
  await numberOf(single.number).fill('');
  await ship.click();
  await page.getByText('3 tools in 2 orders are shipped.').waitFor();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  await dialog.getByLabel('Caliper vice').waitFor();
  await expect.poll(() => numberOf(three.number).inputValue()).toBe('');
  const numbers = (await readNumbers(three.orders)).map(([, , number]) => number);
  expect(numbers.toSorted()).toEqual(['C-100', 'C-200', undefined]);
});

test.each([
  ['“Not yet”', (page: Page) => page.getByRole('button', { name: 'Not yet' }).click()],
  [
    'Escape, even pressed twice,',
    async (page: Page) => {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
    },
  ],
])('%s while orders are shipped stops after the current one, which is reported', async (name, stop) => {
  const word = name.startsWith('Escape') ? 'Scorper' : 'Scriber';
  const { three, single } = await buyFour(word);
  const page = await open(`?q=${word}`);
  const release = await holdRequests(page, '**/api/shipments');
  await selectAll(page).check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders', includeHidden: true });
  const requested = page.waitForRequest((request) => request.method() === 'POST');
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await requested;
  await stop(page);
  await dialog.getByText('Stopping after the current parcel…').waitFor();
  release();
  await page.getByText(/^Order:.* is Shipped\./).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('3 tools in ').waitFor();
  const states = (await readNumbers([...three.orders, single])).map(([status]) => status);
  expect(states.toSorted()).toEqual(['paid', 'paid', 'paid', 'sipping']);
});

test('if the parcel that is being shipped fails after “Not yet”, the dialog stays open and says so', async () => {
  const { three } = await buyFour('Spokeshave');
  const page = await stage.open({ as: admin, expected: [/ERR_FAILED/] });
  await openPath(page, `${path}?q=spokeshave`);
  const held = Promise.withResolvers<void>();
  await page.route('**/api/shipments', async (route) => {
    await held.promise;
    await route.abort();
  });
  const { dialog, ship } = await openShipDialog(page);
  const requested = page.waitForRequest((request) => request.method() === 'POST');
  await ship.click();
  await requested;
  await dialog.getByRole('button', { name: 'Not yet' }).click();
  held.resolve();
  await dialog.getByText('The shop cannot be reached').waitFor();
  await expect.poll(() => dialog.getByText('Stopping').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Not yet' }).click();
  await dialog.waitFor({ state: 'detached' });
  const states = (await readNumbers(three.orders)).map(([status]) => status);
  expect(states).toEqual(['paid', 'paid', 'paid']);
});

test('with the filters open, the fields are aligned and the first order is visible on a desktop', async () => {
  const page = await stage.open({ as: admin, viewport: { width: 1280, height: 800 } });
  await openPath(page, path);
  await page.getByText('Dates and sorting').click();
  const boxOf = async (locator: Locator) => {
    const { y = 0, height = 0 } = (await locator.boundingBox()) ?? {};
    return [y, y + height];
  };
  const [from, to, sort] = ['From', 'To', 'Sort'].map((name) => page.getByLabel(name, { exact: true }));
  const [search, button] = [page.getByLabel('Search orders'), page.getByRole('button', { name: 'Search' })];
  if (!from || !to || !sort) throw new Error('A filter is missing.');
  expect(await boxOf(to)).toEqual(await boxOf(from));
  expect(await boxOf(sort)).toEqual(await boxOf(from));
  expect(await boxOf(button)).toEqual(await boxOf(search));
  const ship = page.locator('tbody tr').first().getByRole('button');
  expect((await boxOf(ship))[1]).toBeLessThan(800);
});

test('To ship shows new orders and those that a colleague ships without a reload, and no row moves by itself', async () => {
  const { shop } = stage;
  const product = await shop.addProduct({ name: 'Poising tool', a_quantity: 100 });
  const page = await stage.open({ as: admin });
  await openPath(page, '/dashboard/allOrders?status=paid&sort=created&q=poising');
  await page
    .getByRole('heading', { name: 'Nothing to ship' })
    .or(page.getByText('No matching orders'))
    .waitFor();
  const { order } = await buy(shop, admin, product);
  await page.getByText(/^1 tool in 1 parcel: \$12\.50$/).waitFor();
  await buy(shop, admin, product, 2);
  await page.getByText(/^2 tools in 2 parcels: \$37\.50$/).waitFor();
  const rows = page.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(1);
  await shipOrder(shop.client(admin), { params: { id: order._id }, body: { orderStatus: 'sipping' } });
  await page.getByText(/^1 tool in 1 parcel: \$25\.00$/).waitFor();
  await rows.first().getByText('shipped', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show 1 new tool' }).click();
  await expect.poll(() => rows.first().textContent()).toContain('$25.00');
  await expect.poll(() => rows.count()).toBe(1);
});

test('Undo of several parcels says which orders were taken back, and which were not and why', async () => {
  // The sign-ups of one address are limited.
  const { three, single } = await buyFour('Sector', [admin, admin]);
  const page = await stage.open({ as: admin, expected: [/status of 409/] });
  await openPath(page, `${path}?q=sector`);
  const { dialog, ship } = await openShipDialog(page);
  await ship.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('4 tools in 2 orders are shipped.').waitFor();
  const client = stage.shop.client(admin);
  const params = { id: single._id };
  const { version } = await client.call('getOrder', { params });
  await client.call('recordReturn', { params, body: { version, quantity: 1 } });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page
    .getByText(
      `Taken back: ${three.number}. Not taken back: ${single.number}. Pieces of Sector saw have been returned to stock since.`,
    )
    .waitFor();
  expect((await readNumbers([single, ...three.orders])).map(([status]) => status)).toEqual([
    'sipping',
    'paid',
    'paid',
    'paid',
  ]);
});

test('a tool that was refunded in full before it was shipped is not shown as paid, and has no packing slip', async () => {
  const { single } = await buyFour('Burnisher', [admin, admin]);
  const params = { id: single._id };
  await refundOrder(stage.shop.client(admin), { params, body: { reason: 'other' } });
  const page = await open(`?q=${single.number}`);
  const row = page.locator('tbody tr');
  await expect.poll(() => row.count()).toBe(1);
  expect(await readText(row)).not.toMatch(/\bpaid\b/);
  await row.getByText('Nothing to ship').waitFor();
  await row.getByRole('checkbox').check();
  const bar = page.getByRole('region', { name: 'Selected tools' });
  await bar.getByRole('link', { name: 'Print invoices' }).waitFor();
  await expect.poll(() => bar.getByRole('link', { name: 'Print slips' }).count()).toBe(0);
  await openPath(page, `/dashboard/orders/${single.number}`);
  await page.getByRole('link', { name: 'Invoice' }).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Packing slip' }).count()).toBe(0);
  expect(await readText(page.getByRole('region', { name: single.product }))).not.toMatch(/\bpaid\b/);
});

test.each([
  [1280, 800 / 9],
  [768, 800 / 4],
])(
  'at %i px, the orders are a table whose rows are low and whose cells share a line',
  async (width, maxHeight) => {
    const page = await stage.open({ as: admin, viewport: { width, height: 800 } });
    await openPath(page, `${path}?q=depthing`);
    const rows = page.locator('tbody tr');
    const measured = await rows.evaluateAll((all) =>
      all.map((row) => {
        // An empty inline element stands on the first line of its cell.
        const lines = [...row.querySelectorAll('td:nth-child(n + 2):nth-child(-n + 4)')].map((cell) => {
          const mark = document.createElement('span');
          mark.textContent = 'x';
          const first = cell.querySelector('span span:not(:has(*)), span:not(:has(*))') ?? cell;
          first.prepend(mark);
          const { bottom } = mark.getBoundingClientRect();
          mark.remove();
          return Math.round(bottom);
        });
        return { height: row.getBoundingClientRect().height, lines: new Set(lines).size };
      }),
    );
    expect(measured.length).toBeGreaterThan(2);
    for (const { height, lines } of measured) {
      expect(height).toBeLessThanOrEqual(maxHeight);
      expect(lines).toBe(1);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  },
);

test('Clear all leaves the focus on the list of all orders', async () => {
  const page = await open('?status=paid');
  await page.getByRole('link', { name: 'Clear all' }).press('Enter');
  await page.getByRole('link', { name: 'Clear all' }).waitFor({ state: 'detached' });
  await expectFocus(page.getByRole('link', { name: 'All', exact: true }));
});
