import type { z } from 'zod';
import type { Product } from '../../contract/catalogue/products.ts';
import type { shippingEdit } from '../../contract/delivery/shipping-rates.ts';
import type { Purchase } from '../../contract/orders/purchases.ts';
import { confirmIntent, openPurchasePayment, placePurchase } from './payments.ts';
import type { TestUser } from './requests.ts';
import type { TestShop } from './shop.ts';

type Rate = z.input<typeof shippingEdit>['zones'][number]['rates'][number];

export const homeAddress = {
  name: 'Tom Graham',
  line1: '12 Escapement Row',
  city: 'Coventry',
  postcode: 'CV1 5FB',
  country: 'GB',
};

/** Sets up delivery to Great Britain, from there, at these rates. Without any, no delivery is charged. */
export async function setUpDelivery(shop: TestShop, admin: TestUser, rates: Rate[]): Promise<void> {
  const client = shop.client(admin);
  const { version } = await client.call('getShipping', {});
  const zones = rates.length === 0 ? [] : [{ name: 'Great Britain', countries: ['GB'], rates }];
  const body = { version, shipsFrom: 'GB', zones, cutOff: '14:00', workingDays: [1, 2, 3, 4, 5] };
  await client.call('saveShipping', { body });
}

/** Saves the checkout of a purchase, at the price that the quote says. */
export async function saveCheckout(
  shop: TestShop,
  person: TestUser,
  { _id }: Purchase,
  rate: string,
): Promise<Purchase> {
  const client = shop.client(person);
  const params = { id: _id };
  const { version } = await client.call('getPurchase', { params });
  const { country, postcode } = homeAddress;
  const { price } = await client.call('quotePurchase', { params, query: { country, postcode, rate } });
  return client.call('saveCheckout', { params, body: { version, shipTo: homeAddress, rate, price } });
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
