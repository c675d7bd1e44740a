import { expect, test } from 'vitest';
import { createFormKey, keyOf } from './idempotency.ts';

test('a form sent again carries the same key; a changed form and another form carry different ones', () => {
  const [form, other] = [createFormKey(), createFormKey()];
  const first = keyOf(form, { quantity: 1 });
  expect(keyOf(form, { quantity: 1 })).toBe(first);
  expect(keyOf(form, { quantity: 2 })).not.toBe(first);
  expect(keyOf(other, { quantity: 1 })).not.toBe(first);
});

test('a form without a key of its own carries none', () => {
  expect(keyOf('', { quantity: 1 })).toBeUndefined();
});
