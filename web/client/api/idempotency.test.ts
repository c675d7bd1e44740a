import { expect, test } from 'vitest';
import { createFormKey, getIdempotencyKey } from './idempotency.ts';

test('a resent form has the same key; a changed form and another form have different keys', () => {
  const [form, other] = [createFormKey(), createFormKey()];
  const first = getIdempotencyKey(form, { quantity: 1 });
  expect(getIdempotencyKey(form, { quantity: 1 })).toBe(first);
  expect(getIdempotencyKey(form, { quantity: 2 })).not.toBe(first);
  expect(getIdempotencyKey(other, { quantity: 1 })).not.toBe(first);
});

test('a form without a form key has no idempotency key', () => {
  expect(getIdempotencyKey('', { quantity: 1 })).toBeUndefined();
});
