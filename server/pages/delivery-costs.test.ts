import { expect, test } from 'vitest';
import type { ShippingEdit } from '../../contract/delivery/shipping-rates.ts';
import { setUpDelivery } from '../../tests/support/delivery.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';

const save = (shop: TestShop, zones: ShippingEdit['zones']) =>
  setUpDelivery(shop, { shipsFrom: 'DE', zones });

async function read(shop: TestShop, path: string) {
  const response = await shop.send(path);
  const html = await response.text();
  const text = html
    .slice(0, html.indexOf('id="page-data"'))
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  return { status: response.status, html, text };
}

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
