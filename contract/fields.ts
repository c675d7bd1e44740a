import { z } from 'zod';

/** Control characters but tab and line ends: no field of a shop needs them, and PostgreSQL refuses NUL. */
const unprintable = /(?![\t\n\r])\p{Cc}/u;

/** Required text: trimmed, not empty, at most `max` characters; its messages name the field. */
export const text = (label: string, max = 300) =>
  z
    .string({
      error: ({ input }) =>
        input === undefined || input === null ? `${label} is Required` : `${label} must be text`,
    })
    .trim()
    .min(1, `${label} is Required`)
    .max(max, `${label} must be ${max} characters or shorter`)
    .refine((value) => !unprintable.test(value), `${label} has characters that cannot be printed`);

/** Text that may be left out or empty; absent reads as ''. */
export const optionalText = (label: string, max = 300) =>
  z
    .string(`${label} must be text`)
    .trim()
    .max(max, `${label} must be ${max} characters or shorter`)
    .refine((value) => !unprintable.test(value), `${label} has characters that cannot be printed`)
    .default('');

/**
 * The "simple address pattern" of the forms: something, @, something, a dot, something; no white space. The first
 * dot that can be the dot is it: with a choice, a long text full of dots would be tried for seconds.
 */
const emailPattern = /^[^\s@]+@[^\s@][^\s@.]*\.[^\s@]+$/;

/** An e-mail address; stored and compared in lower case. */
export const email = text('Email').regex(emailPattern, 'Provide a valid Email').toLowerCase();

const decimal = /^-?(\d+(\.\d+)?|\.\d+)$/;

/**
 * Reads a number from the text of a form field or a query: digits with at most one decimal point. Empty text is
 * undefined. Anything else (`1,50`, `1e3`, `0x10`) stays text, so that validation rejects it.
 */
export function readNumber(typed: unknown): unknown {
  if (typeof typed !== 'string') return typed;
  const trimmed = typed.trim();
  if (trimmed === '') return undefined;
  return decimal.test(trimmed) ? Number(trimmed) : trimmed;
}

const numberError =
  (label: string, format: string) =>
  ({ input }: { input?: unknown }) => {
    if (input === undefined || input === null || input === '') return `${label} is Required`;
    const unreadable = typeof input === 'string' && typeof readNumber(input) === 'string';
    return unreadable ? `${label} must be in digits${format}` : `${label} must be a number`;
  };

const linkedInHandle = /^(?:@|\/?in\/)?[\p{L}\p{N}._-]+\/?$/u;
const linkedInAddress = /^(?:https:\/\/)?(?:[a-z0-9-]+\.)*linkedin\.com\/[^\s\\]+$/i;

/**
 * For `refine`, in the browser and on the server: a LinkedIn profile as an https address or a handle. A `stored` value
 * that predates this rule may be saved again.
 */
export const linkedInRule = (stored: string): [(value: string) => boolean, string] => [
  (value) => value === stored || linkedInHandle.test(value) || linkedInAddress.test(value),
  'LinkedIn must be an address such as https://www.linkedin.com/in/name, or a handle such as in/name',
];

/** A count of pieces: 1 to 1,000,000 unless told otherwise. */
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

/** Money on the wire: a number of at most two decimals, 0.01 to 999,999.99. */
export const price = z
  .number({ error: numberError('Price', ', with a point for decimals, such as 1.50') })
  .min(0.01, 'Price must be at least 0.01')
  .max(999_999.99, 'Price must be at most 999999.99')
  .multipleOf(0.01, 'Price must have at most two decimals')
  .describe('With at most two decimals.');

export const image = text('Image').describe(
  'Where a picture is: a path of the shop, or an https address of a hosted one.',
);

/** An id as the shop makes them (UUIDv7). Read loosely: an unknown id is answered 404, whatever its form. */
export const id = z
  .string('Id is Required')
  .min(1, 'Id is Required')
  .max(300, 'Id is not known')
  .refine((value) => !value.includes('\0'), 'Id is not known');

/** A time on the wire, as ISO 8601 in UTC. */
export const time = z.iso.datetime();

/** A field that the specification's client sends and the server says for itself: whatever it is, it is ignored. */
export const ignored = z.unknown().optional().describe('Taken, and ignored.');

/** One page of a list: at most `limit` rows, those behind the row with the id `after`. */
export const page = z.object({
  limit: z
    .preprocess(
      (given) => readNumber(given) ?? given,
      z
        .number('Limit must be a number')
        .int('Limit must be a whole number')
        .min(1, 'Limit must be at least 1')
        .max(1000, 'Limit must be at most 1000')
        .optional(),
    )
    .optional()
    .describe('How many rows at most; without it 1,000.'),
  after: id.optional().describe('The id of the row that the page begins behind.'),
});

export const insertedId = z.object({ insertedId: z.string() });
export const modifiedCount = z.object({ modifiedCount: z.int() });
export const deletedCount = z.object({ deletedCount: z.int() });
