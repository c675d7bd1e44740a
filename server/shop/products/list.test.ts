import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { productSorts } from '../../../contract/catalogue/product-sorts.ts';
import type { contract } from '../../../contract/contract.ts';
import { engines } from '../../../tests/support/database.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { countRowsRead } from '../../../tests/support/rows-read.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';

type Row = { name: string; price?: number; available?: number; minimum?: number; low?: number | null };
type Stored = Row & { category?: string | null; archived?: boolean };

/** Adds products in this order, with ids in the same order. */
async function fill({ database }: TestShop, rows: Stored[]): Promise<void> {
  const values = rows.map(
    ({ name, price = 100, available = 10, minimum = 1, low, category, archived }, index) => ({
      id: String(index).padStart(5, '0'),
      name,
      price,
      available,
      minimum,
      low_stock: low ?? null,
      image: '/images/none',
      description: '',
      created_at: 0,
      category: category ?? null,
      archived_at: archived ? 1 : null,
    }),
  );
  for (let from = 0; from < values.length; from += 500)
    await database.db
      .insertInto('product')
      .values(values.slice(from, from + 500))
      .execute();
}

type Client = ReturnType<TestShop['client']>;
type ListOptions = Partial<z.input<typeof contract.listProducts.query>>;

/** The names of all products of a list, page by page. */
async function listNames(admin: Client, query: ListOptions, limit = 2): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await admin.list('listProducts', {
      query: { ...query, limit, ...(after ? { after } : {}) },
    });
    names.push(...page.rows.map(({ name }) => name));
    if (page.after === undefined) return names;
    after = page.after;
  }
}

const tools: Stored[] = [
  { name: 'Hand and collet puller', price: 3850, available: 5, low: 6, category: 'Dials' },
  { name: 'Pin vise', price: 900, available: 0, category: 'Holding' },
  { name: 'pegwood, 3.5 mm', price: 450, available: 40, minimum: 50, low: 100, category: 'Cleaning' },
  { name: 'Öl-Geber', price: 900, available: 7 },
  { name: 'Loupe "ten-fold"', price: 2500, available: 3, low: 3, category: 'Holding' },
  { name: 'Old collet', price: 100, available: 0, category: 'Dials', archived: true },
];

