import { expect, test } from 'vitest';
import { placePurchase } from '../../tests/support/payments.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const week = { cutOff: '14:00', workingDays: [1, 2, 3, 4, 5], shipsFrom: 'GB' };
const rates = [{ name: 'Tracked 48', by: 'flat' as const, price: 4.5 }];
const zones = [{ name: 'Great Britain', countries: ['GB'], rates }];

async function saveZones(shop: TestShop, edit: { version: number; zones: typeof zones }) {
  const client = shop.client(await shop.admin());
  await client.call('saveShipping', { body: { ...week, ...edit } });
}

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
  await saveZones(shop, { version: 0, zones });
  const [order, basket, orders] = await readAll();
  expect(order).toContain('Continue to checkout');
  expect(basket).toContain('Continue to checkout');
  expect(`${order}${basket}`).not.toContain('Place order');
  expect(orders).toContain('Reserved until');
  expect(orders).not.toContain('Waiting for your payment');
  await saveZones(shop, { version: 1, zones: [] });
  expectAsSpecified(await readAll());
});
