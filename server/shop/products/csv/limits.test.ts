import { describe, expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { recordStatements } from '../../../../tests/support/statements.ts';

/** Previews files as an admin. */
async function open(shop: TestShop) {
  const client = shop.client(await shop.admin());
  return async (lines: string[]) =>
    client.call('importProducts', { query: { dry: '1' }, body: new Blob([lines.join('\n')]) });
}

const header = 'name,price,o_quantity,a_quantity,description,images';
const row = (name: string, images: string) => `${name},12.50,1,10,Measures pivots.,${images}`;

/** Well-formed paths of images that the shop has not stored. */
const listPaths = (count: number, first = 0) =>
  Array.from({ length: count }, (_, n) => `/images/${`${first + n}`.padStart(64, '0')}-960.webp`).join(' ');

/** How many parameters each statement about images has. */
const countParameters = (statements: { sql: string; parameters: readonly unknown[] }[]) =>
  statements.filter(({ sql }) => sql.includes('"image"')).map(({ parameters }) => parameters.length);

describe.each(engines)('on %s', (engine) => {
  test('a row with more images than a product may have is rejected without looking up any', async () => {
    await using shop = await startShop({ engine });
    const preview = await open(shop);
    const { _id } = await shop.addProduct();
    const rows = [
      row('A', listPaths(9)),
      row('B', 'x '.repeat(9000)),
      row('C', `/images/${'x'.repeat(300)}.webp`),
    ];
    const { result, statementsOf } = await recordStatements(async () => [
      await preview([header, ...rows]),
      await preview(['id,images', `${_id},${listPaths(100)}`]),
    ]);
    expect(result.flatMap(({ errors }) => errors)).toEqual([
      { row: 2, field: 'images', message: 'A product has at most 8 images' },
      { row: 3, field: 'images', message: 'A product has at most 8 images' },
      { row: 4, field: 'images', message: 'Image must be 300 characters or shorter' },
      { row: 2, field: 'images', message: 'A product has at most 8 images' },
    ]);
    expect(countParameters(statementsOf(shop.database.db))).toEqual([]);
  });

  test('images are looked up in batches', async () => {
    await using shop = await startShop({ engine });
    const preview = await open(shop);
    const rows = Array.from({ length: 200 }, (_, n) => row(`Gauge ${n}`, listPaths(8, 8 * n)));
    const { result, statementsOf } = await recordStatements(() => preview([header, ...rows]));
    expect(result.errorCount).toBe(200);
    const counts = countParameters(statementsOf(shop.database.db));
    // Each statement also has a parameter for the time.
    expect(counts).toEqual([501, 501, 501, 101]);
  });
});

test('other requests are served while a file is read', async () => {
  await using shop = await startShop();
  const preview = await open(shop);
  let turns = 0;
  let isReading = true;
  const countTurn = () => {
    turns += 1;
    if (isReading) setImmediate(countTurn);
  };
  countTurn();
  // A megabyte.
  const lines = Array.from({ length: 1000 }, (_, n) => `${n},${'x'.repeat(1000)}`);
  expect((await preview(['id,description', ...lines])).errorCount).toBe(1000);
  isReading = false;
  expect(turns).toBeGreaterThan(400);
});
