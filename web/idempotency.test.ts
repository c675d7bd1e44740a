import { expect, test } from 'vitest';
import { createKeys } from './idempotency.ts';

test('the same form sent again carries the same key, a changed one another', () => {
  const keyOf = createKeys();
  const first = keyOf({ quantity: 1 });
  expect(keyOf({ quantity: 1 })).toBe(first);
  expect(keyOf({ quantity: 2 })).not.toBe(first);
});
