import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { deliveryChange, Purchase } from '../../../contract/orders/purchases.ts';
import { engines } from '../../../tests/support/database.ts';
import { deleteMail, hurryMail, listLetters, waitForLetter } from '../../../tests/support/letters.ts';
import { changeOrders } from '../../../tests/support/order-rows.ts';
import { buyTogether, placePurchase, shipParcel } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const lane = '1 Mill Lane\nYork';

/** A shop with an admin and Tom, who has paid for two tools. */
async function open(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine });
  const [admin, tom] = [await shop.admin(), await shop.signUp('Tom')];
  const products = [await shop.addProduct(), await shop.addProduct({ name: 'Broach' })] as const;
  const purchase = await buyTogether(shop, tom, [
    [products[0], 2],
    [products[1], 1],
  ]);
  return {
    shop,
    admin,
    tom,
    products,
    purchase,
    change: (by: TestUser, body: z.input<typeof deliveryChange>, of = purchase) => change(shop, by, of, body),
    read: (by = tom, { _id: id } = purchase) => shop.client(by).call('getPurchase', { params: { id } }),
    ship: (quantity = 1) =>
      shipParcel(shop.client(admin), { lines: [{ order: purchase.orders[0]?._id ?? '', quantity }] }),
    [Symbol.asyncDispose]: shop.close,
  };
}

const change = (shop: TestShop, by: TestUser, { _id: id }: Purchase, body: z.input<typeof deliveryChange>) =>
  shop.client(by).call('changeDelivery', { params: { id }, body });

