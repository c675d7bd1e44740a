import { expect, test } from 'vitest';
import { setUpDelivery, toGreatBritain } from '../../tests/support/delivery.ts';
import { placePurchase } from '../../tests/support/payments.ts';
import { startShop } from '../../tests/support/shop.ts';

const zones = toGreatBritain([{ name: 'Tracked 48', by: 'flat', price: 4.5 }]);

test('once there is a rate, the buttons lead to the checkout, and My Orders says how long the tools are reserved', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp('Tom');
  const product = await shop.addProduct();
  await placePurchase(shop, tom, [[product, 2]]);
  const params = { id: product._id };
  await shop.client(tom).call('setBasketLine', { params, body: { quantity: 1 } });
  const read = async (path: string) => (await shop.send(path, {}, tom)).text();
  const readAll = async () =>
    [await read(`/purchase/${product._id}`), await read('/basket'), await read('/dashboard/myOrder')].map(
      (html) => html.slice(0, html.indexOf('id="page-data"')),
    );
  const expectAsSpecified = (pages: string[]) => {
    for (const html of pages) expect(html).not.toMatch(/checkout<|Reserved until/);
    expect(pages[0]).toContain('Place order');
    expect(pages[1]).toContain('Place order');
    expect(pages[2]).toContain('Waiting for your payment. Reserved for you until');
  };
  expectAsSpecified(await readAll());
  await setUpDelivery(shop, { zones });
  const [order, basket, orders] = await readAll();
  expect(order).toContain('Continue to checkout');
  expect(basket).toContain('Continue to checkout');
  expect(`${order}${basket}`).not.toContain('Place order');
  expect(orders).toContain('Reserved until');
  expect(orders).not.toContain('Waiting for your payment');
  await setUpDelivery(shop, { zones: [] });
  expectAsSpecified(await readAll());
});
