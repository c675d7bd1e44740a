import { expect, test } from 'vitest';
import { compareFigures } from './compare.ts';

test.each([
  [125, 100, '$25 (25%) more than in May'],
  [0.1, 0.3, '$0.2 (67%) less than in May'],
  [0, 80, '$80 (100%) less than in May'],
  [10_001, 10_000, '$1 (under 1%) more than in May'],
  [4200, 2, '$4198 (209,900%) more than in May'],
  [5, 0, 'none in May'],
  [7, 7, 'the same as in May'],
])('compares %d with %d', (now, before, words) => {
  expect(compareFigures(now, before, 'May', (figure) => `$${figure}`)).toBe(words);
});
