import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const settings = {
  OPEN_CATALOGUE: 'yes',
  PUBLIC_URL: 'https://shop.example',
  CONTACT_EMAIL: 'ada@mail.example',
};

/** Every row of every table, in a fixed order. Images are compared by their keys. */
async function readTables({ database: { db } }: TestShop): Promise<Record<string, string[]>> {
  const tables = (await db.introspection.getTables()).filter(({ isView }) => !isView);
  expect(tables.length).toBeGreaterThan(20);
  const contents = tables.map(async ({ schema, name }): Promise<[string, string[]]> => {
    const columns = sql.raw(name === 'image' ? 'id' : '*');
    const { rows } =
      await sql`select ${columns} from ${schema ? sql.id(schema, name) : sql.table(name)}`.execute(db);
    return [`${schema ?? 'main'}.${name}`, rows.map((row) => JSON.stringify(row)).sort()];
  });
  return Object.fromEntries(await Promise.all(contents));
}

/** Waits for the periodic work at the start, which records when it ran. */
async function waitForPeriodicWork({ database: { db } }: TestShop): Promise<void> {
  const find = () => db.selectFrom('last_time').select('name').where('name', '=', 'periodic work').execute();
  await expect.poll(find).toHaveLength(1);
  await expect.poll(() => db.selectFrom('lease').select('name').execute()).toEqual([]);
}

/** The URLs in a page, a sitemap or robots.txt, and those that its GET forms lead to. */
function listAddresses(text: string): string[] {
  const unescaped = text.replaceAll('&amp;', '&');
  const attributes = [...unescaped.matchAll(/ (?:href|src|action|formaction)="([^"#]+)/g)].map(
    ([, url = '']) => url,
  );
  const sets = [...unescaped.matchAll(/ srcset="([^"]+)"/gi)].flatMap(([, set = '']) =>
    set.split(', ').map((entry) => entry.split(' ')[0] ?? ''),
  );
  const buttons = [...unescaped.matchAll(/<button[^>]*>/g)].flatMap(([button]) => {
    const [name, value] = ['name', 'value'].map((key) => new RegExp(` ${key}="(.*?)"`).exec(button)?.[1]);
    return name && value ? `?orderQuantity=2&${name}=${value}` : [];
  });
  const locations = [...unescaped.matchAll(/<loc>(.*?)<\/loc>|Sitemap: (\S+)/g)].map(
    ([, location, sitemap]) => location ?? sitemap ?? '',
  );
  return [...attributes, ...sets, ...buttons, ...locations];
}

/** Visits every URL that a visitor can reach, as a crawler and as a prefetching browser. */
async function crawl(shop: TestShop, starts: string[]): Promise<Map<string, number>> {
  const statuses = new Map<string, number>();
  const waiting = [...starts];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (statuses.has(path)) continue;
    const response = await shop.send(path, {
      headers: { 'user-agent': 'Googlebot', 'sec-purpose': 'prefetch' },
    });
    statuses.set(path, response.status);
    expect([path, response.headers.getSetCookie()]).toEqual([path, []]);
    const isText = /html|xml|plain/.test(response.headers.get('content-type') ?? '');
    const body = await response.text();
    const location = response.headers.get('location');
    for (const address of [...(location ? [location] : []), ...(isText ? listAddresses(body) : [])]) {
      const url = URL.parse(address, new URL(path, shop.origin));
      if (url?.origin === shop.origin) waiting.push(url.pathname + url.search);
    }
    await shop.send(path, { method: 'HEAD' });
  }
  return statuses;
}

describe.each(engines)('%s', (engine) => {
  test('a crawler that follows every link of an open catalogue changes no table', async () => {
    await using shop = await startShop({ engine, settings, demo: true });
    await waitForPeriodicWork(shop);
    const before = await readTables(shop);
    const statuses = await crawl(shop, [
      '/',
      '/robots.txt',
      '/api/products?limit=3',
      '/api/reviews',
      '/basket',
      '/purchase/none',
    ]);
    const visited = [...statuses.keys()];
    const { length: products } = await shop.client().call('listProducts', { query: {} });
    expect(visited.filter((path) => /^\/purchase\/[\w-]{36}$/.test(path))).toHaveLength(products);
    for (const path of ['/sitemap/products.xml', '/products', '/login', '/signup', '/blogs', '/contact'])
      expect([path, statuses.get(path)]).toEqual([path, 200]);
    expect(visited.some((path) => path.includes('continue=login'))).toBe(true);
    expect([...statuses].filter(([, status]) => status >= 500)).toEqual([]);
    expect(await readTables(shop)).toEqual(before);
  }, 120_000);
});

test('no request header puts a foreign URL into a page, a sitemap or the cache', async () => {
  await using shop = await startShop({ settings });
  const { _id } = await shop.addProduct();
  const hostile = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'gopher',
    'x-original-url': '/evil.example',
    forwarded: 'host=evil.example',
    referer: 'https://evil.example/',
  };
  for (const path of [
    '/',
    '/products',
    `/purchase/${_id}`,
    '/sitemap.xml',
    '/sitemap/products.xml',
    '/robots.txt',
  ]) {
    const foreign = await shop.fetch(new Request(`https://evil.example${path}`));
    expect([path, foreign.status]).toEqual([path, 421]);
    for (const headers of [hostile, {}]) {
      const response = await shop.send(path, { headers });
      expect([path, response.status]).toEqual([path, 200]);
      expect(await response.text()).not.toMatch(/evil|gopher/);
    }
  }
});
