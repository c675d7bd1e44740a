import { expect, test } from 'vitest';
import { startShop } from '../tests/support/shop.ts';

test('a shop whose database fails says nothing of its demo people, and stays open', async () => {
  await using shop = await startShop({ demo: true });
  expect(await shop.told()).toContain('customer@example.com');
  await shop.database.db.schema.alterTable('account').renameTo('away').execute();
  expect(await shop.told()).toBe('');
});
