import { expect, test } from 'vitest';
import { home, setUpDelivery, toGreatBritain, zones } from '../../tests/support/delivery.ts';
import { readPageText } from '../../tests/support/page-text.ts';
import { placePurchase } from '../../tests/support/payments.ts';
import { startShop } from '../../tests/support/shop.ts';

const settings = { SHOP_CURRENCY: 'GBP', OPEN_CATALOGUE: 'yes' };

test('once there is a rate, a product’s page, its card and the basket show the cheapest beside the price', async () => {
  await using shop = await startShop({ settings });
  const tom = await shop.signUp();
  const product = await shop.addProduct({ price: 20, o_quantity: 2, notTo: 'US DE' });
  const path = `/purchase/${product._id}`;
  const params = { id: product._id };
  const client = shop.client(tom);
  await client.call('setBasketLine', { params, body: { quantity: 2 } });
  const readAll = () =>
    Promise.all([
      readPageText(shop, path),
      readPageText(shop, '/products'),
      readPageText(shop, '/'),
      readPageText(shop, '/basket', tom),
    ]);

  for (const text of await readAll()) expect(text).not.toMatch(/plus delivery|Not sent to|pay by card/);
  expect(await client.call('getProduct', { params })).not.toHaveProperty('delivery');

  // The smallest order costs £40, so it pays for delivery.
  await setUpDelivery(shop, {
    zones: [
      ...toGreatBritain([
        { name: 'Tracked 48', by: 'flat', price: 4.5, freeFrom: 50 },
        { name: 'Tracked 24', by: 'flat', price: 7 },
      ]),
      { name: 'France', countries: ['FR'], rates: [{ name: 'Parcel', by: 'flat', price: 12 }] },
    ],
  });
  for (const text of await readAll()) expect(text).toContain('plus delivery £4.50');
  const [page, , , basket] = await readAll();
  expect(page).toContain('£20.00 per piece plus delivery £4.50');
  expect(page).toContain('Delivery per order, to: United Kingdom.');
  expect(basket).toContain('Not sent to: United States, Germany');
  expect(basket).toContain('We deliver only to France and United Kingdom.');
  expect(basket).toContain('You can pay by card: Visa');

  // Three pieces cost £60.
  await client.call('setBasketLine', { params, body: { quantity: 3 } });
  expect(await readPageText(shop, '/basket', tom)).toContain('free delivery');

  // The form of the product’s page.
  expect(await readPageText(shop, `${path}?country=FR`)).toContain('plus delivery £12.00');
  expect(await readPageText(shop, `${path}?country=US`)).toContain(
    'We do not deliver this to: United States.',
  );
  expect(await readPageText(shop, `${path}?country=nowhere`)).toContain('plus delivery £4.50');

  // A new rate shows at once, also in pages that are cached for visitors.
  await setUpDelivery(shop, { zones: toGreatBritain([{ name: 'Post', by: 'flat', price: 6 }]) });
  for (const text of (await readAll()).slice(0, 3)) expect(text).toContain('plus delivery £6.00');
  await setUpDelivery(shop, { zones: [] });
  for (const text of await readAll()) expect(text).not.toMatch(/plus delivery|Not sent to|pay by card/);
});

test('a product that is only collected, or free for most of a country, is not shown with a charge', async () => {
  await using shop = await startShop({ settings });
  const tom = await shop.signUp();
  const product = await shop.addProduct({ price: 20 });
  const params = { id: product._id };
  await shop.client(tom).call('setBasketLine', { params, body: { quantity: 1 } });
  const readAll = () =>
    Promise.all([
      readPageText(shop, `/purchase/${product._id}`),
      readPageText(shop, '/products'),
      readPageText(shop, '/basket', tom),
    ]);
  const pickup = { name: 'From the shop', by: 'flat' as const, price: 0, pickup: '1 Mill Lane, York' };
  await setUpDelivery(shop, { zones: toGreatBritain([pickup]) });
  const [page = '', products, basket = ''] = await readAll();
  for (const text of [page, products, basket]) {
    expect(text).toContain('collection only');
    expect(text).not.toContain('plus delivery');
  }
  for (const text of [page, basket]) expect(text).toContain('You can collect your order.');

  const free = { name: 'Post', by: 'flat' as const, price: 0 };
  const islands = { name: 'Islands', countries: ['GB'], postcodes: ['ZE'], rates: [{ ...free, price: 9 }] };
  await setUpDelivery(shop, { zones: [...toGreatBritain([free, pickup]), islands] });
  const texts = await readAll();
  for (const text of texts) expect(text).toContain('delivery from £0');
  for (const text of [texts[0], texts[2]]) expect(text).toContain('You can also collect your order.');
});

