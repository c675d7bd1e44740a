import { expect, test } from 'vitest';
import type { ShippingEdit } from '../../contract/delivery/shipping-rates.ts';
import { makeTestDatabase } from '../../tests/support/database.ts';
import { setUpDelivery, toGreatBritain } from '../../tests/support/delivery.ts';
import { toPageText } from '../../tests/support/page-text.ts';
import { catchProblem } from '../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const save = (shop: TestShop, zones: ShippingEdit['zones']) =>
  setUpDelivery(shop, { shipsFrom: 'DE', zones });

async function read(shop: TestShop, path: string) {
  const response = await shop.send(path);
  const html = await response.text();
  return { status: response.status, html, text: toPageText(html) };
}

test('the page of delivery costs names public holidays and the days on which the shop is closed', async () => {
  await using shop = await startShop();
  const closed = [
    { from: '2020-01-01', to: '2020-01-02' },
    { from: '2099-12-24', to: '2099-12-31' },
  ];
  await setUpDelivery(shop, { holidays: 'GB-ENG', closed });
  const { text } = await read(shop, '/delivery');
  expect(text).toContain(
    'Working days are Monday to Friday, without public holidays. We send nothing on 24 – 31 December 2099.',
  );
  expect(text).not.toContain('2020');
});

test('the page of delivery costs exists, in the footer and the sitemap too, only while there is a rate', async () => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: 'EUR' } });
  const expectNone = async () => {
    expect((await read(shop, '/delivery')).status).toBe(404);
    expect((await read(shop, '/')).html).not.toContain('Delivery costs');
    expect((await read(shop, '/sitemap.xml')).html).not.toContain('/delivery');
  };
  await expectNone();
  await save(shop, [
    {
      name: 'Germany',
      countries: ['DE'],
      rates: [
        { name: 'Parcel', by: 'flat', price: 4.95, freeFrom: 75, days: [1, 3] },
        { name: 'From the shop', by: 'flat', price: 0, pickup: 'Mühlgasse 1, Leipzig' },
      ],
    },
    {
      name: 'Islands',
      countries: ['DE'],
      postcodes: ['27498'],
      rates: [{ name: 'Boat', by: 'flat', price: 9 }],
    },
    {
      name: 'Neighbours',
      countries: ['AT', 'NL'],
      rates: [{ name: 'Parcel', by: 'weight', to: 2000, price: 9 }],
    },
    { name: 'World', countries: ['*'], rates: [{ name: 'Air mail', by: 'total', from: 50, price: 20 }] },
    { name: 'Not served', countries: ['US'], rates: [] },
  ]);
  const { status, html, text } = await read(shop, '/delivery?ref=mail');
  expect(status).toBe(200);
  for (const part of [
    'We send parcels from this country: Germany.',
    'paid before 14:00 (UTC) is sent on the same working day. Working days are Monday to Friday.',
    'Germany: all other postcodes',
    'Parcel Every order 1–3 working days €4.95 free from €75.00',
    'From the shop Collect it: Mühlgasse 1, Leipzig Every order – Free',
    'Germany: postcodes that begin with 27498',
    'Austria, Netherlands',
    'Parcel under 2 kg – €9.00',
    'All other countries',
    'Air mail €50.00 and more – €20.00',
  ])
    expect(text).toContain(part);
  expect(text).not.toContain('Not served');
  // Only the last zone is outside the customs area.
  expect(text.split('import charges may apply')).toHaveLength(2);
  expect(text.indexOf('import charges may apply')).toBeGreaterThan(text.indexOf('Air mail'));
  expect(html).toContain('href="/delivery"');
  expect((await read(shop, '/sitemap.xml')).html).toContain(`<loc>${shop.origin}/delivery</loc>`);
  await save(shop, []);
  await expectNone();
});

test('the page says for which countries import charges may apply', async () => {
  await using shop = await startShop({ settings: { SHOP_CURRENCY: 'GBP' } });
  const zoneOf = (name: string, ...countries: string[]) => ({
    name,
    countries,
    rates: [{ name: 'Parcel', by: 'flat' as const, price: 5 }],
  });
  const readZones = async (shipsFrom: string, ...zones: ShippingEdit['zones']) => {
    await setUpDelivery(shop, { shipsFrom, zones });
    const { html } = await read(shop, '/delivery');
    return html
      .split('<section')
      .slice(1, zones.length + 1)
      .map((section) => /<p[^>]*>([^<]*import charges may apply[^<]*)</.exec(section)?.[1] ?? '');
  };
  const all = 'These parcels cross a customs border, so import charges may apply.';
  expect(await readZones('GB', zoneOf('Man', 'GB', 'IM'), zoneOf('Jersey', 'JE'))).toEqual([
    '',
    expect.stringContaining(all),
  ]);
  expect(await readZones('FR', zoneOf('Near', 'BE', 'MC'), zoneOf('Europe', 'DE', 'NO', 'CH'))).toEqual([
    '',
    expect.stringContaining('import charges may apply: Norway, Switzerland. Our prices do not include'),
  ]);
});

test('after the shop has changed its currency, the rates in the old one are offered nowhere', async () => {
  const place = await makeTestDatabase('sqlite', 'migrated');
  const rates = [{ name: 'Post', by: 'flat' as const, price: 500 }];
  {
    await using shop = await startShop({ place, settings: { SHOP_CURRENCY: 'JPY' } });
    await setUpDelivery(shop, { zones: toGreatBritain(rates) });
    expect((await read(shop, '/delivery')).text).toContain('¥500');
  }
  await using shop = await startShop({ place, settings: { SHOP_CURRENCY: 'GBP' } });
  const { status, text } = await read(shop, '/delivery');
  expect(status).toBe(200);
  expect(text).toContain('Our delivery rates are being changed.');
  expect(text).not.toContain('500');
  const product = await shop.addProduct({ price: 20 });
  const admin = await shop.admin();
  const client = shop.client(admin);
  const body = { lines: [{ orderId: product._id, orderQuantity: 1 }], country: 'GB' };
  expect(await client.call('quoteLines', { body })).toMatchObject({
    rates: [],
    problems: ['other_currency'],
  });
  const { delivery } = await client.call('getProduct', { params: { id: product._id } });
  expect(delivery).toEqual({ country: 'GB' });
  const page = await (await shop.send('/dashboard/delivery', {}, admin)).text();
  expect(page).toContain('These rates are in JPY, but the shop now charges GBP.');
  expect(page).toMatch(/name="zones.0.rates.0.price"[^>]*value=""/);
  // The old document is rejected; the same numbers, entered again, are a new edit.
  const old = await client.call('getShipping', {});
  expect(await catchProblem(client.call('saveShipping', { body: old }))).toMatchObject({ status: 422 });
  await setUpDelivery(shop, { zones: old.zones }, admin);
  expect((await read(shop, '/delivery')).text).toContain('£500.00');
});
