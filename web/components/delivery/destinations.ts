import { listCountries } from '../../../contract/delivery/countries.ts';
import { isServed } from '../../../contract/delivery/rates.ts';
import type { Zone } from '../../../contract/delivery/shipping-rates.ts';

/** The names of the countries by code, in alphabetical order: those to which the shop delivers, and the others. */
export function listDestinations(zones: readonly Zone[]): [Record<string, string>, Record<string, string>] {
  const all = Object.entries(listCountries());
  return [
    Object.fromEntries(all.filter(([code]) => isServed(zones, code))),
    Object.fromEntries(all.filter(([code]) => !isServed(zones, code))),
  ];
}

const maxNames = 8;

/** Where the shop delivers, as a sentence; '' if it delivers everywhere. */
export function describeDestinations(zones: readonly Zone[]): string {
  const [served, others] = listDestinations(zones).map((countries) => Object.values(countries));
  const join = (names: string[] = []) => new Intl.ListFormat('en').format(names);
  if (!others?.length) return '';
  if (others.length <= maxNames) return `We deliver to all countries except ${join(others)}.`;
  if (served && served.length <= maxNames) return `We deliver only to ${join(served)}.`;
  return `We deliver to ${served?.length} countries.`;
}
