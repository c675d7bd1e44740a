import { expect, test } from 'vitest';
import { makeDatabase } from '../tests/support/database.ts';
import { startShop } from '../tests/support/shop.ts';

test('a product that one process adds is on the pages that another one kept', async () => {
  const { place, drop } = await makeDatabase('postgres');
  try {
    await using first = await startShop({ place });
    await using second = await startShop({ place });
    const home = async () => (await second.fetch(new Request(`${second.origin}/`))).text();
    expect(await home()).not.toContain('Balance cock puller');
    await first.addProduct({ name: 'Balance cock puller' });
    await expect.poll(home, { timeout: 2000 }).toContain('Balance cock puller');
  } finally {
    await drop();
  }
});
