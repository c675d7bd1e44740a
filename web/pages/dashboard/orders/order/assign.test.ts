import { expect, test } from 'vitest';
import { findExactOrders } from './assign.ts';

const orders = (...rests: number[]) => rests.map((rest) => ({ price: rest + 0.1, refunded: 0.1 }));

test.each([
  [orders(40, 5.5, 3), 43, [40, 3]],
  [orders(40, 5.5, 3), 45.5, [40, 5.5]],
  // Two tools have the same rest.
  [orders(40, 5.5, 5.5), 45.5, []],
  [orders(2, 3, 5), 5, []],
  [orders(40, 5.5), 42, []],
  [orders(40, 0), 40, [40]],
  [orders(...Array<number>(50).fill(1)), 50, []],
])('of %j, a refund of %d is for those with the rests %j', (all, amount, rests) => {
  const exact = findExactOrders(all, amount);
  expect(exact.map(({ price }) => Math.round(price * 100 - 10) / 100)).toEqual(rests);
});
