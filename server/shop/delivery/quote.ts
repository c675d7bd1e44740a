import type { PostalAddress } from '../../../contract/delivery/address-format.ts';
import type { Quote, QuoteProblem } from '../../../contract/delivery/quotes.ts';
import {
  findZone,
  foldPostcode,
  hasPostcodes,
  isTooHeavy,
  isWithinLimits,
  priceRate,
} from '../../../contract/delivery/rates.ts';
import type { Rate, Shipping } from '../../../contract/delivery/shipping-rates.ts';
import { toMinor, toWire } from '../../config/currency.ts';
import { type ArrivalPromise, promiseDates } from './dates.ts';
import type { IsHoliday } from './holidays.ts';

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

/** A rate that applies; `amount` is in minor units. */
export type Offer = { id: string; rate: Rate; amount: number; promise: ArrivalPromise | undefined };

/** `now` is in milliseconds; `isHoliday` is that of the shop's region. */
export type QuoteContext = { currency: string; timeZone: string; isHoliday: IsHoliday; now: number };

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
};

/**
 * Calculates what it costs to send these products. This is the only place that does. `rate` is the id of the chosen rate; '' before
 * one is chosen.
 */
export function computeQuote(
  { currency, timeZone, isHoliday, now }: QuoteContext,
  shipping: Shipping,
  lines: readonly QuotedLine[],
  { country, postcode }: Destination,
  rate = '',
): ComputedQuote {
  const goods = lines.reduce((sum, { total }) => sum + total, 0);
  const weight = lines.reduce((sum, line) => sum + line.quantity * (line.weight ?? 0), 0);
  const notTo = lines.filter((line) => !isSentTo(line, country)).map(({ name }) => name);
  const nothing = { goods, offers: [], chosen: undefined, total: goods, notTo };
  if (country === '') return { ...nothing, problems: ['address'] };
  if (foldPostcode(postcode) === '' && hasPostcodes(shipping.zones, country))
    return { ...nothing, problems: ['postcode'] };
  const zone = findZone(shipping.zones, { country, postcode });
  const parcel = { goods: toWire(goods, currency), weight };
  const calendar = { ...shipping, timeZone, isHoliday };
  const promises = new Map<string, ArrivalPromise | undefined>();
  const findPromise = (days: NonNullable<Rate['days']>) =>
    promises.getOrInsertComputed(days.join(), () => promiseDates(calendar, days, now));
  const offers = (zone?.rates ?? [])
    .filter((rate) => isWithinLimits(rate, parcel))
    .flatMap((rate): Offer[] => {
      const amount = toMinor(priceRate(rate, parcel.goods), currency);
      // The shop's currency was changed after the rates were saved, and the new one has fewer decimals.
      if (amount === undefined) return [];
      return [{ id: rate._id ?? '', rate, amount, promise: rate.days && findPromise(rate.days) }];
    })
    .toSorted((one, other) => one.amount - other.amount);
  const chosen = offers.find(({ id }) => id === rate);
  const problems: QuoteProblem[] = [];
  if (notTo.length > 0) problems.push('not_to');
  if (offers.length === 0) problems.push(isTooHeavy(zone, weight) ? 'too_heavy' : 'no_rate');
  else if (rate !== '' && !chosen) problems.push('rate_gone');
  return { goods, offers, chosen, total: goods + (chosen?.amount ?? 0), problems, notTo };
}

export function toQuote(
  { goods, offers, chosen, total, problems, notTo }: ComputedQuote,
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
  };
}
