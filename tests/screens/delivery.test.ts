import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buy, placeOrder, shipOrder } from '../support/payments.ts';
import type { TestUser } from '../support/requests.ts';
import { fillFields } from './fields.ts';
import { openPath, openStage, type Stage } from './stage.ts';
import { pressButton } from './steps.ts';

let stage: Stage;
let ada: TestUser;
beforeAll(async () => {
  stage = await openStage({ demo: false });
  ada = await stage.shop.admin();
});
afterAll(() => stage?.close());

/** Tom's paid order. */
async function openPaid() {
  const { shop } = stage;
  const tom = await shop.signUp('Tom Graham');
  const { order } = await buy(shop, tom, await shop.addProduct(), 2);
  const params = { id: order.purchase };
  return {
    tom,
    order,
    path: `/dashboard/orders/${order.number}`,
    read: async () => await shop.client(tom).call('getOrder', { params: { id: order._id } }),
    change: async (by: TestUser, body: object) => {
      const { version } = await shop.client(by).call('getPurchase', { params });
      return shop.client(by).call('changeDelivery', { params, body: { version, ...body } });
    },
  };
}

const openForm = (page: Page) => page.getByRole('link', { name: 'Change the delivery details' }).click();
const save = (page: Page) => pressButton(page, 'Save delivery details');

test('a customer corrects the address of a paid order; the order’s page and an open ship dialog show it', async () => {
  const { shop } = stage;
  const { tom, order, path } = await openPaid();
  const desk = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(desk, '/dashboard/allOrders');
  await desk.getByLabel(`Select order ${order.number}, ${order.product}`).check();
  await desk.getByRole('button', { name: 'Ship selected' }).click();
  const dialog = desk.getByRole('dialog');
  await dialog.getByText(order.number).waitFor();

  const page = await stage.open({ as: tom });
  await openPath(page, path);
  await openForm(page);
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('address');
  await fillFields(page, { 'Address (optional)': '1 Mill Lane\nYork', 'Phone (optional)': '01904 1' });
  await save(page);
  await page.getByText('Delivery details saved.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('change-delivery');
  const main = page.getByRole('main');
  await main.getByText('1 Mill Lane').waitFor();
  await main.getByText('Delivery details changed').waitFor();

  await dialog.getByRole('checkbox').first().check();
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await dialog.getByText('has changed since you opened this list').waitFor();
  await dialog.getByText('1 Mill Lane').waitFor();
  await dialog.getByRole('button', { name: 'Ship', exact: true }).click();
  await expect
    .poll(async () => (await shop.database.db.selectFrom('shipment').select('address').execute()).at(-1))
    .toEqual({ address: '1 Mill Lane\nYork' });
  // Once a piece is shipped, only an admin can change the address.
  await openPath(page, path);
  expect(await page.getByRole('link', { name: 'Change the delivery details' }).count()).toBe(0);
});

test('if the order has changed meanwhile, the form says so, keeps what was typed, and saves it when it is sent again', async () => {
  const { tom, path, read, change } = await openPaid();
  const page = await stage.open({ as: ada, expected: [/status of 409/] });
  await openPath(page, path);
  await openForm(page);
  await fillFields(page, { 'Address (optional)': '2 Forge Row' });
  await change(tom, { address: '1 Mill Lane', phone: '01904 1' });
  await save(page);
  await page.getByRole('alert').getByText('This order has changed since you loaded the page').waitFor();
  await page.getByRole('definition').getByText('1 Mill Lane').waitFor();
  expect(await page.getByLabel('Address (optional)').inputValue()).toBe('2 Forge Row');
  await save(page);
  await page.getByText('Delivery details saved.').waitFor();
  expect(await read()).toMatchObject({ address: '2 Forge Row' });
  await page.getByText(`by ${ada.email}`).waitFor();
});

test('without scripts, a customer and an admin correct the details; a stale form keeps its input', async () => {
  const { tom, path, read, change } = await openPaid();
  const open = (as: TestUser) =>
    stage.open({ as, javaScriptEnabled: false, expected: [/static\/js\/.*: csp$/, /status of (409|422)/] });
  const page = await open(tom);
  await page.goto(path);
  await openForm(page);
  await fillFields(page, { Name: '', 'Address (optional)': '1 Mill Lane' });
  await save(page);
  await page.getByRole('link', { name: 'Name is Required' }).waitFor();
  await fillFields(page, { Name: 'Thomas Graham' });
  await change(ada, { phone: '01904 1' });
  await save(page);
  await page.getByRole('alert').getByText('This order has changed since you loaded the page').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Thomas Graham');
  await fillFields(page, { 'Phone (optional)': '01904 2' });
  await save(page);
  await page.getByText('Delivery details saved.').waitFor();
  expect(await read()).toMatchObject({ userName: 'Thomas Graham', address: '1 Mill Lane', phone: '01904 2' });
  const desk = await open(ada);
  await desk.goto(path);
  await openForm(desk);
  await fillFields(desk, { 'Address (optional)': '2 Forge Row' });
  await save(desk);
  await desk.getByText('Delivery details saved.').waitFor();
  expect(await read()).toMatchObject({ userName: 'Thomas Graham', address: '2 Forge Row' });
});

test('the details of an unpaid order can be corrected, too, but not by somebody else', async () => {
  const { shop } = stage;
  const tom = await shop.signUp();
  const order = await placeOrder(shop, tom, await shop.addProduct());
  const page = await stage.open({ as: tom });
  await openPath(page, `/dashboard/orders/${order.number}?edit=delivery`);
  await fillFields(page, { 'Address (optional)': '1 Mill Lane' });
  await save(page);
  await page.getByText('Delivery details saved.').waitFor();
  const { order: shipped, path, tom: ann } = await openPaid();
  await shipOrder(shop.client(ada), { params: { id: shipped._id }, body: { orderStatus: 'sipping' } });
  const other = await stage.open({ as: ann });
  await openPath(other, `${path}?edit=delivery`);
  expect(await other.getByRole('button', { name: 'Save delivery details' }).count()).toBe(0);
});
