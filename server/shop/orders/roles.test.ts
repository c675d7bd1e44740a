import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { buy, confirmIntent, openPayment, placeOrder, reportPaid } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

/** Roles that change during a request: each request is authorized once, when it arrives. */

const demote = (shop: TestShop, { email }: TestUser) =>
  shop.database.db.updateTable('user').set({ role: null }).where('email', '=', email).execute();

describe.concurrent.each(engines)('on %s', (engine) => {
  test('an admin demoted during a deletion completes it, with an audit entry, but cannot start another', async () => {
    await using shop = await startShop({ engine });
    const [tom, former, ada] = [await shop.signUp(), await shop.admin(), await shop.admin()];
    const product = await shop.addProduct();
    const [first, second] = [await placeOrder(shop, tom, product), await placeOrder(shop, tom, product)];
    await openPayment(shop, tom, first);
    const meanwhile = () => demote(shop, former);
    shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/cancel', how: 'slow', meanwhile });
    const remove = (id: string) => shop.client(former).call('deleteOrder', { params: { id } });
    expect(await remove(first._id)).toEqual({ deletedCount: 1 });
    expect(await catchProblem(remove(second._id))).toMatchObject({ status: 404 });
    const [entry] = await shop.client(ada).call('listAudit', { query: { limit: 1 } });
    expect(entry).toMatchObject({ actor: former.email, action: 'deleteOrder', target: first._id });
  });

  test('an admin demoted amid many shipments: each is done and audited, or rejected', async () => {
    await using shop = await startShop({ engine });
    const [tom, former, ada] = [await shop.signUp(), await shop.admin(), await shop.admin()];
    const product = await shop.addProduct({ a_quantity: 100 });
    const bought = [];
    for (let order = 0; order < 12; order++) bought.push((await buy(shop, tom, product)).order);
    const ship = ({ _id: id }: { _id: string }) =>
      shop.client(former).call('shipOrder', { params: { id }, body: { orderStatus: 'sipping' } });
    const shipping = bought.slice(0, 5).map(ship);
    const demoting = demote(shop, former);
    shipping.push(...bought.slice(5, 11).map(ship));
    const results = await Promise.allSettled(shipping);
    await demoting;
    expect(await catchProblem(ship(bought[11] ?? expect.unreachable()))).toMatchObject({ status: 403 });
    const shipped = bought.filter((_, index) => results[index]?.status === 'fulfilled').map(({ _id }) => _id);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason.problem).toMatchObject({ status: 403 });
    const orders = await shop.client(ada).call('listAllOrders', {});
    const sipping = orders.filter(({ orderStatus }) => orderStatus === 'sipping').map(({ _id }) => _id);
    expect(sipping.toSorted()).toEqual(shipped.toSorted());
    const entries = await shop.client(ada).call('listAudit', {});
    const audited = entries.filter(({ action }) => action === 'shipOrder').map(({ target }) => target);
    expect(audited.toSorted()).toEqual(shipped.toSorted());
  });

  test('a customer promoted while paying pays once, and sees all orders afterwards', async () => {
    await using shop = await startShop({ engine });
    // No webhook may settle the payment before the PATCH.
    await shop.stripe.close();
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const order = await placeOrder(shop, tom, await shop.addProduct());
    const intent = await openPayment(shop, tom, order);
    await confirmIntent(shop, intent);
    expect(await catchProblem(shop.client(tom).call('listAllOrders', {}))).toMatchObject({ status: 403 });
    // Of two simultaneous promotions, one takes effect.
    const promote = () => shop.client(ada).call('makeAdmin', { params: { email: tom.email } });
    const promotions: Promise<{ modifiedCount: number }[]>[] = [];
    const meanwhile = async () => void promotions.push(Promise.all([promote(), promote()]));
    shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'slow', meanwhile });
    await reportPaid(shop, tom, order, intent);
    const counts = (await Promise.all(promotions)).flat().map(({ modifiedCount }) => modifiedCount);
    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await shop.client(tom).call('listAllOrders', {})).toMatchObject([
      { _id: order._id, orderStatus: 'paid', transactionId: intent.id },
    ]);
  });
});