describe.each(engines)('the delivery details of a purchase on %s', (engine) => {
  test('can be corrected by the customer: every order, the slip and the history show the correction', async () => {
    await using opened = await open(engine);
    const { shop, admin, tom } = opened;
    expect(await opened.change(tom, { version: 2, address: lane, phone: '01904 1' })).toEqual({
      modifiedCount: 1,
      version: 3,
    });
    const { version, orders } = await opened.read();
    expect(version).toBe(3);
    for (const order of orders) {
      expect(order).toMatchObject({ userName: 'Tom', address: lane, phone: '01904 1' });
      expect(order.history?.map(({ what }) => what)).toEqual(['placed', 'paid', 'delivery_changed']);
    }
    const query = { orders: opened.purchase.number };
    const { purchases } = await shop.client(admin).call('getPrintout', { query });
    expect(purchases).toMatchObject([{ userName: 'Tom', address: lane }]);
    // A field that is not sent stays as it is.
    expect(await opened.change(tom, { version: 3, name: 'Thomas' })).toEqual({
      modifiedCount: 1,
      version: 4,
    });
    expect((await opened.read()).orders[1]).toMatchObject({ userName: 'Thomas', address: lane });
    // The audit log has only the actions of admins.
    expect(await shop.client(admin).call('listAudit', { query: { actor: tom.email } })).toEqual([]);
  });

  test('are corrected by their customer until a piece is shipped, and by an admin at any time', async () => {
    await using opened = await open(engine);
    const { shop, admin, tom, purchase } = opened;
    await opened.change(tom, { version: 2, address: lane });
    const parcel = await opened.ship();
    expect(await catchProblem(opened.change(tom, { version: 4, address: '2 Mill Lane' }))).toMatchObject({
      type: 'urn:problem:already_shipped',
      data: { version: 4 },
    });
    expect(await opened.change(admin, { version: 4, address: '2 Mill Lane' })).toMatchObject({ version: 5 });
    const history = (await opened.read(admin)).orders[1]?.history?.slice(2);
    expect(history).toEqual([
      { at: expect.any(String), what: 'delivery_changed' },
      { at: expect.any(String), what: 'delivery_changed', who: admin.email },
    ]);
    expect((await opened.read()).orders[1]?.history?.at(-1)).not.toHaveProperty('who');
    const [entry] = await shop.client(admin).call('listAudit', { query: {} });
    // The log is permanent, so it does not repeat the details.
    expect(entry).toMatchObject({ action: 'changeDelivery', actor: admin.email, details: '' });
    expect(entry?.number).toBe(purchase.number);
    // A parcel keeps the address that was printed on it.
    const shipments = shop.database.db.selectFrom('shipment').select('address');
    expect(await shipments.execute()).toEqual([{ address: lane }]);
    await shop.client(admin).call('undoShipment', { params: { id: parcel } });
    expect(await opened.change(tom, { version: 6, address: lane })).toEqual({ modifiedCount: 1, version: 7 });
  });

  test('stay as they are if the purchase has changed since, or if there is nothing to change', async () => {
    await using opened = await open(engine);
    const { admin, tom } = opened;
    const body = { version: 2, address: lane };
    await opened.change(tom, body);
    // The response was lost, so the request is sent again. Without scripts, its line breaks differ.
    expect(await opened.change(tom, body)).toEqual({ modifiedCount: 0, version: 3 });
    const withoutScripts = { version: 1, name: 'Tom', address: lane.replaceAll('\n', '\r\n'), phone: '' };
    expect(await opened.change(tom, withoutScripts)).toEqual({ modifiedCount: 0, version: 3 });
    expect(await catchProblem(opened.change(admin, { ...body, name: 'Ann' }))).toMatchObject({
      type: 'urn:problem:purchase_changed',
      data: { version: 3 },
    });
    expect((await opened.read()).orders[0]).toMatchObject({ userName: 'Tom', address: lane });
  });

  test('that have changed since an admin loaded the page prevent a parcel to the old address', async () => {
    await using opened = await open(engine);
    const { shop, admin, tom, purchase } = opened;
    const { version } = await opened.read(admin);
    await opened.change(tom, { version, address: lane });
    const [order] = purchase.orders;
    const params = { id: order?._id ?? '' };
    const ship = (seen: number) =>
      shop.client(admin).call('shipOrder', { params, body: { orderStatus: 'sipping', version: seen } });
    expect(await catchProblem(ship(version))).toMatchObject({ type: 'urn:problem:purchase_changed' });
    // Of a correction and a parcel at the same time, only one goes through.
    const results = await Promise.allSettled([
      ship(version + 1),
      opened.change(tom, { version: version + 1, address: '2 Mill Lane' }),
    ]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { address } = (await opened.read()).orders[0] ?? {};
    const shipments = await shop.database.db.selectFrom('shipment').select('address').execute();
    expect(shipments).toEqual(address === lane ? [{ address: lane }] : []);
  });

  test('are validated, and cannot be changed by other customers or after the order has expired', async () => {
    await using opened = await open(engine);
    const { shop, tom, products } = opened;
    const errors = async (body: object) =>
      (await catchProblem(opened.change(tom, { version: 2, ...body }))).errors;
    expect(await errors({ name: ' ' })).toEqual([{ field: 'name', message: 'Name is Required' }]);
    expect(await errors({ name: 'Tom\nGraham', phone: '1\n2', address: 'x'.repeat(301) })).toEqual([
      { field: 'name', message: 'Name must be a single line' },
      { field: 'address', message: 'Address must be 300 characters or shorter' },
      { field: 'phone', message: 'Phone must be a single line' },
    ]);
    const stranger = await shop.signUp();
    const body = { version: 2, address: lane };
    expect(await catchProblem(opened.change(stranger, body))).toMatchObject({ status: 404 });
    const expired = await placePurchase(shop, tom, [[products[0], 1]]);
    await changeOrders(shop, { status: 'expired' }, expired._id);
    await shop.database.db
      .updateTable('order_line')
      .set({ status: 'expired' })
      .where('purchase_id', '=', expired._id)
      .execute();
    expect(await catchProblem(opened.change(tom, { version: 1, address: lane }, expired))).toMatchObject({
      type: 'urn:problem:order_expired',
    });
  });

  test('can be changed by their customer a limited number of times', async () => {
    await using opened = await open(engine);
    const { admin, tom } = opened;
    for (let version = 2; version < 22; version++)
      await opened.change(tom, { version, address: `${version} Mill Lane` });
    const body = { version: 22, address: lane };
    expect(await catchProblem(opened.change(tom, body))).toMatchObject({ status: 429 });
    expect(await opened.change(admin, body)).toMatchObject({ modifiedCount: 1 });
  });

  test('of a deleted account can still be corrected by an admin', async () => {
    await using opened = await open(engine);
    const { shop, admin, tom } = opened;
    const deletion = { params: { email: tom.email }, body: { password: tom.password } };
    await shop.client(tom).call('deleteUser', deletion);
    await deleteMail(shop);
    const { version } = await opened.read(admin);
    expect(await opened.change(admin, { version, address: lane })).toMatchObject({ modifiedCount: 1 });
    expect((await opened.read(admin)).orders[0]).toMatchObject({ userName: 'Tom', address: lane });
    expect(await shop.database.db.selectFrom('mail').selectAll().execute()).toEqual([]);
  });
});

test('one message reports the changes of a minute; it has the details, which the customer entered, only if the order is paid', async () => {
  await using opened = await open('sqlite');
  const { shop, admin, tom, products, purchase } = opened;
  const unpaid = await placePurchase(shop, tom, [[products[0], 1]]);
  await deleteMail(shop);
  await shop.listen();
  await opened.change(tom, { version: 1, name: 'Win at evil.example', address: lane }, unpaid);
  await opened.change(tom, { version: 2, address: 'Visit evil.example' });
  await opened.change(admin, { version: 3, address: lane, phone: '01904 1' });
  expect(await listLetters(shop, tom.email)).toEqual([]);
  await hurryMail(shop);
  const find = ({ number }: Purchase) =>
    waitForLetter(shop, tom.email, new RegExp(`^New delivery details for your order ${number}$`));
  const [paid, other] = [await find(purchase), await find(unpaid)];
  expect(paid.text).toMatch(/Customer: Tom\nDelivery address:\n {2}1 Mill Lane\n {2}York\nPhone: 01904 1\n/);
  expect(paid.text).toContain(`View your order:\n${shop.origin}/dashboard/orders/${purchase.number}`);
  expect(`${other.text}${other.html}`).not.toMatch(/evil|Mill Lane/);
  expect(await listLetters(shop, tom.email)).toHaveLength(2);
});
