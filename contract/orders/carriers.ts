import { hasFedExCheckDigit, hasGs1CheckDigit, sumWeighted, toDigits } from './check-digits.ts';
import { readTrackingNumber } from './scanned-codes.ts';

/**
 * The carriers whose tracking links the shop generates, and how their numbers are recognized. The server and the pages share
 * this table. The check digits are documented in https://github.com/jkeen/tracking_number_data (UPS, FedEx, USPS, DHL),
 * the GS1 General Specifications 7.9 (mod 10), UPU standard S10 and DPD's parcel label specification (ISO 7064 mod 37,36).
 * All patterns have a fixed length, so matching is linear.
 */
type Carrier = {
  name: string;
  /** The tracking page, without the number at its end. */
  link: string;
  /** Matches a number without spaces and hyphens, in upper case. Absent if other carriers' numbers look the same. */
  recognizes?: (number: string) => boolean;
  /** Matches numbers that only this carrier uses, whatever their check digit. */
  pattern?: RegExp;
};

export const carriers: readonly Carrier[] = [
  {
    name: 'UPS',
    link: 'https://www.ups.com/track?tracknum=',
    recognizes: (number) => /^1Z[0-9A-Z]{15}\d$/.test(number) && hasUpsCheckDigit(number),
    pattern: /^1Z[0-9A-Z]{16}$/,
  },
  {
    name: 'USPS',
    link: 'https://tools.usps.com/go/TrackConfirmAction?tLabels=',
    recognizes: (number) =>
      (/^(9[1-5]\d{20}|7\d{19}|03\d{18})$/.test(number) && hasGs1CheckDigit(number)) ||
      isPostalNumber(number, 'US'),
    pattern: /^(9[1-5]\d{20}|[A-Z]{2}\d{9}US)$/,
  },
  {
    name: 'FedEx',
    link: 'https://www.fedex.com/fedextrack/?trknbr=',
    recognizes: (number) =>
      (/^\d{12}$/.test(number) && hasFedExCheckDigit(number)) ||
      (/^\d{15}$/.test(number) && hasGs1CheckDigit(number)) ||
      (/^96\d{20}$/.test(number) && hasGs1CheckDigit(number.slice(7))),
  },
  {
    name: 'DHL',
    link: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id=',
    recognizes: (number) =>
      (/^\d{10,11}$/.test(number) && Number(number.slice(0, -1)) % 7 === Number(number.at(-1))) ||
      (/^00340434\d{12}$/.test(number) && hasGs1CheckDigit(number)) ||
      /^JJ?D\d{16,20}$/.test(number) ||
      isPostalNumber(number, 'DE'),
    pattern: /^[A-Z]{2}\d{9}DE$/,
  },
  {
    name: 'Royal Mail',
    link: 'https://www.royalmail.com/track-your-item#/tracking-results/',
    recognizes: (number) => isPostalNumber(number, 'GB'),
    pattern: /^[A-Z]{2}\d{9}GB$/,
  },
  {
    name: 'DPD',
    link: 'https://tracking.dpd.de/status/en_US/parcel/',
    // The check character is printed on the label, but often left out.
    recognizes: (number) =>
      /^\d{14}$/.test(number) || (/^\d{14}[0-9A-Z]$/.test(number) && hasDpdCheckCharacter(number)),
  },
  { name: 'GLS', link: 'https://gls-group.com/GROUP/en/parcel-tracking?match=' },
  { name: 'Evri', link: 'https://www.evri.com/track/parcel/' },
  {
    name: 'La Poste',
    link: 'https://www.laposte.fr/outils/suivre-vos-envois?code=',
    recognizes: (number) => isPostalNumber(number, 'FR'),
    pattern: /^[A-Z]{2}\d{9}FR$/,
  },
  {
    name: 'Canada Post',
    link: 'https://www.canadapost-postescanada.ca/track-reperage/en#/search?searchFor=',
    recognizes: (number) =>
      (/^\d{16}$/.test(number) && hasGs1CheckDigit(number)) || isPostalNumber(number, 'CA'),
    pattern: /^[A-Z]{2}\d{9}CA$/,
  },
];

/** The name of the carrier that has such numbers. Undefined if no carrier has them, or more than one. */
export function guessCarrier(trackingNumber: string): string | undefined {
  const number = normalize(trackingNumber);
  const [match, ...others] = carriers.filter(({ recognizes }) => recognizes?.(number));
  return others.length === 0 ? match?.name : undefined;
}

/** The only carrier that uses such numbers, if the check digit is wrong. Undefined if there is any doubt. */
export function findMistypedCarrier(trackingNumber: string): string | undefined {
  const number = normalize(trackingNumber);
  if (carriers.some(({ recognizes }) => recognizes?.(number))) return undefined;
  return carriers.find(({ pattern }) => pattern?.test(number))?.name;
}

/** The number in a typed text or scanned code, without spaces and hyphens, in upper case; empty if the text is too long. */
const normalize = (trackingNumber: string): string =>
  trackingNumber.length > 60 ? '' : readTrackingNumber(trackingNumber).replaceAll('-', '').toUpperCase();

/** A known carrier by its name in any case. */
export function findCarrier(name: string): Carrier | undefined {
  const wanted = name.trim().toLowerCase();
  return carriers.find((carrier) => carrier.name.toLowerCase() === wanted);
}

/** The page on which a known carrier shows where a parcel is. */
export function createTrackingUrl(carrierName: string, trackingNumber: string): string | undefined {
  const carrier = findCarrier(carrierName);
  return carrier && carrier.link + encodeURIComponent(trackingNumber);
}

/** Mod 10 of the characters after 1Z; A counts 2, B 3, and so on. */
function hasUpsCheckDigit(number: string): boolean {
  const values = [...number.slice(2, -1)].map((character) =>
    /\d/.test(character) ? Number(character) : (character.charCodeAt(0) - 3) % 10,
  );
  return (sumWeighted(values, [1, 2]) + Number(number.at(-1))) % 10 === 0;
}

/** UPU S10: two letters, eight digits, a check digit and the country of the post. */
function isPostalNumber(number: string, country: string): boolean {
  if (!/^[A-Z]{2}\d{9}[A-Z]{2}$/.test(number) || !number.endsWith(country)) return false;
  const rest = 11 - (sumWeighted(toDigits(number.slice(2, 10)), [8, 6, 4, 2, 3, 5, 9, 7]) % 11);
  const check = rest === 10 ? 0 : rest === 11 ? 5 : rest;
  return check === Number(number.charAt(10));
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** ISO 7064 mod 37,36. */
function hasDpdCheckCharacter(number: string): boolean {
  let product = 36;
  for (const character of number.slice(0, -1)) {
    const sum = (product + alphabet.indexOf(character)) % 36 || 36;
    product = (sum * 2) % 37;
  }
  return (product + alphabet.indexOf(number.charAt(14))) % 36 === 1;
}
