import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { buyTogether, chargeBack, shipOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { holdRequests } from './held-requests.ts';
import { readDescription, readText } from './page-text.ts';
import { openPath, openStage, type Stage, waitForHydration } from './stage.ts';

const ups = '1Z5R89390357567127';
const upsLink = `https://www.ups.com/track?tracknum=${ups}`;

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  ada = await stage.shop.admin('Ada Harrison');
});
afterAll(() => stage?.close());

async function buyThree() {
  // Earlier tests used the same numbers.
  for (const table of ['order_line', 'shipment'] as const)
    await stage.shop.database.db.updateTable(table).set({ tracking_number: null }).execute();
  const nora = await stage.shop.signUp('Nora Newcomer');
  const lines: Parameters<typeof buyTogether>[2] = [];
  for (const name of ['Pliers', 'Winder', 'Broach']) lines.push([await stage.shop.addProduct({ name }), 1]);
  return { nora, purchase: await buyTogether(stage.shop, nora, lines) };
}

const path = ({ number }: Purchase) => `/dashboard/orders/${number}`;
const expectFocus = (element: Locator) =>
  expect.poll(() => element.evaluate((node) => node === document.activeElement)).toBe(true);
const findCarrier = (page: Page) => page.getByLabel('Carrier');
const ship = (page: Page) => page.getByRole('button', { name: 'Ship', exact: true }).click();
const readParcels = async ({ orders }: Purchase, admin = ada) =>
  Promise.all(
    orders.map(async ({ _id: id }) => {
      const order = await stage.shop.client(admin).call('getOrder', { params: { id } });
      return [order.product, order.orderStatus, order.carrier, order.trackingNumber];
    }),
  );

