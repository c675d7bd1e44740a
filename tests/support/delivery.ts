import type { z } from 'zod';
import type { shippingEdit } from '../../contract/delivery/shipping-rates.ts';
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

/** Sets up delivery. */
export async function setUpDelivery(shop: TestShop, edit: Partial<Edit> = {}): Promise<void> {
  const client = shop.client(await shop.admin());
  const { version } = await client.call('getShipping', {});
  await client.call('saveShipping', { body: { version, ...week, zones, ...edit } });
}

/** A complete address in Great Britain. */
export const home = {
  name: 'Nora Newcomer',
  line1: '4 Fusee Lane',
  city: 'Coventry',
  postcode: 'CV1 5FB',
  country: 'GB',
};
