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

/** A customer's address book has at most this many addresses. */
export const maxAddresses = 10;

/** The longest texts, in characters. */
export const addressLengths: Record<Exclude<AddressField, 'country'>, number> = {
  name: 100,
  company: 100,
  line1: 150,
  line2: 150,
  postcode: 20,
  city: 100,
  region: 100,
  phone: 50,
};

export const addressFields: readonly AddressField[] = [
  'country',
  'name',
  'company',
  'line1',
  'line2',
  'postcode',
  'city',
  'region',
  'phone',
];

/** Reads an address from the fields of a form, without the texts of fields that the country's addresses do not have. */
export function readAddress(read: (field: AddressField) => string): PostalAddress {
  const part = (field: AddressField) => read(field).trim();
  const country = part('country');
  const local = listLocalFields(country);
  const localPart = (field: LocalField) => (local.includes(field) ? part(field) : '');
  return {
    name: part('name'),
    company: part('company'),
    line1: localPart('line1'),
    line2: localPart('line2'),
    postcode: localPart('postcode'),
    city: localPart('city'),
    region: localPart('region'),
    country,
    phone: part('phone'),
  };
}

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
  const text = toLines({ ...emptyAddress, ...markers, country }, 'local').join('');
  const fields = (Object.keys(markers) as LocalField[])
    .filter((field) => text.includes(markers[field]))
    .sort((one, other) => text.indexOf(markers[one]) - text.indexOf(markers[other]));
  // A stranger's text that is no country does not stay in memory.
  if (isCountry(country)) layouts.set(country, fields);
  return fields;
}

type Script = 'local' | 'latin';

/** Addresses in Latin letters have another order than those in the country's own script, for example in China. */
const findScript = ({ name, line1, line2, city, region }: PostalAddress): Script =>
  /(?=\p{L})\P{Script=Latin}/u.test([name, line1, line2, city, region].join('')) ? 'local' : 'latin';

/**
 * Countries whose layout in the library has no place for a field, with a country that has the right one: Ivorian addresses have no
 * sorting code, and Japanese ones have a city.
 */
const sameLayouts: Record<string, string> = { CI: 'CM', JP: 'TW' };

/** The lines of an address in its country's layout, without the fields that the layout does not have. */
function toLines(address: PostalAddress, script: Script): string[] {
  const { name, company, line1, line2, city, region, country } = address;
  const postcode = address.postcode && removePrefix(country, address.postcode);
  const lines = formatLines(
    {
      postalCountry: sameLayouts[country] ?? country,
      name,
      organization: company,
      addressLines: [line1, line2].filter(Boolean),
      postalCode: country === 'JP' && script === 'local' && postcode !== '' ? `〒${postcode}` : postcode,
      locality: city,
      // The library writes them as one word.
      administrativeArea: country === 'MZ' && city !== '' && region !== '' ? `, ${region}` : region,
    },
    script,
  );
  // Guinea's layout starts lines with spaces.
  return lines.map((line) => line.trim());
}

/** The prefix that a country's layout prints before the postcode, without hyphens and spaces. */
const prefixes: Record<string, string> = {
  AX: 'AX',
  AZ: 'AZ',
  CH: 'CH',
  FI: 'FI',
  FO: 'FO',
  HR: 'HR',
  HT: 'HT',
  JP: '〒',
  LI: 'FL',
  LT: 'LT',
  LU: 'L',
  MC: 'MC',
  MD: 'MD',
  SE: 'SE',
  SG: 'SINGAPORE',
  SI: 'SI',
};

/** A postcode without the prefix that its country's layout prints, if the customer has typed it: `LT-01100` is `01100`. */
export function removePrefix(country: string, postcode: string): string {
  const typed = postcode.trim().toUpperCase();
  for (const prefix of [prefixes[country], country]) {
    if (!prefix || !prefixes[country] || !typed.startsWith(prefix)) continue;
    const rest = typed.slice(prefix.length).replace(/^[\s-]+/, '');
    if (/^\p{Nd}/u.test(rest)) return rest;
  }
  return postcode;
}

