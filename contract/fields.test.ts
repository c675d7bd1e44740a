import { expect, test } from 'vitest';
import { page, parseAmount, parseNumber, parsePieces, price, quantity } from './fields.ts';

test.each([
  ['1.50', 1.5],
  [' 12 ', 12],
  ['.5', 0.5],
  ['-3', -3],
  ['', undefined],
  ['  ', undefined],
])('%j is parsed as %j', (input, number) => {
  expect(parseNumber(input)).toBe(number);
});

test.each([
  ['12,50', 12.5],
  [' 1234,5 ', 1234.5],
  ['12.50', 12.5],
  ['12', 12],
  ['', undefined],
])('%j is parsed as the amount %j', (input, amount) => {
  expect(parseAmount(input)).toBe(amount);
});

test.each([
  '1.234',
  '12.500',
  '1,234',
  '1.234,50',
  '1,234.50',
  '12,',
  ',50',
  '12,505',
  '1,2,3',
  '-1,50',
  '12, 50',
])('the amount %j is ambiguous or malformed, so it is rejected', (input) => {
  expect(parseAmount(input)).toBe(input);
  expect(price.safeParse(parseAmount(input)).error?.issues[0]?.message).toBe(
    'Price must be in digits, such as 1234.50 or 1234,50',
  );
});

test.each([
  ['1.000', '1.000'],
  [' 12.500 ', '12.500'],
  ['1000', 1000],
  ['1.5', 1.5],
  ['0.125', 0.125],
  ['', undefined],
])('%j is parsed as the number of pieces %j', (input, pieces) => {
  expect(parsePieces(input)).toBe(pieces);
});

test('a number of pieces with a point before three digits is rejected, since it may be a thousand', () => {
  expect(quantity('Quantity').safeParse(parsePieces('1.000')).error?.issues[0]?.message).toBe(
    'Quantity must be in digits only, such as 12',
  );
});

const unparsable = [
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

test.each(unparsable)('%j is rejected as a price, a quantity and a limit', (input) => {
  const messageOf = (result: { error?: { issues: { message: string }[] } | undefined }) =>
    result.error?.issues[0]?.message;
  const parsed = parseNumber(input);
  expect(messageOf(price.safeParse(parsed))).toBe('Price must be in digits, such as 1234.50 or 1234,50');
  expect(messageOf(quantity('Quantity').safeParse(parsed))).toBe(
    'Quantity must be in digits only, such as 12',
  );
  expect(messageOf(page.safeParse({ limit: input }))).toBe('Limit must be a number');
});

test('a limit is optional and may be text or a number', () => {
  expect(page.parse({ limit: '12' })).toEqual({ limit: 12 });
  expect(page.parse({ limit: 12 })).toEqual({ limit: 12 });
  expect(page.parse({})).toEqual({});
});
