import {
  emptyAddress,
  formatAddress,
  type PostalAddress,
} from '../../../../../contract/delivery/address-format.ts';
import { isCountry, listCountries } from '../../../../../contract/delivery/countries.ts';
import type { Quote } from '../../../../../contract/delivery/quotes.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import type { Client } from '../../../../client/api/client.ts';
import { getText } from '../../../../forms/page-form.ts';
import { checkoutForm, parseChoice, readAddress } from './checkout.ts';

/** The data that the checkout of an unpaid purchase shows. */
export type CheckoutData = {
  /** The address that the form starts with. */
  shipTo: PostalAddress;
  quote: Quote;
  /** The names of all countries by code, in alphabetical order of the names. */
  countries: Record<string, string>;
  /** The codes of the countries to which the shop delivers, in the same order. */
  sentTo: string[];
  shipsFrom: string;
  /** The saved addresses, in the layout of their countries. */
  shipToLines: string[];
  billToLines: string[];
};

type Source = {
  client: Client;
  viewer: Viewer;
  order: Order;
  purchase: Purchase;
  /** The query of the page: without scripts, `country` and `postcode` change the destination. */
  search: URLSearchParams;
  /** The post to which the page responds. */
  posted: FormData | null;
};

/** Loads what the customer needs to choose where and how an unpaid purchase is sent. */
export async function loadCheckout(source: Source): Promise<CheckoutData> {
  const { client, purchase, search, posted } = source;
  const [{ shipsFrom, zones }, saved] = await Promise.all([
    client.call('getShipping', {}),
    purchase.shipTo ?? findLastAddress(source),
  ]);
  const countries = listCountries();
  const codes = new Set(zones.filter(({ rates }) => rates.length > 0).flatMap((zone) => zone.countries));
  const start = saved ?? startAddress(source.order, shipsFrom);
  const isOwnPost = posted !== null && getText(posted, 'form') === checkoutForm.name;
  const shipTo = isOwnPost ? readAddress((field) => getText(posted, field), 'shipTo') : moveTo(start, search);
  const isMoved = shipTo.country !== purchase.shipTo?.country || shipTo.postcode !== purchase.shipTo.postcode;
  const rate = isOwnPost
    ? parseChoice(getText(posted, 'rate')).rate
    : ((isMoved ? undefined : purchase.rate) ?? '');
  const quote = await client.call('quotePurchase', {
    params: { id: purchase._id },
    // A field that is too long is reported by the form; it must not make the page fail.
    query: {
      country: isCountry(shipTo.country) ? shipTo.country : '',
      postcode: shipTo.postcode.slice(0, maxPostcode),
      rate: rate.slice(0, 60),
    },
  });
  return {
    shipTo,
    quote,
    countries,
    sentTo: Object.keys(countries).filter((code) => codes.has('*') || codes.has(code)),
    shipsFrom,
    shipToLines: purchase.shipTo ? formatAddress(purchase.shipTo, shipsFrom) : [],
    billToLines: purchase.billTo ? formatAddress(purchase.billTo, shipsFrom) : [],
  };
}

/** Characters, as in the API. */
const maxPostcode = 20;

const startAddress = ({ userName, phone }: Order, country: string): PostalAddress => ({
  ...emptyAddress,
  name: userName,
  country,
  phone,
});

/** Another country has other postcodes and regions. */
function moveTo(address: PostalAddress, search: URLSearchParams): PostalAddress {
  const wanted = search.get('country')?.toUpperCase() ?? '';
  const country = isCountry(wanted) ? wanted : address.country;
  const kept = country === address.country ? address : { ...address, postcode: '', region: '' };
  return {
    ...kept,
    country,
    postcode: search.get('postcode')?.trim().slice(0, maxPostcode) ?? kept.postcode,
  };
}

/** How many earlier purchases are searched for an address. */
const maxEarlier = 3;

/** The address of the customer's newest earlier purchase that has one. */
async function findLastAddress({ client, viewer, purchase }: Source): Promise<PostalAddress | undefined> {
  const orders = await client.call('listOwnOrders', { query: { user: viewer.email, limit: 20 } });
  const withAddress = orders.filter(({ address, purchase: id }) => address !== '' && id !== purchase._id);
  const earlier = new Map(withAddress.map((order) => [order.purchase, order._id]));
  for (const id of [...earlier.values()].slice(0, maxEarlier)) {
    const { shipTo } = await client.call('getOrder', { params: { id } });
    if (shipTo) return shipTo;
  }
  return undefined;
}