/**
 * The lines of an address in its country's layout. A field that the layout does not have follows on a line of its own. The name of
 * the country, in capital letters as the Universal Postal Union asks, is the last line unless the parcel is sent from `from`, the
 * same country.
 */
export function formatAddress(address: PostalAddress, from?: string): string[] {
  const fields = listLocalFields(address.country);
  const lines = toLines(address, findScript(address));
  for (const field of ['city', 'region', 'postcode'] as const)
    if (address[field] !== '' && !fields.includes(field)) lines.push(address[field]);
  const country = nameCountry(address.country).toUpperCase();
  // The layouts of the Channel Islands have their name before the postcode.
  const rest = lines.filter((line) => line.toUpperCase() !== country);
  return address.country === from ? lines : [...rest, country];
}

/** Countries in which every address has a postcode. Elsewhere, such as in Ireland, addresses without one arrive. */
const withPostcode = new Set(
  (
    'AT AU BE BG BR CA CH CY CZ DE DK EE ES FI FR GB GR HR HU IN IT JP KR LI LT LU LV NL NO NZ PL PR PT ' +
    'SE SG SI SK US'
  ).split(' '),
);
/** Countries in which every address has a state or province. */
const withRegion = new Set(['AU', 'CA', 'US']);

/** The British forces' post offices have a number in place of a town and a postcode. */
const isForcesAddress = (address: PostalAddress): boolean =>
  address.country === 'GB' && /\bBFPO\b/i.test(Object.values(address).join('\n'));

/** The missing parts of an address, as messages by field. The form of a postcode is never checked. */
export function findMissing(address: PostalAddress): { field: AddressField; message: string }[] {
  const { country } = address;
  const fields = listLocalFields(country);
  // Hong Kong has districts, and the United Arab Emirates have emirates, where other countries have cities.
  const place = (['city', 'region'] as const).filter((field) => fields.includes(field));
  const [first] = place;
  const required = new Set<AddressField>(['name', 'line1']);
  if (first && place.every((field) => address[field] === '')) required.add(first);
  if (withRegion.has(country)) required.add('city').add('region');
  if (withPostcode.has(country)) required.add('postcode');
  if (isForcesAddress(address)) for (const field of ['city', 'postcode'] as const) required.delete(field);
  return (['name', ...fields] as const)
    .filter((field) => required.has(field) && address[field] === '')
    .map((field) => ({ field, message: `${labelField(field, country)} is Required` }));
}

/** Shapes of postcodes, with 0 for a digit and A for a letter, and the countries that have them. */
const postcodeShapes: Record<string, string> = {
  '0000': 'AT AU BE CH DK HU LU NO NZ',
  '00000': 'DE ES FI FR IT PL SE US',
  '000000': 'IN SG',
  '0000000': 'JP PT',
  '000000000': 'US',
  '0000AA': 'NL',
  A0A0A0: 'CA',
  A00AA: 'GB',
  A000AA: 'GB',
  AA00AA: 'GB',
  AA000AA: 'GB',
  A0A0AA: 'GB',
  AA0A0AA: 'GB',
};

/** A question about a postcode that does not look like one of its country; undefined if nothing is doubtful. */
export function questionPostcode({ country, postcode }: PostalAddress): string | undefined {
  const shapes = Object.keys(postcodeShapes).filter((shape) => postcodeShapes[shape]?.includes(country));
  const shape = removePrefix(country, postcode)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replace(/\p{Nd}/gu, '0')
    .replace(/\p{L}/gu, 'A');
  const [first] = shapes;
  if (shape === '' || !first || shapes.includes(shape)) return undefined;
  let digit = 0;
  const example = first.replaceAll('0', () => String(++digit));
  return `Is this right? It usually looks like ${example}.`;
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
const postcodeNames: Record<string, string> = {
  'ZIP code': 'PH PR US',
  'PIN code': 'IN',
  'Postal code': 'CA SG',
  Eircode: 'IE',
};
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
