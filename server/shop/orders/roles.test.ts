import { describe, expect, test } from 'vitest';
import type { Person } from '../../../tests/support/ask.ts';
import { engines } from '../../../tests/support/database.ts';
import { buy, confirm, openPayment, placeOrder, tellPaid } from '../../../tests/support/payments.ts';
import { refusal } from '../../../tests/support/refusal.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

/** Roles that change while their people act: a call is judged when it comes, and the next one anew. */

const demote = (shop: TestShop, { email }: Person) =>
  shop.database.db.updateTable('user').set({ role: null }).where('email', '=', email).execute();

describe.each(engines)('on %s', (engine) => {
  test('whoever is demoted while the provider cancels: that delete is done and noted, the next is not let in', async () => {
    await using shop = await startShop({ engine });
    const [tom, former, ada] = [await shop.signUp(), await shop.admin(), await shop.admin()];
    const product = await shop.addProduct();
    const [first, second] = [await placeOrder(shop, tom, product), await placeOrder(shop, tom, product)];
    await openPayment(shop, tom, first);
    const until = () => demote(shop, former);
    shop.stripe.fail({ call: 'POST /v1/payment_intents/:id/cancel', how: 'slow', until });
    const remove = (id: string) => shop.client(former).call('deleteOrder', { params: { id } });
    expect(await remove(first._id)).toEqual({ deletedCount: 1 });
    expect(await refusal(remove(second._id))).toMatchObject({ status: 404 });
    const [line] = await shop.client(ada).call('listAudit', { query: { limit: 1 } });
    expect(line).toMatchObject({ who: former.email, what: 'deleteOrder', of: first._id });
  });

  test('whoever is demoted amid many acts: each is done and noted, or refused and not; none behind it', async () => {
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
    const answers = await Promise.allSettled(shipping);
    await demoting;
    expect(await refusal(ship(bought[11] ?? expect.unreachable()))).toMatchObject({ status: 403 });
    const shipped = bought.filter((_, at) => answers[at]?.status === 'fulfilled').map(({ _id }) => _id);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason.problem).toMatchObject({ status: 403 });
    const orders = await shop.client(ada).call('listAllOrders', {});
    const now = orders.filter(({ orderStatus }) => orderStatus === 'sipping').map(({ _id }) => _id);
    expect(now.toSorted()).toEqual(shipped.toSorted());
    const lines = await shop.client(ada).call('listAudit', {});
    const noted = lines.filter(({ what }) => what === 'shipOrder').map(({ of }) => of);
    expect(noted.toSorted()).toEqual(shipped.toSorted());
  });

  test('whoever becomes an admin while paying has paid as before, once, and sees all orders from then on', async () => {
    await using shop = await startShop({ engine });
    // No webhook is to look before the PATCH does.
    await shop.stripe.close();
    const [tom, ada] = [await shop.signUp(), await shop.admin()];
    const order = await placeOrder(shop, tom, await shop.addProduct());
    const intent = await openPayment(shop, tom, order);
    await confirm(shop, intent);
    expect(await refusal(shop.client(tom).call('listAllOrders', {}))).toMatchObject({ status: 403 });
    // Two at once say that they did it for the first time: one of them has.
    const promote = () => shop.client(ada).call('makeAdmin', { params: { email: tom.email } });
    const told: Promise<{ modifiedCount: number }[]>[] = [];
    const until = async () => void told.push(Promise.all([promote(), promote()]));
    shop.stripe.fail({ call: 'GET /v1/payment_intents/:id', how: 'slow', until });
    await tellPaid(shop, tom, order, intent);
    const counts = (await Promise.all(told)).flat().map(({ modifiedCount }) => modifiedCount);
    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await shop.client(tom).call('listAllOrders', {})).toMatchObject([
      { _id: order._id, orderStatus: 'paid', transactionId: intent.id },
    ]);
  });
});
