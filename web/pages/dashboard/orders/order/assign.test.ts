import { expect, test } from 'vitest';
import { assignForm, findExactOrders } from './assign.ts';

const orders = (...rests: number[]) =>
  rests.map((rest) => ({ _id: `${rest}`, price: rest + 0.1, refunded: 0.1 }));

test.each([
  [orders(40, 5.5, 3), 43, [40, 3]],
  [orders(40, 5.5, 3), 45.5, [40, 5.5]],
  // Two tools have the same rest.
  [orders(40, 5.5, 5.5), 45.5, []],
  [orders(2, 3, 5), 5, []],
  [orders(40, 5.5), 42, []],
  [orders(40, 0), 40, [40]],
  [orders(...Array<number>(50).fill(1)), 50, []],
])('of the orders %j, a refund of %d is for those whose rests are %j', (all, amount, rests) => {
  const exact = findExactOrders(all, amount);
  expect(exact.map(({ price }) => Math.round(price * 100 - 10) / 100)).toEqual(rests);
});

const id = '0190b2a4-7c1e-7d3a-9b5f-2e8c6a4d1f03';

test.each([
  [{}, { 'amount-0': 'Enter an amount for at least one tool' }],
  [{ 'quantity-1': '1' }, { 'amount-1': 'Enter the amount for these pieces' }],
  [{ 'amount-0': '5', 'restock-1': '1' }, { 'amount-1': 'Enter the amount for these pieces' }],
  [
    { 'amount-0': '1.5.2', 'quantity-1': 'x' },
    expect.objectContaining({ 'amount-0': expect.any(String), 'quantity-1': expect.any(String) }),
  ],
  [{ 'amount-0': '5', 'quantity-1': '0' }, {}],
])('of two tools, %j has the errors %j', (input, errors) => {
  const formData = new FormData();
  const fields = { refund: id, version: '1', orders: `${id} ${id}`, ...input };
  for (const [name, value] of Object.entries(fields)) formData.set(name, value);
  expect(assignForm.check(formData)).toEqual(errors);
});