test('a country whose zone has no rates is one to which the shop does not deliver', async () => {
  await using shop = await startShop({ settings });
  const tom = await shop.signUp();
  const product = await shop.addProduct({ price: 20 });
  const rates = [{ name: 'Parcel', by: 'flat' as const, price: 12 }];
  await setUpDelivery(shop, {
    zones: [
      { name: 'World', countries: ['*'], rates },
      { name: 'America', countries: ['US'], rates: [] },
      { name: 'Lerwick', countries: ['GB'], postcodes: ['ZE'], rates: [] },
    ],
  });
  const params = { id: product._id };
  await shop.client(tom).call('setBasketLine', { params, body: { quantity: 1 } });
  expect(await readPageText(shop, '/basket', tom)).toContain(
    'We deliver to all countries except United States.',
  );
  const { orders } = await placePurchase(shop, tom, [[product, 1]]);
  const ship_to = JSON.stringify({ ...home, line2: '', region: '', company: '', phone: '' });
  await shop.database.db.updateTable('purchase').set({ ship_to, version: 2 }).execute();
  const readOptions = async (path: string, label: string) => {
    const html = await (await shop.send(path, {}, tom)).text();
    const select = new RegExp(`<select[^>]* name="${label}"[^>]*>(.*?)</select>`, 's').exec(html)?.[1] ?? '';
    return [...select.matchAll(/<option value="([A-Z]{2})"/g)].map(([, code]) => code);
  };
  const number = orders[0]?.number;
  for (const path of [`/dashboard/payment/${orders[0]?._id}`, `/dashboard/orders/${number}?edit=delivery`]) {
    const options = await readOptions(path, 'shipTo.country');
    expect(options, path).toContain('GB');
    expect(options, path).toContain('FR');
    expect(options, path).not.toContain('US');
  }
});

test('the price is for the country of the user’s newest address, and is not cached for others', async () => {
  await using shop = await startShop({ settings });
  await setUpDelivery(shop);
  const [tom, ann] = [await shop.signUp('Tom'), await shop.signUp('Ann')];
  const product = await shop.addProduct({ price: 20 });
  const path = `/purchase/${product._id}`;
  const german = { ...home, city: 'Leipzig', postcode: '04109', country: 'DE' };
  await shop.client(tom).call('addAddress', { body: home });
  await shop.client(tom).call('addAddress', { body: german });
  for (const list of ['/products', path]) {
    expect(await readPageText(shop, list, tom)).toContain('plus delivery £12.00');
    expect(await readPageText(shop, list, ann)).toContain('plus delivery from £4.50');
    expect(await readPageText(shop, list)).toContain('plus delivery from £4.50');
  }
  const { delivery } = await shop.client(ann).call('getProduct', { params: { id: product._id } });
  expect(delivery).toEqual({ country: 'GB', price: 4.5, from: true, pickup: true });
});

test('a charge that cannot be avoided looks like the price; beside free collection, it is smaller', async () => {
  await using shop = await startShop({ settings });
  const product = await shop.addProduct({ price: 20 });
  const readClasses = async () => {
    const html = await (await shop.send(`/purchase/${product._id}`)).text();
    return /£20\.00<\/span><span class="([^"]*)"><span class="([^"]*)"><a class="[^"]*" href="\/delivery"/
      .exec(html)
      ?.slice(1);
  };
  await setUpDelivery(shop, { zones: toGreatBritain([{ name: 'Post', by: 'flat', price: 6 }]) });
  expect(await readClasses()).toEqual(['font-serif text-2xl', 'block']);
  await setUpDelivery(shop, { zones });
  expect(await readClasses()).toEqual(['font-serif text-2xl', 'block font-sans text-sm text-soft']);
});
