import { expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { startShop } from '../../../tests/support/shop.ts';
import type { BackupTable } from './format.ts';
import { describeTables } from './introspection.ts';
import { tables } from './tables.ts';

async function describe(engine: (typeof engines)[number]): Promise<BackupTable[]> {
  await using shop = await startShop({ engine });
  return [...(await describeTables(shop.database.db, engine)).values()];
}

test('both engines have the same tables, each with a primary key and listed in `tables`', async () => {
  const [sqlite, postgres] = await Promise.all(engines.map(describe));
  expect(sqlite).toEqual(postgres);
  expect(sqlite?.map(({ table }) => table)).toEqual(Object.keys(tables).sort());
  for (const { table, key, columns } of sqlite ?? [])
    expect(key.length > 0 && key.every((column) => column in columns), table).toBe(true);
});
