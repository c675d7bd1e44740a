import { formatAddress as formatLines } from 'localized-address-format';
import { isCountry, nameCountry } from './countries.ts';

// Without Zod, because pages use it.

/** A postal address. '' is an empty field. */
export type PostalAddress = {
  name: string;
  company: string;
  line1: string;
  line2: string;
  postcode: string;
  city: string;
  region: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  phone: string;
};

export type AddressField = keyof PostalAddress;

/** The parts of an address whose order and use depend on the country. */
type LocalField = 'line1' | 'line2' | 'postcode' | 'city' | 'region';

export const emptyAddress: PostalAddress = {
  name: '',
  company: '',
  line1: '',
  line2: '',
  postcode: '',
  city: '',
  region: '',
  country: '',
  phone: '',
};

/** Markers in place of the fields, to find out where a country's layout has them. */
const markers: Record<LocalField, string> = {
  line1: '\u0001',
  line2: '\u0002',
  postcode: '\u0003',
  city: '\u0004',
  region: '\u0005',
};

const layouts = new Map<string, LocalField[]>();

/**
 * The fields that an address in a country has besides name, company and phone, in the order in which they are written there. The
 * layouts are those of the library `localized-address-format`, which has them from Google's address data.
 */
export function listLocalFields(country: string): readonly LocalField[] {
  const known = layouts.get(country);
  if (known) return known;
  const text = toLines({ ...emptyAddress, ...markers, country }).join('');
  const fields = (Object.keys(markers) as LocalField[])
    .filter((field) => text.includes(markers[field]))
    .sort((one, other) => text.indexOf(markers[one]) - text.indexOf(markers[other]));
  // A stranger's text that is no country does not stay in memory.
  if (isCountry(country)) layouts.set(country, fields);
  return fields;
}

const toLines = ({ name, company, line1, line2, postcode, city, region, country }: PostalAddress) =>
  formatLines({
    postalCountry: country,
    name,
    organization: company,
    addressLines: [line1, line2].filter(Boolean),
    postalCode: postcode,
    locality: city,
    administrativeArea: region,
  });

/**
 * The lines of an address in its country's layout. A field that the layout does not have follows on a line of its own. The name of
 * the country, in capital letters as the Universal Postal Union asks, is the last line unless the parcel is sent from `from`, the
 * same country.
 */
export function formatAddress(address: PostalAddress, from?: string): string[] {
  const fields = listLocalFields(address.country);
  const lines = toLines(address);
  for (const field of ['city', 'region', 'postcode'] as const)
    if (address[field] !== '' && !fields.includes(field)) lines.push(address[field]);
  return address.country === from ? lines : [...lines, nameCountry(address.country).toUpperCase()];
}

/** The missing parts of an address, as messages by field. A postcode of an unknown form is no error. */
export function findMissing(address: PostalAddress): { field: AddressField; message: string }[] {
  const fields = listLocalFields(address.country);
  const missing: { field: AddressField; message: string }[] = [];
  if (address.name === '') missing.push({ field: 'name', message: 'Name is Required' });
  if (address.line1 === '') missing.push({ field: 'line1', message: 'Address is Required' });
  // Hong Kong has districts, and the United Arab Emirates have emirates, where other countries have cities.
  const place = (['city', 'region'] as const).filter((field) => fields.includes(field));
  const [first] = place;
  if (first && place.every((field) => address[field] === ''))
    missing.push({ field: first, message: `${labelField(first, address.country)} is Required` });
  return missing;
}

/*
 * The words of the countries, as Google's address data names them (`state_name_type`, `zip_name_type`, `locality_name_type`):
 * https://github.com/google/libaddressinput/wiki/AddressValidationMetadata
 */
const regionNames: Record<string, string> = {
  State: 'AU BR IN MX MY NG US VE',
  Province: 'AR CA CN CR CU DO EC ES ID IT KH KR LA PA PG PH TH TR VN ZA',
  Prefecture: 'JP',
  County: 'EE GB HR IE KE NO RO SE TW',
  Emirate: 'AE',
  Parish: 'BB JM AD',
  Island: 'BS CV KN KY PF TV',
  Department: 'CO HN NI SV UY',
  Oblast: 'RU UA',
  Area: 'HK',
};
const postcodeNames: Record<string, string> = { 'ZIP code': 'PH PR US', 'PIN code': 'IN', Eircode: 'IE' };
const cityNames: Record<string, string> = {
  'Town or city': 'GB GG IM JE IE',
  Suburb: 'AU NZ',
  District: 'HK',
};

const findName = (names: Record<string, string>, country: string): string | undefined =>
  Object.keys(names).find((name) => names[name]?.split(' ').includes(country));

/** The label of a field, in the words of the country. */
export function labelField(field: AddressField, country: string): string {
  switch (field) {
    case 'name':
      return 'Name';
    case 'company':
      return 'Company';
    case 'line1':
      return 'Address';
    case 'line2':
      return 'Address, second line';
    case 'postcode':
      return findName(postcodeNames, country) ?? 'Postcode';
    case 'city':
      return findName(cityNames, country) ?? 'City';
    case 'region':
      return findName(regionNames, country) ?? 'Region';
    case 'country':
      return 'Country';
    case 'phone':
      return 'Phone';
  }
}

/** The tokens with which browsers fill in the fields: https://html.spec.whatwg.org/#autofill-field */
export const autocompleteTokens: Record<AddressField, string> = {
  name: 'name',
  company: 'organization',
  line1: 'address-line1',
  line2: 'address-line2',
  postcode: 'postal-code',
  city: 'address-level2',
  region: 'address-level1',
  country: 'country',
  phone: 'tel',
};