test.each([true, false])(
  'an order that was charged back is shipped only if that is confirmed, with scripts: %s',
  async (javaScriptEnabled) => {
    const { purchase } = await buyThree();
    await chargeBack(stage.shop, purchase._id);
    const expected = javaScriptEnabled ? [/status of 409/] : [/static\/js\/.*: csp$/, /status of 409/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    await (javaScriptEnabled ? openPath(page, path(purchase)) : page.goto(path(purchase)));
    await page.getByText('The customer’s bank has taken the money back.').waitFor();
    await page.getByRole('term').filter({ hasText: 'Charged back' }).waitFor();
    await page.getByLabel('Only Winder').check();
    await page.getByLabel('Tracking number').fill('A-17-B');
    await ship(page);
    await page.getByText('Confirm that you want to send it anyway').first().waitFor();
    // The typed number is still there.
    expect(await page.getByLabel('Tracking number').inputValue()).toBe('A-17-B');
    await page.getByLabel('Send it anyway').check();
    await ship(page);
    await expect
      .poll(() => readParcels(purchase))
      .toEqual([
        ['Pliers', 'paid', undefined, undefined],
        ['Winder', 'sipping', undefined, 'A-17-B'],
        ['Broach', 'paid', undefined, undefined],
      ]);
  },
);

test('an admin ships one tool, then the rest in one parcel, and corrects it; the customer follows the link', async () => {
  const { nora, purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await page.getByLabel('Only Winder').check();
  await page.getByLabel('Tracking number').pressSequentially('1Z5R 8939 0357 5671 28');
  await page
    .getByRole('status')
    .getByText('The check digit of this UPS number is wrong. Look for a typo.')
    .waitFor();
  await expect.poll(() => readDescription(page.getByLabel('Tracking number'))).toContain('Look for a typo');
  await page.getByLabel('Tracking number').press('Backspace');
  await page.getByText('The check digit').waitFor({ state: 'detached' });
  await page.getByLabel('Tracking number').press('7');
  // The carrier appears with the last digit.
  await expect.poll(() => findCarrier(page).inputValue()).toBe('UPS');
  await expect.poll(() => readDescription(findCarrier(page))).toContain('UPS');
  await ship(page);
  await page.getByText('Winder is shipped.').waitFor();
  await page.getByLabel('Both tools').waitFor();
  await expectFocus(page.getByRole('heading', { name: 'Winder' }));
  await expect.poll(() => page.getByLabel('Tracking number').inputValue()).toBe('');
  await page.getByLabel('Tracking number').fill('RB123456785GB');
  await expect.poll(() => findCarrier(page).inputValue()).toBe('Royal Mail');
  // A carrier entered by the admin is not overwritten by more digits.
  await findCarrier(page).fill('Bike courier');
  await page.getByLabel('Tracking number').fill(ups);
  await expect.poll(() => findCarrier(page).inputValue()).toBe('Bike courier');
  await page.getByLabel(/^Tracking link/).fill('https://couriers.example/17');
  await ship(page);
  await page.getByText('2 tools are shipped.').waitFor();
  await page.getByRole('button', { name: 'Ship', exact: true }).waitFor({ state: 'detached' });
  await expectFocus(page.getByRole('heading', { name: 'Pliers' }));
  await expect
    .poll(() => readParcels(purchase))
    .toEqual([
      ['Pliers', 'sipping', 'Bike courier', ups],
      ['Winder', 'sipping', 'UPS', ups],
      ['Broach', 'sipping', 'Bike courier', ups],
    ]);

  await page.getByRole('link', { name: 'Correct tracking… Pliers' }).click();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('trackingNumber');
  await expect.poll(() => page.getByLabel(/^Tracking link/).inputValue()).toBe('https://couriers.example/17');
  await findCarrier(page).fill('');
  await page.getByLabel(/^Tracking link/).fill('');
  await page.getByRole('button', { name: 'Save tracking' }).click();
  await page.getByText('Tracking saved.').waitFor();
  await expectFocus(page.getByRole('heading', { name: 'Pliers' }));
  await expect
    .poll(async () => (await readParcels(purchase)).map(([, , carrier]) => carrier))
    .toEqual(['UPS', 'UPS', 'UPS']);
  const history = await readText(page.getByRole('region', { name: 'History' }));
  for (const text of ['Ordered', 'Paid', 'Shipped · Winder', `by ${ada.email}`])
    expect(history).toContain(text);

  const own = await stage.open({ as: nora });
  for (const [address, name] of [
    [path(purchase), 'Track the parcel'],
    ['/dashboard/myOrder', 'Track the parcel (Pliers)'],
  ] as const) {
    await openPath(own, address);
    const link = own.getByRole('link', { name, exact: true });
    await expect
      .poll(async () => [await link.getAttribute('href'), await link.getAttribute('rel')])
      .toEqual([upsLink, 'noreferrer']);
    const main = await readText(own.locator('main'));
    expect(main).toMatch(/Shipped on \d\d \w{3} 2\d{3} with UPS\./);
    expect(main).not.toContain(ada.email);
  }
  await expect.poll(() => own.getByRole('link', { name: /^Correct tracking/ }).count()).toBe(0);
});

test.each(['Enter', 'Tab'])(
  'a scanned barcode becomes the number in it, which is what is stored (%s)',
  async (key) => {
    const { purchase } = await buyThree();
    const page = await stage.open({ as: ada });
    await openPath(page, path(purchase));
    const field = page.getByLabel('Tracking number');
    await field.pressSequentially('420221539101026837331000039521');
    await field.press(key);
    if (key === 'Tab') {
      await expect.poll(() => field.inputValue()).toBe('9101026837331000039521');
      await expect.poll(() => findCarrier(page).inputValue()).toBe('USPS');
      await ship(page);
    }
    await page.getByText('3 tools are shipped.').waitFor();
    const parcels = await readParcels(purchase);
    expect(parcels.map(([, , ...tracking]) => tracking)).toEqual(
      purchase.orders.map(() => ['USPS', '9101026837331000039521']),
    );
  },
);

test('the ship dialog of the list shows the number of a scanned barcode, too', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, `/dashboard/allOrders?q=${purchase.number}`);
  await page.getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = page.getByRole('dialog', { name: 'Ship the selected orders' });
  for (const box of await dialog.getByRole('checkbox').all()) await box.check();
  const field = dialog.getByLabel('Tracking number');
  await field.pressSequentially('1001921334250001000300779017972697');
  await field.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('779017972697');
  await expect.poll(() => readDescription(field)).toContain('This looks like a FedEx number.');
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await page.getByText('3 tools in 1 order are shipped.').waitFor();
  const parcels = await readParcels(purchase);
  expect(parcels.map(([, , ...tracking]) => tracking)).toEqual(
    purchase.orders.map(() => ['FedEx', '779017972697']),
  );
});

