import { z } from 'zod';
import { cleanText } from './text.ts';

/** Control characters other than tab and line breaks. No field needs them, and PostgreSQL rejects NUL. */
const unprintable = /(?![\t\n\r])\p{Cc}/u;

const required = (label: string) =>
  z.string({
    error: ({ input }) =>
      input === undefined || input === null ? `${label} is Required` : `${label} must be text`,
  });

const limit = (schema: z.ZodString, label: string, max: number) =>
  schema
    .max(max, `${label} must be ${max} characters or shorter`)
    .refine((value) => !unprintable.test(value), `${label} has characters that cannot be printed`);

/**
 * Required text: trimmed, without invisible characters (`cleanText`), at most `max` characters. Error messages start with
 * `label`.
 */
export const text = (label: string, max = 300) =>
  limit(required(label).overwrite(cleanText).min(1, `${label} is Required`), label, max);

/** Optional text; '' if absent. `clean` applies to it before its length and characters are checked. */
export const optionalText = (label: string, max = 300, clean = cleanText) =>
  limit(z.string(`${label} must be text`).overwrite(clean), label, max).default('');

/** Arguments for `refine`: text for a single line, such as a mail's sender. */
export const singleLineRule = (label: string): [(value: string) => boolean, string] => [
  (value) => !/[\t\n\r\u2028\u2029]/.test(value),
  `${label} must be a single line`,
];

/**
 * The specification's "simple address pattern": `x@x.x` without white space. Between the `@` and the next dot it allows no further
 * dot, which keeps matching linear: backtracking over a long run of dots would take seconds.
 */
const emailPattern = /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/;

const maxEmailLength = 300;

/**
 * An email address, stored and compared in lower case. Invisible characters stay, because removing them would make it another
 * address.
 */
export const email = limit(required('Email').trim().min(1, 'Email is Required'), 'Email', maxEmailLength)
  .regex(emailPattern, 'Provide a valid Email')
  .toLowerCase();

/** The address of an account, as its user types it. Converts the domain to Punycode, in which accounts are stored. */
export const typedEmail = email.overwrite(toAsciiDomain);