describe.each(engines)('on %s', (engine) => {
  test('GET /products searches, filters and sorts, page by page', async () => {
    await using shop = await startShop({ engine });
    await fill(shop, tools);
    const admin = shop.client(await shop.admin());
    const [puller, vise, pegwood, oiler, loupe, old] = tools.map(({ name }) => name);
    const heavy = shop.database.db.updateTable('product').set({ weight: 900 });
    await heavy.where('name', 'in', [`${vise}`, `${oiler}`]).execute();
    for (const [query, expected] of [
      [{}, [puller, vise, pegwood, oiler, loupe]],
      [{ sort: '-added' }, [loupe, oiler, pegwood, vise, puller]],
      [{ sort: 'name' }, [puller, loupe, oiler, pegwood, vise]],
      [{ sort: '-name' }, [vise, pegwood, oiler, loupe, puller]],
      [{ sort: 'price' }, [pegwood, vise, oiler, loupe, puller]],
      [{ sort: '-price' }, [puller, loupe, oiler, vise, pegwood]],
      [{ sort: 'stock' }, [vise, loupe, puller, oiler, pegwood]],
      [{ q: 'COLL' }, [puller]],
      [{ q: ' pull  han ' }, [puller]],
      [{ q: 'pi' }, [vise]],
      [{ q: 'p', sort: '-price' }, [puller, vise, pegwood]],
      [{ q: '3.5mm' }, [pegwood]],
      [{ q: 'p' }, [vise, pegwood, puller]],
      [{ q: '3.5 mm' }, [pegwood]],
      [{ q: 'öl' }, [oiler]],
      [{ q: 'ÖL' }, [oiler]],
      [{ q: 'geb' }, [oiler]],
      [{ q: '"ten' }, [loupe]],
      [{ q: 'oupe' }, [loupe]],
      [{ q: '%' }, []],
      [{ q: '-/"' }, []],
      [{ inStock: 'false' }, [vise, pegwood]],
      [{ inStock: 'false', sort: '-stock' }, [pegwood, vise]],
      [{ lowStock: 'true' }, [puller, vise, pegwood]],
      [{ lowStock: 'true', inStock: 'false' }, [vise, pegwood]],
      [{ lowStock: 'true', archived: 'true' }, [old]],
      [{ weight: 'none' }, [puller, pegwood, loupe]],
      [{ weight: 'none', sort: '-name', category: 'Holding' }, [loupe]],
      [{ category: 'Holding', sort: '-price' }, [loupe, vise]],
      [{ category: 'Holding', q: 'vis' }, [vise]],
      [{ inStock: 'true' }, [puller, oiler, loupe]],
      [{ minPrice: '9', sort: 'price' }, [vise, oiler, loupe, puller]],
      [{ minPrice: '4.501', maxPrice: '9.001' }, [vise, oiler]],
      [{ maxPrice: '38.5', category: 'Dials', inStock: 'true' }, [puller]],
      [{ archived: 'true' }, [old]],
      [{ archived: 'true', q: 'coll', inStock: 'false', category: 'Dials' }, [old]],
    ] as [ListOptions, string[]][])
      expect([query, await listNames(admin, query)]).toEqual([query, expected]);
  });

  test('a renamed or deleted product is no longer found by its old words', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const { _id: id } = await shop.addProduct({ name: 'Pin vise' });
    await admin.call('editProduct', { params: { id }, body: { version: 1, name: 'Chuck, small' } });
    expect(await listNames(admin, { q: 'pin' })).toEqual([]);
    expect(await listNames(admin, { q: 'smal' })).toEqual(['Chuck, small']);
    await admin.call('deleteProduct', { params: { id } });
    expect(await shop.database.db.selectFrom('product_word').selectAll().execute()).toEqual([]);
  });

  test('a list of more products than can be sorted at once has the same pages, and a search lists its best thousand', async () => {
    await using shop = await startShop({ engine });
    const rows = Array.from({ length: 4100 }, (_, index) => ({
      name: `${index % 3 ? 'Steel' : 'Brass'} pin ${(index * 7919) % 4100}`,
      price: 100 + ((index * 31) % 50),
      available: index % 2,
      minimum: 1,
      category: index % 4 ? 'Pins' : 'Rare',
    }));
    await fill(shop, rows);
    const admin = shop.client(await shop.admin());
    const count = (isMatch: (row: (typeof rows)[number]) => boolean) => rows.filter(isMatch).length;
    for (const [query, expected] of [
      [{ q: 'pin', sort: 'name' }, 1000],
      [{ q: 'pin' }, 1000],
      [{ q: 'pin steel', inStock: 'false', sort: 'price' }, 1000],
      [
        { category: 'Rare', inStock: 'false', sort: 'price' },
        count((row) => row.category === 'Rare' && row.available === 0),
      ],
      [
        { q: 'brass', category: 'Rare', sort: '-price' },
        count((row) => /Brass/.test(row.name) && row.category === 'Rare'),
      ],
    ] as [ListOptions, number][]) {
      const found = await listNames(admin, query, 500);
      const whole = await listNames(admin, query, 1000);
      expect([query, new Set(found).size, found.length]).toEqual([query, expected, expected]);
      expect(whole).toEqual(found);
    }
  });

  test('a page of many products reads few of them, however many match its filters', async () => {
    await using shop = await startShop({ engine });
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      name: `Pin vise ${index}`,
      available: index % 3 ? index : 0,
      low: index % 2 ? 20_000 : null,
      category: index % 2 ? 'Holding' : null,
      archived: index % 5 === 4,
    }));
    await fill(shop, rows);
    if (engine === 'postgres') await sql`analyze`.execute(shop.database.db);
    // PostgreSQL scans a table this small once if it needs a few hundred rows.
    const maxRowsRead = engine === 'sqlite' ? 4000 : rows.length + 8000;
    const admin = shop.client(await shop.admin());
    for (const query of [
      {},
      { q: 'pin' },
      { q: 'vise pin' },
      { category: 'Holding' },
      { inStock: 'true' },
      { category: 'Holding', inStock: 'true' },
      { inStock: 'false' },
      { lowStock: 'true' },
      { weight: 'none' },
      { category: 'Holding', lowStock: 'true' },
      { archived: 'true' },
    ] as ListOptions[])
      for (const sort of ['added', '-name', 'price', 'stock', '-stock'] as const) {
        const list = () => admin.call('listProducts', { query: { ...query, sort, limit: 20 } });
        const { result, statementsOf } = await recordStatements(list);
        expect([query, sort, result.length]).toEqual([query, sort, 20]);
        const reads = statementsOf(shop.database.db).filter((statement) => /\bproduct\b/.test(statement.sql));
        const read = await countRowsRead(shop.database, 'product', reads);
        expect([query, sort, read]).toEqual([
          query,
          sort,
          expect.toSatisfy((count: number) => count <= maxRowsRead),
        ]);
      }
  });

  test('a page of archived products reads only these, in every sort order', async () => {
    await using shop = await startShop({ engine });
    const rows = Array.from({ length: 3000 }, (_, index) => ({
      name: `Pin vise ${String(index).padStart(4, '0')}`,
      price: 100 + index,
      available: index,
      archived: index >= 1500,
    }));
    await fill(shop, rows);
    if (engine === 'postgres') await sql`analyze`.execute(shop.database.db);
    const admin = shop.client(await shop.admin());
    // Archived products have no index by rating.
    for (const sort of productSorts.filter((one) => one !== '-rating')) {
      const query = { archived: 'true', sort, limit: 20 } as const;
      const { result, statementsOf } = await recordStatements(() =>
        admin.call('listProducts', { query: { ...query, after: '02000' } }),
      );
      const isDescending = sort.startsWith('-');
      expect([sort, result[0]?.name]).toEqual([sort, `Pin vise ${isDescending ? 1999 : 2001}`]);
      const reads = statementsOf(shop.database.db).filter((statement) => /\bproduct\b/.test(statement.sql));
      const read = await countRowsRead(shop.database, 'product', reads);
      expect([sort, read]).toEqual([sort, expect.toSatisfy((count: number) => count <= 50)]);
    }
  });

  test('the sold-out products are read from their own index, however many are low', async () => {
    await using shop = await startShop({ engine });
    const rows = Array.from({ length: 3000 }, (_, index) => ({
      name: `Pin vise ${index}`,
      available: index % 100 ? 10 + index : 0,
      low: 20_000,
    }));
    await fill(shop, rows);
    if (engine === 'postgres') await sql`analyze`.execute(shop.database.db);
    const admin = shop.client(await shop.admin());
    for (const sort of ['stock', '-stock'] as const) {
      const list = () => admin.call('listProducts', { query: { inStock: 'false', sort, limit: 20 } });
      const { result, statementsOf } = await recordStatements(list);
      expect(result.map(({ a_quantity }) => a_quantity)).toEqual(Array(20).fill(0));
      const reads = statementsOf(shop.database.db).filter((statement) => /\bproduct\b/.test(statement.sql));
      expect(await countRowsRead(shop.database, 'product', reads)).toBeLessThan(200);
    }
  });

  test('only admins may use admin filters and sorts, and a page after a deleted product is rejected', async () => {
    await using shop = await startShop({ engine });
    await fill(shop, tools);
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    for (const query of [
      { sort: '-added' },
      { sort: 'stock' },
      { inStock: 'false' },
      { lowStock: 'true' },
      { weight: 'none' },
      { archived: 'true' },
    ]) {
      expect((await readProblem(await sendCall(shop, 'listProducts', { query }))).status).toBe(401);
      const asTom = await sendCall(shop, 'listProducts', { query, headers: tokenHeaders(tom) });
      expect(asTom.status).toBe(403);
    }
    const gone = { query: { sort: 'price', after: 'gone' }, headers: tokenHeaders(admin) };
    const problem = await readProblem(await sendCall(shop, 'listProducts', gone));
    expect([problem.status, problem.errors?.[0]?.field]).toEqual([422, 'after']);
    for (const query of [
      { sort: 'x' },
      { q: 'x'.repeat(101) },
      { inStock: 'yes' },
      { q: '\u0000' },
      { minPrice: '-1' },
      { minPrice: '1,5' },
      { maxPrice: '100000000000' },
    ])
      expect((await sendCall(shop, 'listProducts', { query, headers: tokenHeaders(admin) })).status).toBe(
        422,
      );
  });

  test('GET /products/filters counts the products of a list by category', async () => {
    await using shop = await startShop({ engine });
    await fill(shop, tools);
    const count = (query: z.input<typeof contract.getProductFilters.query>) =>
      shop.client().call('getProductFilters', { query });
    const [cleaning, dials, holding] = ['Cleaning', 'Dials', 'Holding'].map((category) => ({ category }));
    for (const [query, expected] of [
      [{}, [5, { ...cleaning, count: 1 }, { ...dials, count: 1 }, { ...holding, count: 2 }]],
      [{ inStock: 'true' }, [3, { ...dials, count: 1 }, { ...holding, count: 1 }]],
      [
        { q: 'p', category: 'Holding' },
        [1, { ...cleaning, count: 1 }, { ...dials, count: 1 }, { ...holding, count: 1 }],
      ],
      [{ minPrice: 9, category: 'Cleaning' }, [0, { ...dials, count: 1 }, { ...holding, count: 2 }]],
      [{ q: 'lathe' }, [0]],
    ] as const) {
      const { matches, categories, atLeast } = await count(query);
      expect([query, atLeast, matches, ...categories]).toEqual([query, undefined, ...expected]);
    }
    const refused = await sendCall(shop, 'getProductFilters', { query: { archived: 'true' } });
    expect(refused.status).toBe(401);
  });

  test('-rating sorts by average and number of reviews, page by page', async () => {
    await using shop = await startShop({ engine });
    await fill(shop, tools);
    const client = shop.client(await shop.admin());
    const rate = (at: number, rating_count: number, rating_sum: number) =>
      shop.database.db
        .updateTable('product')
        .set({ rating_count, rating_sum })
        .where('id', '=', String(at).padStart(5, '0'))
        .execute();
    await rate(1, 1, 5);
    await rate(3, 40, 196);
    await rate(4, 10, 10);
    const [puller, vise, pegwood, oiler, loupe] = tools.map(({ name }) => name);
    expect(await listNames(client, { sort: '-rating' })).toEqual([oiler, vise, pegwood, puller, loupe]);
    expect(await listNames(client, { sort: '-rating', category: 'Holding' })).toEqual([vise, loupe]);
    expect(await listNames(client, { sort: '-rating', q: 'p' })).toEqual([vise, pegwood, puller]);
  });

  test('GET /categories lists each category once, in alphabetical order', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    expect(await admin.call('listCategories', {})).toEqual({ categories: [] });
    await fill(shop, [...tools, { name: 'Lid', category: 'boxes' }]);
    const categories = ['boxes', 'Cleaning', 'Dials', 'Holding'];
    expect(await admin.call('listCategories', {})).toEqual({ categories });
  });
});