test('a rejected shipment keeps the input, and says what is wrong', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await page.getByLabel('Only Broach').check();
  await page.getByLabel('Tracking number').fill('A/17');
  await page.getByLabel(/^Tracking link/).fill('http://couriers.example/17');
  await ship(page);
  await page.getByRole('link', { name: 'Tracking link must be a URL that starts with https://' }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('https://couriers.example/17');
  await expect.poll(() => page.getByLabel('Only Broach').isChecked()).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByText('Broach is shipped.').waitFor();
  await expect
    .poll(async () => (await readParcels(purchase)).map(([, status]) => status))
    .toEqual(['paid', 'paid', 'sipping']);
});

test('an opened refund hides what was typed for a parcel, and Cancel shows it again', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await page.getByLabel('Tracking number').fill('A/17');
  await page.getByRole('link', { name: 'Refund… Broach' }).click();
  await page.getByLabel('Tracking number').waitFor({ state: 'hidden' });
  // A label leads to the field of its own form.
  await page.getByLabel(/^Pieces to refund/).fill('1');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await expect.poll(() => page.getByLabel('Tracking number').inputValue()).toBe('A/17');
});

test('admins keep notes; the same text can be saved as two notes, but a double click saves one note', async () => {
  const { nora, purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  const save = page.getByRole('button', { name: 'Save note' });
  await save.click();
  await page.getByText('Note is Required').first().waitFor();
  for (const count of [1, 2]) {
    await page.getByLabel('New note').fill('Rang twice.');
    await save.dblclick();
    await expect
      .poll(() => page.getByRole('listitem').filter({ hasText: 'Rang twice.' }).count())
      .toBe(count);
    await expect.poll(() => page.getByLabel('New note').inputValue()).toBe('');
  }
  const own = await stage.open({ as: nora });
  await openPath(own, path(purchase));
  expect(await own.content()).not.toContain('Rang twice.');
});

test('shipping, correcting and notes work without scripts', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({
    as: ada,
    javaScriptEnabled: false,
    expected: [/static\/js\/.*: csp$/, /status of 422/],
  });
  await page.goto(path(purchase));
  await page.getByLabel('Tracking number').fill('986578788855');
  await page.getByLabel(/^Tracking link/).fill('ftp://couriers.example');
  await ship(page);
  await page.getByText('Tracking link must be a URL that starts with https://').first().waitFor();
  await expect.poll(() => page.getByLabel('Tracking number').inputValue()).toBe('986578788855');
  await page.getByLabel(/^Tracking link/).fill('');
  await ship(page);
  await page.getByText('Shipping details saved.').waitFor();
  await expect
    .poll(() => readParcels(purchase))
    .toEqual(['Pliers', 'Winder', 'Broach'].map((product) => [product, 'sipping', 'FedEx', '986578788855']));
  await page.getByRole('link', { name: 'Correct tracking… Winder' }).click();
  await page.getByLabel('Tracking number').fill(ups);
  await findCarrier(page).fill('');
  await page.getByRole('button', { name: 'Save tracking' }).click();
  await page.getByText('Shipping details saved.').waitFor();
  // All three tools are in the parcel.
  await expect
    .poll(async () => (await readParcels(purchase)).map(([, , carrier]) => carrier))
    .toEqual(['UPS', 'UPS', 'UPS']);
  await page.getByRole('button', { name: 'Undo the parcel of Winder' }).click();
  await page.getByText('The parcel is taken back. The customer gets no message about it.').waitFor();
  expect((await readParcels(purchase)).map(([, status]) => status)).toEqual(['paid', 'paid', 'paid']);
  await page.getByLabel('New note').fill('No scripts here.');
  await page.getByRole('button', { name: 'Save note' }).click();
  await page.getByText('Note saved.').waitFor();
  await page.getByText('No scripts here.').waitFor();
});

test('an order’s page opens after its customer and product are deleted', async () => {
  const { nora, purchase } = await buyThree();
  const { email, password } = nora;
  await stage.shop.client(nora).call('deleteUser', { params: { email }, body: { password } });
  const [first, second] = purchase.orders;
  const admin = stage.shop.client(ada);
  await admin.call('deleteProduct', { params: { id: first?.orderId ?? '' } });
  await admin.call('editProduct', {
    params: { id: second?.orderId ?? '' },
    body: { version: 1, archived: true },
  });
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  const text = await readText(page.locator('main'));
  for (const part of ['Pliers', 'Winder', 'Nora Newcomer']) expect(text).toContain(part);
  await page.getByLabel('Tracking number').fill(ups);
  await ship(page);
  await page.getByText('3 tools are shipped.').waitFor();
});

