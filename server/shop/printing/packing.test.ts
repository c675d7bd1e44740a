import { expect, test } from 'vitest';
import type { Product } from '../../../contract/catalogue/products.ts';
import { engines } from '../../../tests/support/database.ts';
import { home, payPurchase, saveCheckout, setUpDelivery } from '../../../tests/support/delivery.ts';
import { readPageText } from '../../../tests/support/page-text.ts';
import { placePurchase } from '../../../tests/support/payments.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const american = {
  ...home,
  line1: '1 Pine St',
  city: 'Portland',
  region: 'OR',
  postcode: '97201',
  country: 'US',
};

async function buyTo(
  shop: TestShop,
  tom: TestUser,
  lines: [Product, number][],
  shipTo: typeof home,
  rate: string,
) {
  const saved = await saveCheckout(shop, tom, await placePurchase(shop, tom, lines), rate, { shipTo });
  return (await payPurchase(shop, tom, saved)).purchase;
}

test.each(engines)(
  'on %s, the pick list, slips and customs declarations of several orders',
  async (engine) => {
    await using shop = await startShop({ engine, settings: { SHOP_CURRENCY: 'USD' } });
    const [tom, ada] = [await shop.signUp('Tom'), await shop.admin()];
    const admin = shop.client(ada);
    await setUpDelivery(shop, {}, ada);
    const winder = await shop.addProduct({
      name: 'Winder',
      price: 20,
      weight: 700,
      shelf: 'B10',
      hsCode: '820559',
      origin: 'DE',
    });
    const puller = await shop.addProduct({ name: 'Puller', price: 4, shelf: 'B2' });
    const vise = await shop.addProduct({ name: 'Vise', price: 390, weight: 900 });
    const near = await buyTo(
      shop,
      tom,
      [
        [winder, 2],
        [puller, 1],
      ],
      home,
      'post',
    );
    const far = await buyTo(shop, tom, [[winder, 2]], american, 'us');
    const dear = await buyTo(
      shop,
      tom,
      [
        [vise, 1],
        [winder, 1],
      ],
      american,
      'us',
    );
    const query = { orders: [near, far, dear].map(({ number }) => number).join(',') };
    const { purchases } = await admin.call('getPrintout', { query });
    expect(purchases.map(({ customs }) => customs)).toEqual([
      undefined,
      { form: 'CN22', value: 40 },
      { form: 'CN23', value: 410 },
    ]);
    expect(purchases[0]?.lines.map(({ packing }) => packing)).toEqual([
      { shelf: 'B10', weight: 700, hsCode: '820559', origin: 'DE' },
      { shelf: 'B2' },
    ]);

    const picks = await readPageText(shop, `/dashboard/print/picks?orders=${query.orders}`, ada);
    // B2 comes before B10, and products without a shelf last.
    expect(picks).toContain('3 orders, 7 pieces');
    expect(picks).toMatch(
      new RegExp(
        `B2 Puller ${near.number} 1 B10 Winder ${near.number} × 2 ${far.number} × 2 ${dear.number} 5 – Vise ${dear.number} 1`,
      ),
    );
    expect(picks).toContain('1.4 kg, not counting tools without a weight');
    expect(picks).toContain('1.6 kg');
    const slips = await readPageText(shop, `/dashboard/print/slips?orders=${far.number}`, ada);
    expect(slips).toContain('Weight of the contents 1.4 kg');

    const customs = await readPageText(shop, `/dashboard/print/customs?orders=${query.orders}`, ada);
    expect(customs).toContain('One of the orders has no declaration');
    expect(customs).toContain('2 customs declarations');
    expect(customs).toContain(`Customs declaration CN 22 ${far.number}`);
    expect(customs).toContain(
      '2 × Winder HS code: 820559. Origin: Germany 1.4 kg $40.00 Total 1.4 kg $40.00',
    );
    expect(customs).toContain(`Customs declaration CN 23 ${dear.number}`);
    expect(customs).toContain(`Postal charges (USD) $20.00 Invoice number ${dear.number}`);
    expect(customs).toContain('UNITED STATES');

    // Customers do not see shelves and weights, which only an admin's printout has.
    const own = await shop.client(tom).call('getPrintout', { query: { orders: far.number } });
    expect(own.purchases[0]).not.toHaveProperty('customs');
    expect(own.purchases[0]?.lines[0]).not.toHaveProperty('packing');
  },
);
