import { type PostalAddress, removePrefix } from '../../../contract/delivery/address-format.ts';
import type { DeliveryEstimate, Quote, QuoteProblem } from '../../../contract/delivery/quotes.ts';
import {
  findZone,
  foldPostcode,
  hasPostcodes,
  isPricedIn,
  isTooHeavy,
  isWithinLimits,
  listServedZones,
  priceRate,
} from '../../../contract/delivery/rates.ts';
import type { Rate, Shipping, Zone } from '../../../contract/delivery/shipping-rates.ts';
import { toMinor, toWire } from '../../config/currency.ts';
import { type ArrivalPromise, promiseDates } from './dates.ts';
import type { DaysOff } from './holidays.ts';

/** A product in the quantity that is to be sent; `total` is in minor units. */
export type QuotedLine = {
  name: string;
  quantity: number;
  total: number;
  weight: number | null;
  not_to: string | null;
};

/** Whether a product is sent to a country. */
export const isSentTo = ({ not_to }: Pick<QuotedLine, 'not_to'>, country: string): boolean =>
  !not_to?.split(' ').includes(country);

export type Destination = Pick<PostalAddress, 'country' | 'postcode'>;

/** The admin's postcodes have no prefix such as `LT-`. */
export const withoutPrefix = ({ country, postcode }: Destination): Destination => ({
  country,
  postcode: removePrefix(country, postcode),
});

/** The price and the weight that the limits of rates are compared with. */
const weigh = (lines: readonly QuotedLine[], currency: string) => ({
  goods: toWire(
    lines.reduce((sum, { total }) => sum + total, 0),
    currency,
  ),
  weight: lines.reduce((sum, line) => sum + line.quantity * (line.weight ?? 0), 0),
});

/** How many working days a rate takes until the parcel arrives. What is collected never arrives. */
export const promisedDays = ({ days, pickup }: Rate): Rate['days'] =>
  pickup === undefined ? days : undefined;

/** The rates for a parcel and their amounts in minor units, the cheapest first. */
function listRates(rates: readonly Rate[], parcel: ReturnType<typeof weigh>, currency: string) {
  return rates
    .filter((rate) => isWithinLimits(rate, parcel))
    .flatMap((rate) => {
      const amount = toMinor(priceRate(rate, parcel.goods), currency);
      // Rates are checked when they are saved, so this is only for the type.
      return amount === undefined ? [] : [{ rate, amount }];
    })
    .toSorted((one, other) => one.amount - other.amount);
}

/** A rate that applies; `amount` is in minor units. */
export type Offer = { id: string; rate: Rate; amount: number; promise: ArrivalPromise | undefined };

/** `now` is in milliseconds; `daysOff` are those of the shop. */
export type QuoteContext = { currency: string; timeZone: string; daysOff: DaysOff; now: number };

/** All amounts are in minor units. */
export type ComputedQuote = {
  goods: number;
  offers: Offer[];
  chosen: Offer | undefined;
  /** The goods and the chosen rate. */
  total: number;
  problems: QuoteProblem[];
  /** The names of the products that are not sent there. */
  notTo: string[];
  /** The price of the goods, on the wire, from which they would be sent there. */
  minimum: number | undefined;
};

/**
 * Calculates what it costs to send these products. This is the only place that does. `rate` is the id of the chosen rate; '' before
 * one is chosen.
 */
export function computeQuote(
  { currency, timeZone, daysOff, now }: QuoteContext,
  shipping: Shipping,
  lines: readonly QuotedLine[],
  { country, postcode }: Destination,
  rate = '',
): ComputedQuote {
  const goods = lines.reduce((sum, { total }) => sum + total, 0);
  const notTo = lines.filter((line) => !isSentTo(line, country)).map(({ name }) => name);
  const nothing = { goods, offers: [], chosen: undefined, total: goods, notTo, minimum: undefined };
  if (country === '') return { ...nothing, problems: ['address'] };
  if (!isPricedIn(shipping, currency)) return { ...nothing, problems: ['other_currency'] };
  if (foldPostcode(postcode) === '' && hasPostcodes(shipping.zones, country))
    return { ...nothing, problems: ['postcode'] };
  const place = withoutPrefix({ country, postcode });
  const zone = findZone(shipping.zones, place);
  const parcel = weigh(lines, currency);
  const calendar = { ...shipping, timeZone, daysOff };
  const promises = new Map<string, ArrivalPromise | undefined>();
  const findPromise = (days: NonNullable<Rate['days']>) =>
    promises.getOrInsertComputed(days.join(), () => promiseDates(calendar, days, now));
  const offers = listRates(zone?.rates ?? [], parcel, currency).map(({ rate, amount }): Offer => {
    const days = promisedDays(rate);
    return { id: rate._id ?? '', rate, amount, promise: days && findPromise(days) };
  });
  const chosen = offers.find(({ id }) => id === rate);
  const problems: QuoteProblem[] = [];
  if (notTo.length > 0) problems.push('not_to');
  if (offers.length === 0) problems.push(isTooHeavy(zone, parcel.weight) ? 'too_heavy' : 'no_rate');
  else if (rate !== '' && !chosen) problems.push('rate_gone');
  const minimum = problems.includes('no_rate') ? findMinimum(zone, parcel.goods) : undefined;
  return { goods, offers, chosen, total: goods + (chosen?.amount ?? 0), problems, notTo, minimum };
}

/** The lowest price of the goods, on the wire, from which one of the zone's rates applies. */
function findMinimum(zone: Zone | undefined, goods: number): number | undefined {
  const bounds = (zone?.rates ?? []).flatMap(({ by, from = 0 }) =>
    by === 'total' && from > goods ? [from] : [],
  );
  return bounds.length > 0 ? Math.min(...bounds) : undefined;
}

/** The least that delivery to a country costs, for pages that show it before the customer has entered a postcode. */
export function estimateDelivery(
  currency: string,
  shipping: Shipping,
  lines: readonly QuotedLine[],
  country: string,
): DeliveryEstimate {
  const { zones } = shipping;
  if (!isPricedIn(shipping, currency) || !lines.every((line) => isSentTo(line, country))) return { country };
  const rest = findZone(zones, { country, postcode: '' });
  // If nothing is sent to the rest of the country, its zones by postcode are all there is.
  const rates = rest?.rates.length
    ? rest.rates
    : listServedZones(zones, country).flatMap((zone) => zone.rates);
  const offers = listRates(rates, weigh(lines, currency), currency);
  const cheapest = offers.find(({ rate }) => !rate.pickup);
  return {
    country,
    ...(cheapest ? { price: toWire(cheapest.amount, currency) } : {}),
    ...(hasPostcodes(zones, country) ? { from: true } : {}),
    ...(offers.some(({ rate }) => rate.pickup) ? { pickup: true } : {}),
  };
}

export function toQuote(
  { goods, offers, chosen, total, problems, notTo, minimum }: ComputedQuote,
  currency: string,
): Quote {
  return {
    goods: toWire(goods, currency),
    charges: chosen
      ? [{ kind: 'delivery', label: chosen.rate.name, amount: toWire(chosen.amount, currency) }]
      : [],
    price: toWire(total, currency),
    currency,
    rates: offers.map(({ id, rate, amount, promise }) => ({
      _id: id,
      name: rate.name,
      price: toWire(amount, currency),
      ...(promise ? { from: promise.from, to: promise.to } : {}),
      ...(rate.pickup ? { pickup: rate.pickup } : {}),
    })),
    problems,
    ...(notTo.length > 0 ? { notTo } : {}),
    ...(minimum === undefined ? {} : { minimum }),
  };
}
