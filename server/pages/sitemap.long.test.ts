import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { withDatabases } from '../../tests/support/auditor.ts';
import { buildBulkInserts, rowKey } from '../../tests/support/bulk-rows.ts';
import { engines } from '../../tests/support/database.ts';
import { findScansAndSorts } from '../../tests/support/query-plans.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { recordStatements } from '../../tests/support/statements.ts';

const origin = 'https://shop.example';
const settings = { OPEN_CATALOGUE: 'yes', PUBLIC_URL: origin };

const listLocations = (xml: string) => [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url = '']) => url);

async function readLocations(shop: TestShop, url: string): Promise<string[]> {
  const response = await shop.send(url.replace(origin, ''));
  expect([url, response.status, response.headers.get('content-type')]).toEqual([
    url,
    200,
    'application/xml; charset=utf-8',
  ]);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  return listLocations(await response.text());
}

/** Product n has the key `rowKey(n)`. The shop's own connection has a timeout, which a slow machine may exceed. */
async function insertProducts({ config, database }: TestShop, products: number): Promise<void> {
  const size = { products, orders: 200, reviews: 1, people: 1 };
  const inserts = buildBulkInserts(database.engine, size, 'ada@example.com');
  const inserted = inserts.filter((text) => text.startsWith('insert into product '));
  await withDatabases(config.database, async ({ shop }) => {
    for (const insert of inserted) await sql.raw(insert).execute(shop);
  });
}

describe.each(engines)('%s', (engine) => {
  test('the sitemap lists all products on sale once, in pages of 10,000 that start after a key', async () => {
    await using shop = await startShop({ engine, settings });
    await insertProducts(shop, 20_500);
    const archived = rowKey(15_000);
    await shop.database.db
      .updateTable('product')
      .set({ archived_at: 1 })
      .where('id', '=', archived)
      .execute();
    // Reads and caches what the frame of all pages shows, such as whether the shop delivers.
    await shop.send('/nowhere');
    const { result, statementsOf } = await recordStatements(async () => {
      const [pages = '', ...productPages] = await readLocations(shop, '/sitemap.xml');
      expect(await readLocations(shop, pages)).toContain(`${origin}/products`);
      const urls: string[][] = [];
      for (const page of productPages) urls.push(await readLocations(shop, page));
      return { productPages, urls };
    });
    expect(result.productPages).toEqual([
      `${origin}/sitemap/products.xml`,
      `${origin}/sitemap/products.xml?after=${rowKey(10_000)}`,
      `${origin}/sitemap/products.xml?after=${rowKey(20_000)}`,
    ]);
    expect(result.urls.map(({ length }) => length)).toEqual([10_000, 9999, 500]);
    const expected = Array.from({ length: 20_500 }, (_, index) => rowKey(index + 1))
      .filter((id) => id !== archived)
      .map((id) => `${origin}/purchase/${id}`);
    expect(result.urls.flat()).toEqual(expected);

    const statements = statementsOf(shop.database.db);
    expect(statements.length).toBeLessThanOrEqual(3 + 10 + 10 + 1);
    for (const statement of statements) {
      expect(statement.sql).not.toMatch(/offset/i);
      const found = await findScansAndSorts(shop.database, statement);
      // One page of keys, read from the primary key.
      const others = found.filter((step) => !/scan page/i.test(step));
      expect([statement.sql, others]).toEqual([statement.sql, []]);
    }
  }, 60_000);
});

test('the index lists no empty page', async () => {
  await using shop = await startShop({ settings });
  await insertProducts(shop, 10_000);
  const index = [`${origin}/sitemap/pages.xml`, `${origin}/sitemap/products.xml`];
  expect(await readLocations(shop, '/sitemap.xml')).toEqual(index);
});

test('the index is cached: reading it again does not read the products', async () => {
  await using shop = await startShop({ settings });
  const first = await readLocations(shop, '/sitemap.xml');
  const { result, statementsOf } = await recordStatements(() => readLocations(shop, '/sitemap.xml'));
  expect(result).toEqual(first);
  expect(statementsOf(shop.database.db)).toEqual([]);
});

test('unless visitors may read the catalogue, the sitemap has no products and robots.txt forbids them', async () => {
  await using shop = await startShop({ settings: { PUBLIC_URL: origin } });
  await shop.addProduct();
  expect((await readLocations(shop, '/sitemap.xml')).join()).not.toMatch(/product|purchase/);
  for (const path of ['/sitemap/products.xml', '/sitemap/pages.xml'])
    expect((await shop.send(path)).status).toBe(404);
  const rules = await readRules(shop);
  expect(['/', '/blogs', '/login'].map(rules)).toEqual([true, true, true]);
  expect(['/products', '/purchase/1', '/dashboard', '/api/products'].map(rules)).toEqual(
    Array(4).fill(false),
  );
});

test('robots.txt opens the catalogue by page and by category, but no other filters', async () => {
  await using shop = await startShop({ settings });
  const rules = await readRules(shop);
  for (const path of [
    '/',
    '/products',
    '/products?after=1',
    '/products?category=Pullers',
    '/products?category=Pullers&after=1',
    '/purchase/1',
    '/purchase/1?utm_source=mail',
  ])
    expect([path, rules(path)]).toEqual([path, true]);
  for (const path of [
    '/products?q=a',
    '/products?sort=price',
    '/products?category=Pullers&sort=price',
    '/products?from=%2F',
    '/purchase/1?orderQuantity=1&continue=login',
    '/purchase/1?reviews=best',
    '/login?from=%2F',
    '/signup?from=a',
    '/dashboard',
    '/dashboard/users',
    '/basket',
    '/api/products',
  ])
    expect([path, rules(path)]).toEqual([path, false]);
  expect((await shop.send(`/sitemap/products.xml?after=${'x'.repeat(301)}`)).status).toBe(404);
});

/** Reads robots.txt as RFC 9309 says: the longest rule that matches decides, and an allowing one wins a tie. */
async function readRules(shop: TestShop): Promise<(path: string) => boolean> {
  const text = await (await shop.send('/robots.txt')).text();
  expect(text).toContain(`Sitemap: ${origin}/sitemap.xml\n`);
  const rules = [...text.matchAll(/^(Allow|Disallow): (.+)$/gm)].map(([, kind, pattern = '']) => ({
    isAllowed: kind === 'Allow',
    length: pattern.length,
    regex: new RegExp(`^${pattern.replace(/[.?+]/g, '\\$&').replaceAll('*', '.*')}`),
  }));
  return (path) => {
    const [first] = rules
      .filter(({ regex }) => regex.test(path))
      .sort((a, b) => b.length - a.length || Number(b.isAllowed) - Number(a.isAllowed));
    return first?.isAllowed ?? true;
  };
}
