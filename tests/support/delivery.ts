import type { z } from 'zod';
import type { Product } from '../../contract/catalogue/products.ts';
import type { checkout } from '../../contract/delivery/quotes.ts';
import type { Shipping, shippingEdit } from '../../contract/delivery/shipping-rates.ts';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { confirmIntent, openPurchasePayment, placePurchase } from './payments.ts';
import type { TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

type Edit = z.input<typeof shippingEdit>;

const week = { cutOff: '14:00', workingDays: [1, 2, 3, 4, 5], shipsFrom: 'GB' };

/** Great Britain with two ways, Northern Ireland by its postcodes, Germany up to 500 g, and the United States. */
export const zones: Edit['zones'] = [
  {
    name: 'Great Britain',
    countries: ['GB'],
    rates: [
      { _id: 'post', name: 'Tracked 48', by: 'flat', price: 4.5, freeFrom: 100, days: [2, 3] },
      { _id: 'pickup', name: 'Collect it', by: 'flat', price: 0, pickup: 'Mon–Fri 9–17, 5 Mill Lane' },
    ],
  },
  {
    name: 'Northern Ireland',
    countries: ['GB'],
    postcodes: ['BT'],
    rates: [{ _id: 'ni', name: 'Parcel to Northern Ireland', by: 'flat', price: 9 }],
  },
  {
    name: 'Germany',
    countries: ['DE'],
    rates: [{ _id: 'de', name: 'Parcel', by: 'weight', to: 500, price: 12, days: [4, 6] }],
  },
  {
    name: 'United States',
    countries: ['US'],
    rates: [{ _id: 'us', name: 'Airmail', by: 'flat', price: 20 }],
  },
];

/** Only these rates, to Great Britain. Without rates, no delivery is charged. */
export const toGreatBritain = (rates: Edit['zones'][number]['rates']): Edit['zones'] =>
  rates.length === 0 ? [] : [{ name: 'Great Britain', countries: ['GB'], rates }];

/** Sets up delivery from Great Britain, and returns it. */
export async function setUpDelivery(
  shop: TestShop,
  edit: Partial<Edit> = {},
  admin?: TestUser,
): Promise<Shipping> {
  const client = shop.client(admin ?? (await shop.admin()));
  const { version } = await client.call('getShipping', {});
  return client.call('saveShipping', { body: { version, ...week, zones, ...edit } });
}

/** A complete address in Great Britain. */
export const home = {
  name: 'Tom Graham',
  line1: '12 Escapement Row',
  city: 'Coventry',
  postcode: 'CV1 5FB',
  country: 'GB',
};

/** Saves the checkout of a purchase, at the price that the quote says. `more` can have a remark and other addresses. */
export async function saveCheckout(
  shop: TestShop,
  person: TestUser,
  { _id }: Purchase,
  rate: string,
  { shipTo = home, ...more }: Pick<Partial<z.input<typeof checkout>>, 'shipTo' | 'billTo' | 'remark'> = {},
): Promise<Purchase> {
  const client = shop.client(person);
  const params = { id: _id };
  const { version } = await client.call('getPurchase', { params });
  const { country, postcode } = shipTo;
  const { price } = await client.call('quotePurchase', { params, query: { country, postcode, rate } });
  return client.call('saveCheckout', { params, body: { version, shipTo, rate, price, ...more } });
}

/** Pays a purchase whose checkout is saved. Returns the purchase and the intent's id. */
export async function payPurchase(
  shop: TestShop,
  person: TestUser,
  purchase: Purchase,
  card = 'pm_card_visa',
): Promise<{ purchase: Purchase; intent: string }> {
  const { id: intent } = await openPurchasePayment(shop, person, purchase);
  await confirmIntent(shop, { id: intent }, card);
  const client = shop.client(person);
  const params = { id: purchase.orders[0]?._id ?? '' };
  await client.call('markOrderPaid', { params, body: { transactionId: intent } });
  return { purchase: await client.call('getPurchase', { params: { id: purchase._id } }), intent };
}

/** Places a purchase, and pays for it and its delivery. */
export const buyDelivered = async (
  shop: TestShop,
  person: TestUser,
  lines: [product: Product, quantity: number][],
  rate: string,
  card = 'pm_card_visa',
) =>
  payPurchase(
    shop,
    person,
    await saveCheckout(shop, person, await placePurchase(shop, person, lines), rate),
    card,
  );
