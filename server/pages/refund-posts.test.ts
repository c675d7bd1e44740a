import { expect, test } from 'vitest';
import { buy } from '../../tests/support/payments.ts';
import { startShop } from '../../tests/support/shop.ts';

test('a posted refund form refunds the order that it names, and redirects back to its page', async () => {
  await using shop = await startShop();
  const [ada, tom, product] = [await shop.admin(), await shop.signUp(), await shop.addProduct({ price: 10 })];
  await buy(shop, tom, product);
  const { order: own } = await buy(shop, tom, product);
  const { version } = await shop.client(ada).call('getOrder', { params: { id: own._id } });
  const post = async (order: string) => {
    const body = new URLSearchParams({
      form: 'refund',
      amount: '4',
      reason: 'other',
      restock: '0',
      note: '',
      version: String(version),
      order,
    });
    const path = `/dashboard/orders/${own.number}?refund=${own._id}`;
    const response = await shop.send(path, { method: 'POST', body }, ada);
    return [response.status, response.headers.get('location')];
  };
  expect(await post('none')).toEqual([404, null]);
  const listRefunded = async () =>
    (await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } })).map(
      ({ refunded }) => refunded,
    );
  expect(await listRefunded()).toEqual([0, 0]);
  const done = [303, `/dashboard/orders/${own.number}?done=refunded`];
  expect(await post(own._id)).toEqual(done);
  expect(await listRefunded()).toEqual([4, 0]);
});
