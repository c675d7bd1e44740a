import { expect, test } from 'vitest';

const rules = await import(new URL('./browser/card-rules.js', import.meta.url).href);

test.each([
  ['4242424242424242', '4242 4242 4242 4242'],
  ['42424', '4242 4'],
  ['378282246310005', '3782 822463 10005'],
  ['4242-4242 4242 42429999', '4242 4242 4242 4242'],
])('the number %s is formatted as %s', (typed, formatted) => {
  expect(rules.formatNumber(typed)).toBe(formatted);
});

test.each([
  ['1', '1'],
  ['5', '05'],
  ['12', '12'],
  ['1/', '01 / '],
  ['1234', '12 / 34'],
  ['12 / 2034', '12 / 34'],
])('the expiry %s is formatted as %s', (typed, formatted) => {
  expect(rules.formatExpiry(typed)).toBe(formatted);
});

test('card problems are reported in Stripe’s wording', () => {
  const now = new Date('2026-11-21');
  const messages = [
    rules.findNumberProblem('4242'),
    rules.findNumberProblem('4242 4242 4242 4241'),
    rules.findExpiryProblem('12', now),
    rules.findExpiryProblem('12 / 25', now),
    rules.findExpiryProblem('10 / 26', now),
    rules.findCvcProblem('12', '4242'),
    rules.findPostalProblem('941'),
  ].map((problem) => problem.message);
  expect(messages).toEqual([
    'Your card number is incomplete.',
    'Your card number is invalid.',
    "Your card's expiration date is incomplete.",
    "Your card's expiration year is in the past.",
    "Your card's expiration date is in the past.",
    "Your card's security code is incomplete.",
    'Your postal code is incomplete.',
  ]);
  expect(rules.findExpiryProblem('11 / 26', now)).toBeUndefined();
  expect(rules.findPostalProblem('SW1A 1AA')).toBeUndefined();
});
