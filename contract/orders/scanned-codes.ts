import { hasFedExCheckDigit, hasGs1CheckDigit } from './check-digits.ts';

/**
 * Reads the printed tracking number from a barcode as a scanner types it; removes the spaces from other text. Barcodes
 * also contain the destination. They are recognized by their fixed length and check digit, so other numbers stay whole.
 *
 * - A scanner may put a symbology identifier before the code, such as `]C1` for GS1-128 (ISO/IEC 15424), and send FNC1 as the
 *   control character GS. The text below a GS1 barcode has parentheses around the application identifiers.
 * - USPS: 420, the ZIP code of five or nine digits, and the number of 20, 22 or 26 (Publication 199, Intelligent Mail Package
 *   Barcode).
 * - FedEx: 34 digits that end with the number of twelve digits, padded to 14; Ground: 22 digits that end with the number of 15.
 * - DPD: `%`, seven characters of the postcode, the number of 14 digits, three digits of the service and three of the country
 *   (DPD parcel label specification).
 *
 * The formats of USPS and FedEx, with examples, are in https://github.com/jkeen/tracking_number_data.
 */
export function readTrackingNumber(scanned: string): string {
  const code = scanned
    .trim()
    .replace(/^\][A-Za-z][0-9A-Za-z]/, '')
    .replace(/[\s\p{Cc}]/gu, '')
    // Application identifiers have two to four digits.
    .replace(/\((\d{2,4})\)/g, '$1');
  return readUsps(code) ?? readFedEx(code) ?? readDpd(code) ?? code;
}

/** The character that a scanner sends between the elements of a GS1 barcode. */
export const groupSeparator = '\x1d';

function readUsps(code: string): string | undefined {
  if (!/^420\d{25,35}$/.test(code)) return undefined;
  // In a code of 34 digits, the ZIP code has nine digits and the number 22, or five and 26. Most numbers have 22: try that first.
  const numbers = [code.slice(12), code.slice(8)];
  return numbers.find(
    (number) => /^(9[1-5]\d{20}(\d{4})?|7\d{19}|03\d{18})$/.test(number) && hasGs1CheckDigit(number),
  );
}

function readFedEx(code: string): string | undefined {
  const [, number] = /^(?:100\d{17}|96\d{18})00(\d{12})$/.exec(code) ?? [];
  if (number) return hasFedExCheckDigit(number) ? number : undefined;
  const [, ground] = /^96\d{5}(\d{15})$/.exec(code) ?? [];
  return ground && hasGs1CheckDigit(ground) ? ground : undefined;
}

const readDpd = (code: string): string | undefined => /^%[0-9A-Z]{7}(\d{14})\d{6}$/i.exec(code)?.[1];

/**
 * The spellings under which an order with this number or scanned code may be stored. The number of a logistic unit (SSCC) is
 * printed with or without its application identifier, 00.
 */
export function listTrackingNumbers(text: string): string[] {
  const number = readTrackingNumber(text);
  if (!/^(00)?\d{18}$/.test(number) || !hasGs1CheckDigit(number)) return [number];
  return [number, number.length === 20 ? number.slice(2) : `00${number}`];
}
