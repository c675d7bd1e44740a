// Without Zod, because pages use it.

import type { Rate, Shipping, Zone } from './shipping-rates.ts';

/** The value of a digit of any script: the digits of a script follow each other, from 0 on. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/**
 * A postcode without spaces and hyphens, in capital letters and ASCII digits: postcodes are compared in this form. Full-width
 * letters and Arabic or Bengali digits are converted.
 */
export const foldPostcode = (postcode: string): string =>
  postcode
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/\p{Nd}/gu, (digit) => (/[0-9]/.test(digit) ? digit : toAsciiDigit(digit)));

/** Whether customers choose and pay for delivery: an admin has entered a rate. */
export const isDeliverySetUp = ({ zones }: { zones: readonly { rates: readonly unknown[] }[] }): boolean =>
  zones.some(({ rates }) => rates.length > 0);

/**
 * Whether the rates are amounts in this currency. If the shop has changed its currency, an admin has to enter them again. Until
 * then, nothing is offered, because the same number in another currency is a wrong price.
 */
export const isPricedIn = ({ currency }: Pick<Shipping, 'currency'>, charged: string): boolean =>
  currency === undefined || currency === charged;

/** A country, whose rates may depend on the postcode. */
type Place = { country: string; postcode: string };

export const hasPostcodes = (zones: readonly Zone[], country: string): boolean =>
  zones.some(({ countries, postcodes = [] }) => postcodes.length > 0 && countries.includes(country));

/** The zone with the longest matching beginning of the postcode; otherwise the country's; otherwise the rest of the world's. */
export function findZone(zones: readonly Zone[], { country, postcode }: Place): Zone | undefined {
  const starts = createMatcher(country, foldPostcode(postcode));
  let best: Zone | undefined;
  let length = 0;
  for (const zone of zones) {
    if (!zone.countries.includes(country)) continue;
    for (const prefix of zone.postcodes ?? [])
      if (prefix.length > length && starts(prefix)) {
        best = zone;
        length = prefix.length;
      }
  }
  const findRest = (code: string) =>
    zones.find(({ countries, postcodes = [] }) => postcodes.length === 0 && countries.includes(code));
  return best ?? findRest(country) ?? findRest('*');
}

/**
 * The zones with rates that an address in this country can be in: first the zone without postcodes, then those with postcodes. If
 * there are none, the shop does not deliver there: no other zone replaces a zone without rates.
 */
export function listServedZones(zones: readonly Zone[], country: string): Zone[] {
  const rest = findZone(zones, { country, postcode: '' });
  const byPostcode = zones.filter(
    ({ countries, postcodes = [] }) => postcodes.length > 0 && countries.includes(country),
  );
  return [...(rest ? [rest] : []), ...byPostcode].filter(({ rates }) => rates.length > 0);
}

/** Whether at least a part of this country has rates. */
export const isServed = (zones: readonly Zone[], country: string): boolean =>
  listServedZones(zones, country).length > 0;

/**
 * A British postcode ends with three characters that are not part of its district: PA2 0AA is in the district PA2, so it does not
 * begin with PA20.
 */
function createMatcher(country: string, folded: string): (prefix: string) => boolean {
  const district = country === 'GB' && folded.length > 4 ? folded.slice(0, -3) : folded;
  return (prefix) => (prefix.length > 4 ? folded : district).startsWith(prefix);
}

/** The price of the goods that are sent, as on the wire, and their weight in grams. */
type Parcel = { goods: number; weight: number };

/** Whether a rate's limits include this parcel. */
export function isWithinLimits(
  { by, from = 0, to = Number.POSITIVE_INFINITY }: Rate,
  { goods, weight }: Parcel,
): boolean {
  const value = by === 'weight' ? weight : goods;
  return by === 'flat' || (from <= value && value < to);
}

/** The price of a rate for goods of this price. All are amounts on the wire. */
export const priceRate = ({ price, freeFrom }: Rate, goods: number): number =>
  freeFrom !== undefined && goods >= freeFrom ? 0 : price;

/** Whether the zone's rates by weight all end below this weight. */
export function isTooHeavy(zone: Zone | undefined, weight: number): boolean {
  const limits = (zone?.rates ?? []).filter(({ by }) => by === 'weight').map(({ to }) => to);
  return limits.length > 0 && limits.every((to) => to !== undefined && to <= weight);
}
