import { expect, test } from 'vitest';
import { startShop } from '../tests/support/shop.ts';

test('a database error while describing the demo accounts does not stop the shop', async () => {
  await using shop = await startShop({ demo: true });
  expect(await shop.describeDemo()).toContain('customer@example.com');
  await shop.database.db.schema.alterTable('account').renameTo('away').execute();
  expect(await shop.describeDemo()).toBe('');
});
