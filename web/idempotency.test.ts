import { expect, test } from 'vitest';
import { createFormKey, keyOf } from './idempotency.ts';

test('the same form sent again carries the same key, a changed one and another form different ones', () => {
  const [form, other] = [createFormKey(), createFormKey()];
  const first = keyOf(form, { quantity: 1 });
  expect(keyOf(form, { quantity: 1 })).toBe(first);
  expect(keyOf(form, { quantity: 2 })).not.toBe(first);
  expect(keyOf(other, { quantity: 1 })).not.toBe(first);
});
