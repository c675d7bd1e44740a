import {
  addressLengths,
  emptyAddress,
  formatAddress,
  maxAddresses,
  type PostalAddress,
  readAddress,
} from '../../../../../contract/delivery/address-format.ts';
import { isCountry, listCountries } from '../../../../../contract/delivery/countries.ts';
import type { Quote } from '../../../../../contract/delivery/quotes.ts';
import { isServed } from '../../../../../contract/delivery/rates.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import type { Client } from '../../../../client/api/client.ts';
import { getText } from '../../../../forms/page-form.ts';
import { type SavedAddress, toSavedAddress } from '../profile/address-book/load-address-book.ts';
import { checkoutForm, parseChoice, steps } from './checkout.ts';

/** The data that the checkout of an unpaid purchase shows. */
export type CheckoutData = {
  /** The address that the form starts with. */
  shipTo: PostalAddress;
  /** An address that the customer has given as one text, with this order or in the profile; '' if it is not needed. */
  typedAddress: string;
  quote: Quote;
  /** The names of all countries by code, in alphabetical order of the names. */
  countries: Record<string, string>;
  /** The codes of the countries to which the shop delivers, in the same order. */
  sentTo: string[];
  shipsFrom: string;
  /** The addresses of the address book to which the shop delivers. */
  addresses: SavedAddress[];
  /** The address book has room for another address. */
  canSaveAddress: boolean;
  /** The addresses of the purchase, in the layout of their countries. */
  shipToLines: string[];
  billToLines: string[];
};

type Source = {
  client: Client;
  viewer: Viewer;
  order: Order;
  purchase: Purchase;
  /** The post to which the page responds. */
  posted: FormData | null;
};

/** Loads what the customer needs to choose where and how an unpaid purchase is sent. */
export async function loadCheckout(source: Source): Promise<CheckoutData> {
  const { client, viewer, order, purchase, posted } = source;
  const [{ shipsFrom, zones }, addressBook, last] = await Promise.all([
    client.call('getShipping', {}),
    client.call('listAddresses', {}),
    purchase.shipTo ?? findLastAddress(source),
  ]);
  const countries = listCountries();
  const sentTo = Object.keys(countries).filter((code) => isServed(zones, code));
  const addresses = addressBook
    .filter(({ country }) => sentTo.includes(country))
    .map((address) => toSavedAddress(address, shipsFrom));
  const known = last ?? addresses[0]?.address;
  const own = posted !== null && getText(posted, 'form') === checkoutForm.name ? posted : undefined;
  const shipTo =
    (own && readPosted(own, addresses)) ?? known ?? startAddress(order, { viewer, country: shipsFrom });
  const rate = own ? parseChoice(getText(own, 'rate')).rate : (purchase.rate ?? '');
  const quote = await client.call('quotePurchase', {
    params: { id: purchase._id },
    // A field that is too long is reported by the form; it must not make the page fail.
    query: {
      country: isCountry(shipTo.country) ? shipTo.country : '',
      postcode: shipTo.postcode.slice(0, addressLengths.postcode),
      rate: rate.slice(0, 60),
    },
  });
  return {
    shipTo,
    typedAddress: purchase.shipTo ? '' : order.address || (known ? '' : viewer.address),
    quote,
    countries,
    sentTo,
    shipsFrom,
    addresses,
    canSaveAddress: addressBook.length < maxAddresses,
    shipToLines: purchase.shipTo ? formatAddress(purchase.shipTo, shipsFrom) : [],
    billToLines: purchase.billTo ? formatAddress(purchase.billTo, shipsFrom) : [],
  };
}

/** The posted address or, after the step `savedAddress`, the chosen one of the address book. */
function readPosted(posted: FormData, addresses: readonly SavedAddress[]): PostalAddress {
  const chosen =
    getText(posted, 'step') === steps.savedAddress &&
    addresses.find(({ _id }) => _id === getText(posted, 'savedAddress'));
  return chosen ? chosen.address : readAddress((field) => getText(posted, `shipTo.${field}`));
}

const startAddress = (
  { userName, phone }: Order,
  { viewer, country }: { viewer: Viewer; country: string },
): PostalAddress => ({
  ...emptyAddress,
  name: userName,
  country,
  phone: phone || viewer.phone,
});

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
