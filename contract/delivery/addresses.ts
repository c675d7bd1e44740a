import { z } from 'zod';
import { optionalText, singleLineRule } from '../fields.ts';
import { addressLengths } from './address-format.ts';
import { isCountry } from './countries.ts';

const line = (label: string, field: keyof typeof addressLengths) =>
  optionalText(label, addressLengths[field]).refine(...singleLineRule(label));

export const country = z
  .string('Country is Required')
  .trim()
  .toUpperCase()
  .refine(isCountry, 'Country must be a code of two letters, such as GB')
  .describe('ISO 3166-1 alpha-2.');

/** Missing parts are checked by `findMissing`: they depend on the country and the rate. An order to collect needs only a name. */
export const postalAddress = z.object({
  name: line('Name', 'name'),
  company: line('Company', 'company'),
  line1: line('Address', 'line1'),
  line2: line('Address, second line', 'line2'),
  postcode: line('Postcode', 'postcode').describe('Never rejected because of its form.'),
  city: line('City', 'city'),
  region: line('Region', 'region').describe(
    'A state, province or county, where the country’s addresses have one.',
  ),
  country,
  phone: line('Phone', 'phone'),
});
