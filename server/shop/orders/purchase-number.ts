import { randomInt } from 'node:crypto';

/** Crockford's base32: no I, L, O or U, which are misread or spell words (https://www.crockford.com/base32.html). */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A random purchase number, such as `K7QD-2M4X`. */
export function makePurchaseNumber(): string {
  const characters = Array.from({ length: 8 }, () => alphabet.charAt(randomInt(32))).join('');
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}

/** The number that a person typed, in any case, with or without the hyphen, or undefined if it is none. */
export function parsePurchaseNumber(text: string): string | undefined {
  const characters = text.trim().toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1').replace('-', '');
  if (!/^[0-9A-HJKMNP-TV-Z]{8}$/.test(characters)) return undefined;
  return `${characters.slice(0, 4)}-${characters.slice(4)}`;
}
