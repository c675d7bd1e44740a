import { expect, test } from 'vitest';
import { buy } from '../../tests/support/payments.ts';
import { startShop } from '../../tests/support/shop.ts';

test('a posted refund form refunds only an order of its own page, and redirects back to it', async () => {
  await using shop = await startShop();
  const [ada, tom, product] = [await shop.admin(), await shop.signUp(), await shop.addProduct({ price: 10 })];
  const [own, other] = [(await buy(shop, tom, product)).order, (await buy(shop, tom, product)).order];
  const post = async (page: string, order: string) => {
    const { version } = await shop.client(ada).call('getOrder', { params: { id: order } });
    const body = new URLSearchParams({
      amount: '4',
      reason: 'other',
      restock: '0',
      note: '',
      version: String(version),
    });
    const path = `/dashboard/orders/${encodeURIComponent(page)}?refund=${order}`;
    const response = await shop.send(path, { method: 'POST', body }, ada);
    return [response.status, response.headers.get('location')];
  };
  for (const page of [other._id, other.number, 'none', '€', '../users']) {
    expect(await post(page, own._id)).toEqual([404, null]);
  }
  const listRefunded = async () =>
    (await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } })).map(
      ({ refunded }) => refunded,
    );
  expect(await listRefunded()).toEqual([0, 0]);
  const done = [303, `/dashboard/orders/${own.number}?done=refunded`];
  expect(await post(own.number, own._id)).toEqual(done);
  expect(await listRefunded()).toEqual([0, 4]);
});
