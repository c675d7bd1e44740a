/** Crockford's base32, without I, L, O and U, which are misread or spell words (https://www.crockford.com/base32.html). */
export const numberAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Parses a purchase number, in any case, with or without spaces, dashes and a leading "Order" or `#`. */
export function parsePurchaseNumber(text: string): string | undefined {
  const characters = removeSeparators(text).replaceAll('O', '0').replace(/[IL]/g, '1');
  if (!/^[0-9A-HJKMNP-TV-Z]{8}$/.test(characters)) return undefined;
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}

/** Dashes of all kinds, and the minus sign. */
const separator = String.raw`[\s\p{Pd}\u2212]`;

/** Only the fourth character may be followed by separators: "3 mm" is not the start of a number. */
const numberStart = new RegExp(
  String.raw`^(?:order\s)?\s*#?\s*(?:[a-z\d]{1,3}|[a-z\d]{4}${separator}*[a-z\d]{0,4})$`,
  'iu',
);
const separators = new RegExp(String.raw`^(?:ORDER\s+)?#?|${separator}`, 'gu');

/**
 * Parses the start of a purchase number. Returns the first and the last number that start with it. Letters alone are
 * likely to be a word, so a prefix without a digit needs four characters.
 */
export function parseNumberPrefix(text: string): { first: string; last: string } | undefined {
  if (!numberStart.test(text.trim())) return undefined;
  const characters = removeSeparators(text);
  if (!/\d|^.{4}/.test(characters)) return undefined;
  const first = parsePurchaseNumber(characters.padEnd(8, '0'));
  const last = parsePurchaseNumber(characters.padEnd(8, 'Z'));
  return first && last ? { first, last } : undefined;
}

const removeSeparators = (text: string): string => text.trim().toUpperCase().replace(separators, '');