test('a number with a wrong check digit is sent by a second press', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  const number = page.getByLabel('Tracking number');
  await number.fill('1Z5R89390357567128');
  await ship(page);
  await expectFocus(number);
  await expect.poll(() => readDescription(number)).toContain('press Ship again to use it as typed.');
  // Another number is questioned again.
  await number.fill('1Z5R89390357567129');
  await expect.poll(() => readDescription(number)).not.toContain('again');
  await ship(page);
  await expect.poll(() => readDescription(number)).toContain('press Ship again');
  expect((await readParcels(purchase)).map(([, status]) => status)).toEqual(['paid', 'paid', 'paid']);
  await number.press('Enter');
  await page.getByText('3 tools are shipped.').waitFor();
  // A correction questions only a new number.
  await page.getByRole('link', { name: 'Correct tracking… Pliers' }).click();
  await findCarrier(page).fill('UPS');
  await page.getByRole('button', { name: 'Save tracking' }).click();
  await page.getByText('Tracking saved.').waitFor();
  expect((await readParcels(purchase)).map((parcel) => parcel.slice(2))).toEqual(
    purchase.orders.map(() => ['UPS', '1Z5R89390357567129']),
  );
});

test.each([
  ['with', true],
  ['without', false],
])(
  '%s scripts, another customer’s tracking number is accepted only on a second press',
  async (_, javaScriptEnabled) => {
    const [{ purchase: other }, { purchase }] = [await buyThree(), await buyThree()];
    for (const [index, trackingNumber] of ['A-17', ups].entries())
      await shipOrder(stage.shop.client(ada), {
        params: { id: other.orders[index]?._id ?? '' },
        body: { orderStatus: 'sipping', trackingNumber },
      });
    const expected = [/static\/js\/.*: csp$/, /status of 409/];
    const page = await stage.open({ as: ada, javaScriptEnabled, expected });
    if (javaScriptEnabled) await openPath(page, path(purchase));
    else await page.goto(path(purchase));
    const number = page.getByLabel('Tracking number');
    // A second number is questioned, too.
    for (const typed of ['A-17', '1Z5R 8939 0357 5671 27']) {
      await number.fill(typed);
      await ship(page);
      const question = `Another customer’s order, ${other.number}, has the same tracking number. Scan the label again, or press Ship again to use it anyway.`;
      await expect.poll(() => readDescription(number)).toContain(question);
      await expect.poll(() => number.inputValue()).toBe(typed);
    }
    expect((await readParcels(purchase)).map(([, status]) => status)).toEqual(['paid', 'paid', 'paid']);
    await ship(page);
    await page.getByText(javaScriptEnabled ? '3 tools are shipped.' : 'Shipping details saved.').waitFor();
    expect((await readParcels(purchase)).map((parcel) => parcel.slice(2))).toEqual(
      purchase.orders.map(() => ['UPS', ups]),
    );
  },
);

test('a number rejected before the script has loaded is questioned and described like one typed later', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({ as: ada, expected: [/status of 422/] });
  const release = await holdRequests(page, '**/static/js/**');
  await page.goto(path(purchase), { waitUntil: 'commit' });
  const number = page.getByLabel('Tracking number');
  await number.fill('1Z5R89390357567128');
  await page.getByLabel(/^Tracking link/).fill('ftp://couriers.example');
  await page.getByRole('button', { name: 'Ship', exact: true }).click({ noWaitAfter: true });
  await page.getByText('Tracking link must be a URL that starts with https://').first().waitFor();
  release();
  await waitForHydration(page);
  await expect.poll(() => readDescription(number)).toContain('Look for a typo.');
  await expect.poll(() => readDescription(findCarrier(page))).toContain('Not recognized.');
  await page.getByLabel(/^Tracking link/).fill('');
  await ship(page);
  await expect.poll(() => readDescription(number)).toContain('press Ship again to use it as typed.');
  await number.fill(ups);
  await number.press('Enter');
  await page.getByText('3 tools are shipped.').waitFor();
});

