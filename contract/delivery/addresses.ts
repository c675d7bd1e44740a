import { z } from 'zod';
import { optionalText, singleLineRule } from '../fields.ts';
import { isCountry } from './countries.ts';

const line = (label: string, max: number) => optionalText(label, max).refine(...singleLineRule(label));

export const country = z
  .string('Country is Required')
  .trim()
  .toUpperCase()
  .refine(isCountry, 'Country must be a code of two letters, such as GB')
  .describe('ISO 3166-1 alpha-2.');

/** Whether anything is missing depends on the country and on the rate (`findMissing`): a parcel that is collected needs only a name. */
export const postalAddress = z.object({
  name: line('Name', 100),
  company: line('Company', 100),
  line1: line('Address', 150),
  line2: line('Address, second line', 150),
  postcode: line('Postcode', 20).describe('Never rejected because of its form.'),
  city: line('City', 100),
  region: line('Region', 100).describe(
    'A state, province or county, where the country’s addresses have one.',
  ),
  country,
  phone: line('Phone', 50),
});
