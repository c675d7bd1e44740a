import { expect, test } from 'vitest';
import { page, price, quantity, readNumber } from './fields.ts';

test.each([
  ['1.50', 1.5],
  [' 12 ', 12],
  ['.5', 0.5],
  ['-3', -3],
  ['', undefined],
  ['  ', undefined],
])('%j is read as the number %j', (typed, number) => {
  expect(readNumber(typed)).toBe(number);
});

const unreadable = [
  '1,50',
  '1,000',
  '1e3',
  '0x10',
  '1_000',
  '12.',
  '+1',
  '--1',
  'Infinity',
  'NaN',
  '١٢',
  '1 2',
];

test.each(unreadable)('%j is rejected as a price, a quantity and a limit', (typed) => {
  const messageOf = (result: { error?: { issues: { message: string }[] } | undefined }) =>
    result.error?.issues[0]?.message;
  const read = readNumber(typed);
  expect(messageOf(price.safeParse(read))).toBe(
    'Price must be in digits, with a point for decimals, such as 1.50',
  );
  expect(messageOf(quantity('Quantity').safeParse(read))).toBe('Quantity must be in digits only, such as 12');
  expect(messageOf(page.safeParse({ limit: typed }))).toBe('Limit must be a number');
});

test('a limit in a query is read by the same rule', () => {
  expect(page.parse({ limit: '12' })).toEqual({ limit: 12 });
  expect(page.parse({ limit: 12 })).toEqual({ limit: 12 });
  expect(page.parse({})).toEqual({});
});