test('Enter after a number whose carrier is unknown moves to the carrier, from where it ships', async () => {
  const { purchase } = await buyThree();
  const page = await stage.open({ as: ada });
  await openPath(page, path(purchase));
  await page.getByLabel('Only Winder').check();
  await page.getByLabel('Tracking number').fill('LOCAL-17');
  await page.getByLabel('Tracking number').press('Enter');
  await expectFocus(findCarrier(page));
  await expect.poll(() => readDescription(findCarrier(page))).toContain('the customer gets no link');
  await page.keyboard.type('Bike courier');
  await page.keyboard.press('Enter');
  await page.getByText('Winder is shipped.').waitFor();
  await page.getByLabel('Only Broach').check();
  await page.getByLabel('Tracking number').fill(ups);
  await page.getByLabel('Tracking number').press('Enter');
  await page.getByText('Broach is shipped.').waitFor();
  expect((await readParcels(purchase)).map((parcel) => parcel.slice(2))).toEqual([
    [undefined, undefined],
    ['Bike courier', 'LOCAL-17'],
    ['UPS', ups],
  ]);
});

test.each([
  ['with', true],
  ['without', false],
])(
  '%s scripts, an admin sends some pieces, sees each parcel, and takes the last one back',
  async (_, javaScriptEnabled) => {
    const [part, rest] = javaScriptEnabled ? ['PART-1', 'REST-1'] : ['PART-2', 'REST-2'];
    const nora = await stage.shop.signUp('Nora Newcomer');
    const gauge = await stage.shop.addProduct({ name: 'Gauge' });
    const purchase = await buyTogether(stage.shop, nora, [[gauge, 5]]);
    const page = await stage.open({
      as: ada,
      javaScriptEnabled,
      expected: [/static\/js\/.*: csp$/, /status of 409/],
    });
    const open = () => (javaScriptEnabled ? openPath(page, path(purchase)) : page.goto(path(purchase)));
    await open();
    const pieces = page.getByLabel('Pieces in the parcel');
    await pieces.fill('6');
    await ship(page);
    await page.getByText('Only 5 pieces of Gauge are left to ship').first().waitFor();
    await expect.poll(() => pieces.inputValue()).toBe('6');
    await pieces.fill('2');
    await page.getByLabel('Tracking number').fill(part);
    await ship(page);
    await page
      .getByText(javaScriptEnabled ? '2 pieces of Gauge are shipped.' : 'Shipping details saved.')
      .waitFor();
    await page
      .getByText('5 pieces for')
      .getByText(/2\sshipped, 3\sto\spack/)
      .waitFor();
    // The second parcel does not start with the tracking of the first, which can be corrected.
    await expect.poll(() => page.getByLabel('Tracking number').inputValue()).toBe('');
    await page.getByRole('link', { name: `Correct tracking… Gauge, ${part}` }).click();
    await expect.poll(() => page.getByRole('textbox', { name: /^Tracking number/ }).inputValue()).toBe(part);
    await page.getByRole('textbox', { name: /^Tracking number/ }).fill(`${part}-B`);
    await page.getByRole('button', { name: 'Save tracking' }).click();
    await page.getByText(javaScriptEnabled ? 'Tracking saved.' : 'Shipping details saved.').waitFor();
    await page.getByText(`Tracking number ${part}-B`).waitFor();
    await page.getByLabel('Tracking number').fill(rest);
    await ship(page);
    await page.getByText(`Tracking number ${rest}`).waitFor();
    await page.getByText(`Tracking number ${part}`).waitFor();
    const own = await stage.open({ as: nora });
    await openPath(own, path(purchase));
    const seen = await readText(own.locator('main'));
    expect(seen).toMatch(
      new RegExp(
        `2 pieces shipped on .*Tracking number ${part}.*3 pieces shipped on .*Tracking number ${rest}`,
        's',
      ),
    );
    expect(await own.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    if (javaScriptEnabled) {
      await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
      await expectFocus(page.getByRole('heading', { name: 'Gauge' }));
    } else await page.getByRole('button', { name: 'Undo the parcel of Gauge' }).last().click();
    await page.getByText('The parcel is taken back. The customer gets no message about it.').waitFor();
    await page.getByText(`Tracking number ${rest}`).waitFor({ state: 'detached' });
    await expect.poll(() => readParcels(purchase)).toEqual([['Gauge', 'paid', undefined, `${part}-B`]]);
    // It is too late: the message to the customer is being sent.
    await open();
    await stage.shop.database.db.updateTable('mail').set({ attempts: 1 }).execute();
    await page.getByRole('button', { name: 'Undo the parcel of Gauge' }).click();
    await page.getByText('The parcel cannot be taken back any more').waitFor();
  },
);