/** At most 64 octets before the `@` (RFC 5321), labels of at most 63, and a top-level domain of letters or in Punycode. */
const deliverable =
  /^(?=.{1,64}@)([\w'+-]+\.)*[\w'+-]*[\w+-]@([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+([a-z]{2,63}|xn--[a-z\d-]{0,58}[a-z\d])$/;
const invalidEmail = 'Provide a valid Email';

/** An address for a new account or a message. Stricter than `email`, which must still accept the addresses of existing accounts. */
export const newEmail = typedEmail.pipe(
  z
    .email({ pattern: deliverable, error: invalidEmail })
    .max(254, invalidEmail)
    .refine(hasValidPunycode, invalidEmail),
);

/** Whether all Punycode labels of an ASCII domain can be decoded. */
function hasValidPunycode(address: string): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  // The URL parser decodes labels only if one of them isn't ASCII.
  return URL.parse(`https://\u00e9.${domain}`)?.hostname.endsWith(`.${domain}`) ?? false;
}

/**
 * Converts an international domain to Punycode. Does not change a domain that contains symbols, or characters that the conversion
 * would drop or replace: the result would be another domain that only looks the same.
 */
function toAsciiDomain(address: string): string {
  // A longer address is rejected anyway, and putting thousands of combining marks in order takes seconds.
  if (address.length > maxEmailLength) return address;
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at).normalize('NFC');
  const isInternational = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && /[^a-z0-9.-]/.test(domain);
  const isPlain = domain === domain.normalize('NFKC') && !/\p{Default_Ignorable_Code_Point}/u.test(domain);
  if (!isInternational || !isPlain) return address;
  return address.slice(0, at) + (URL.parse(`https://${domain}`)?.hostname ?? domain);
}

const decimal = /^-?(\d+(\.\d+)?|\.\d+)$/;

/**
 * Parses a number from a form field or query parameter: digits with at most one decimal point. Empty text becomes
 * undefined. Anything else (`1,50`, `1e3`, `0x10`) is returned as text, so that validation rejects it.
 */
export function parseNumber(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  const trimmed = input.trim();
  if (trimmed === '') return undefined;
  return decimal.test(trimmed) ? Number(trimmed) : trimmed;
}

const pointBeforeThree = /^\s*-?[1-9]\d{0,2}\.\d{3}\s*$/;

/**
 * Like `parseNumber`, for a number of pieces that a person typed or a file contains. In some countries `1.000`
 * is a thousand, so such a number is also returned as text, and rejected.
 */
export const parsePieces = (input: unknown): unknown =>
  typeof input === 'string' && pointBeforeThree.test(input) ? input.trim() : parseNumber(input);

const decimalComma = /^\s*(\d+),(\d{1,2})\s*$/;

/**
 * Like `parsePieces`, for an amount of money: `12,50` is also 12.5. A comma before one or two digits cannot be a
 * thousands separator.
 */
export const parseAmount = (input: unknown): unknown =>
  parsePieces(typeof input === 'string' ? input.replace(decimalComma, '$1.$2') : input);

const numberError =
  (label: string, format: string) =>
  ({ input }: { input?: unknown }) => {
    if (input === undefined || input === null || input === '') return `${label} is Required`;
    const unparsable = typeof input === 'string' && typeof parsePieces(input) === 'string';
    return unparsable ? `${label} must be in digits${format}` : `${label} must be a number`;
  };

const linkedInHandle = /^(?:@|\/?in\/)?[\p{L}\p{N}._-]+\/?$/u;
const linkedInAddress = /^(?:https:\/\/)?(?:[a-z0-9-]+\.)*linkedin\.com\/[^\s\\]+$/i;

/**
 * Arguments for `refine`: a LinkedIn profile as an https URL or a handle. The `stored` value is always accepted, since
 * it may predate this rule.
 */
export const linkedInRule = (stored: string): [(value: string) => boolean, string] => [
  (value) => value === stored || linkedInHandle.test(value) || linkedInAddress.test(value),
  'LinkedIn must be an address such as https://www.linkedin.com/in/name, or a handle such as in/name',
];

/** A number of pieces, `min` to 1,000,000. */
export const quantity = (label: string, min = 1) =>
  z
    .int({
      error: ({ input, code }) =>
        code === 'invalid_type' && typeof input === 'number'
          ? `${label} must be a whole number`
          : numberError(label, ' only, such as 12')({ input }),
    })
    .min(min, `${label} must be at least ${min}`)
    .max(1_000_000, `${label} must be at most 1000000`);

/** Only a rough limit. The server checks the lower one of each currency: 999,999.99 USD, or about as much. */
export const maxAmount = 10_000_000_000;

/** Corrects the result of binary arithmetic: 3 × 1.15 is 3.4499999999999997. */
function removeRoundingError(amount: number): number {
  const rounded = Math.round(amount * 100) / 100;
  return Math.abs(amount - rounded) < 1e-9 + amount * 1e-14 ? rounded : amount;
}

/** An amount of money on the wire: by default at least 0.01, with at most two decimals. */
export const amount = (label: string, min: 0 | 0.01 = 0.01) =>
  z
    .number({ error: numberError(label, ', such as 1234.50 or 1234,50') })
    .overwrite(removeRoundingError)
    .min(min, min === 0 ? `${label} must not be negative` : `${label} must be at least ${min}`)
    .max(maxAmount, `${label} must be at most ${maxAmount}`)
    .multipleOf(0.01, `${label} must have at most two decimals`)
    .describe('At most two decimals.');

export const price = amount('Price');

export const image = text('Image')
  // Lists of images are separated by spaces.
  .refine((url) => !/\s/.test(url), 'Image must be an address without spaces')
  .describe('URL of an image: a path on this shop, or an https URL at the hosted image service.');

/** An id. Ids are UUIDv7, but any text passes: a malformed id is unknown (404), not invalid (422). */
export const id = z
  .string('Id is Required')
  .min(1, 'Id is Required')
  .max(300, 'Id is not known')
  .refine((value) => !value.includes('\0'), 'Id is not known');

/** The version that the caller has seen, in a request that changes something. */
export const seenVersion = z
  .int({
    error: ({ input }) => (input === undefined ? 'Version is Required' : 'Version must be a whole number'),
  })
  .describe('The version that you have seen. If it is no longer current, nothing changes (409).');

/** Like `seenVersion`, for a query. */
export const seenVersionInQuery = z.preprocess((input: number | string) => parseNumber(input), seenVersion);

/** A time on the wire: ISO 8601 in UTC. */
export const time = z.iso.datetime();

/** A field that the client sends as specified but whose value the server determines itself. */
export const ignored = z.unknown().optional().describe('Accepted and ignored.');

/** Query parameters of a paginated list. */
export const page = z.object({
  limit: z
    .preprocess(
      (input) => parseNumber(input) ?? input,
      z
        .number('Limit must be a number')
        .int('Limit must be a whole number')
        .min(1, 'Limit must be at least 1')
        .max(1000, 'Limit must be at most 1000')
        .optional(),
    )
    .optional()
    .describe('Maximum number of rows; 1,000 by default.'),
  after: id.optional().describe('Return the rows that follow the row with this id.'),
});

export const insertedId = z.object({ insertedId: z.string() });
export const modifiedCount = z.object({ modifiedCount: z.int() });
export const versionedCount = modifiedCount.extend({ version: z.int().describe('The current version.') });
export const deletedCount = z.object({ deletedCount: z.int() });
