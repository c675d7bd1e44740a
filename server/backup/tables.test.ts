import { expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { startShop } from '../../tests/support/shop.ts';
import { describeTables, type Table } from './introspection.ts';
import { attachStandIns, findStandIns } from './snapshot.ts';
import { standIns, tables } from './tables.ts';

/** The tables of a shop and its stand-ins, as its database tells of them. */
async function describe(engine: (typeof engines)[number]): Promise<{ shop: Table[]; others: Table[] }> {
  await using shop = await startShop({ engine });
  const { db } = shop.database;
  if ('file' in shop.config.database) await attachStandIns(db, findStandIns(shop.config));
  return {
    shop: [...(await describeTables(db, engine)).values()],
    others: [...(await describeTables(db, engine, standIns)).values()],
  };
}

test.each(engines)('it is decided of each table whether it stands in a backup: %s', async (engine) => {
  const { shop } = await describe(engine);
  expect(shop.map(({ name }) => name)).toEqual(Object.keys(tables).sort());
});

test('both engines tell the same of every table, and each can be read by its key', async () => {
  const [first, second] = await Promise.all(engines.map(describe));
  expect(first).toEqual(second);
  expect(first?.others.length).toBeGreaterThan(5);
  for (const { name, key, columns } of [...(first?.shop ?? []), ...(first?.others ?? [])])
    expect(
      key.every((column) => column in columns && key.length > 0),
      name,
    ).toBe(true);
});
