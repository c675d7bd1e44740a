import { describe, expect, test } from 'vitest';
import { insertCatalogue } from '../../bench/search-rows.ts';
import { defaultResourceLimits } from '../../server/config/resource-limits.ts';
import { engines } from '../support/database.ts';
import { runSql } from '../support/postgres.ts';
import { tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

const attacker = '203.0.113.5';
const visitor = '203.0.113.6';

const fetchFrom = (shop: TestShop, address: string, path: string, init: RequestInit = {}) =>
  shop.fetchFromAddress(new Request(shop.origin + path, init), address);

/** Requests whose responses are not in the cache; `at` makes them differ. */
const kinds: Record<string, (shop: TestShop, at: number) => [path: string, init?: RequestInit]> = {
  'pages with any value of a parameter': (_, at) => [`/login?from=/${at}`],
  'pages with a cookie': () => ['/login', { headers: { cookie: 'a=b' } }],
  'pages that do not exist': (_, at) => [`/nothing-${at}`],
  'images that do not exist': (_, at) => [`/images/${at.toString(16).padStart(64, '0')}-240.webp`],
  'posted forms': ({ origin }) => [
    '/login',
    { method: 'POST', body: new URLSearchParams({ form: 'login' }), headers: { origin } },
  ],
  'lists with any filter': (_, at) => [`/api/products?maxPrice=${1000 + at}`],
  'lists with a cookie': () => ['/api/products', { headers: { cookie: 'a=b' } }],
};

const requestCount = 200;

describe.each(engines)('on %s', (engine) => {
  test.each(Object.entries(kinds))(
    '%s that one address requests at once do not delay another address',
    async (_, describeRequest) => {
      await using shop = await startShop({ engine, demo: true });
      // The first responses take longer: they open all connections to PostgreSQL.
      const first = (address: string) =>
        Array.from({ length: 10 }, () => fetchFrom(shop, address, ...describeRequest(shop, requestCount)));
      await Promise.all([visitor, attacker].flatMap(first));
      let answered = 0;
      const flood = Array.from({ length: requestCount }, async (_, index) => {
        const { status } = await fetchFrom(shop, attacker, ...describeRequest(shop, index));
        if (status < 429) answered += 1;
        return status;
      });
      await fetchFrom(shop, visitor, ...describeRequest(shop, requestCount + 1));
      const answeredBefore = answered;
      // The address's own requests wait, and none is rejected.
      expect((await Promise.all(flood)).filter((status) => status >= 429)).toEqual([]);
      expect(answeredBefore).toBeLessThan(requestCount / 2);
    },
  );
});

test.each(Object.entries(kinds))(
  '%s that wait are dropped when their clients disconnect',
  async (_, describeRequest) => {
    await using shop = await startShop();
    const clients = new AbortController();
    const requests = Array.from({ length: 40 }, async (_, index) => {
      const [path, init] = describeRequest(shop, index);
      return (await fetchFrom(shop, attacker, path, { ...init, signal: clients.signal })).status;
    });
    clients.abort();
    const dropped = (await Promise.all(requests)).filter((status) => status === 400);
    expect(dropped.length).toBeGreaterThanOrEqual(40 - defaultResourceLimits.maxRendersPerAddress);
  },
);

test.runIf(engines.includes('postgres'))(
  'on postgres, changes that one address sends at once do not keep all connections from another address',
  async () => {
    await using shop = await startShop({ engine: 'postgres' });
    const [tom, ann, product] = [await shop.signUp(), await shop.signUp(), await shop.addProduct()];
    const change = (at: number): [string, RequestInit] => [
      `/api/basket/${product._id}`,
      {
        method: 'PUT',
        headers: { ...tokenHeaders(tom), 'content-type': 'application/json' },
        body: JSON.stringify({ quantity: 1 + (at % 9) }),
      },
    ];
    const read = () => fetchFrom(shop, visitor, '/api/basket', { headers: tokenHeaders(ann) });
    await read();
    let [answered, isOver] = [0, false];
    const flood = Array.from({ length: requestCount }, async (_, index) => {
      while (!isOver) {
        expect((await fetchFrom(shop, attacker, ...change(index))).status).toBe(200);
        answered += 1;
      }
    });
    await expect.poll(() => answered).toBeGreaterThan(20);
    const before = answered;
    const { status } = await read();
    const during = answered - before;
    isOver = true;
    await Promise.all(flood);
    expect(status).toBe(200);
    expect(during).toBeLessThan(requestCount / 4);
  },
  60_000,
);

const manyAddresses = Array.from({ length: 20 }, (_, index) => `198.51.100.${index}`);

test.runIf(engines.includes('postgres')).each([
  { origin: 'one address', addresses: manyAddresses.map(() => attacker) },
  { origin: 'many addresses', addresses: manyAddresses },
])(
  'on postgres, requests of one account from $origin that wait for its row leave connections to others',
  async ({ addresses }) => {
    await using shop = await startShop({ engine: 'postgres' });
    const [tom, ann, product] = [await shop.signUp(), await shop.signUp(), await shop.addProduct()];
    const { url } = 'url' in shop.config.database ? shop.config.database : expect.unreachable();
    const isWaiting =
      "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    const countWaiting = async () => (await runSql(url, isWaiting)).length;
    const [flood, statuses] = await shop.database.transaction(async (tx) => {
      await tx.updateTable('user').set({ phone: '1' }).where('email', '=', tom.email).execute();
      const sent = addresses.map((address) =>
        fetchFrom(shop, address, `/api/basket/${product._id}`, {
          method: 'PUT',
          headers: { ...tokenHeaders(tom), 'content-type': 'application/json' },
          body: JSON.stringify({ quantity: 1 }),
        }),
      );
      await expect.poll(countWaiting).toBeGreaterThanOrEqual(3);
      const paths = ['/readyz', '/api/basket', '/api/products?maxPrice=1', '/readyz', '/api/basket'];
      const read: number[] = [];
      for (const path of paths)
        read.push((await fetchFrom(shop, visitor, path, { headers: tokenHeaders(ann) })).status);
      return [sent, read];
    });
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
  },
);

test.each([
  { name: 'lists', turns: 1, describePath: (at: number) => `/api/products?limit=10&maxPrice=${1000 + at}` },
  // Each turn writes a thousand products.
  { name: 'sitemaps', turns: 2, describePath: () => '/sitemap/products.xml' },
])(
  'while uncached $name wait for their turns, the event loop reads other requests',
  async ({ turns, describePath }) => {
    await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
    await insertCatalogue(shop.database.db, shop.database.engine, 1500);
    let isDone = false;
    let iterations = 0;
    const count = () => {
      iterations += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const fetchAll = Array.from({ length: requestCount }, async (_, index) => {
      const response = await fetchFrom(shop, attacker, describePath(index));
      await response.text();
      return response.status;
    });
    expect(new Set(await Promise.all(fetchAll))).toEqual(new Set([200]));
    isDone = true;
    expect(iterations).toBeGreaterThan(5 * turns * requestCount);
  },
);

test.each(engines)('on %s, purchases that wait are dropped when their client disconnects', async (engine) => {
  await using shop = await startShop({ engine });
  const [tom, product] = [await shop.signUp(), await shop.addProduct({ a_quantity: 100 })];
  const lines = [{ orderId: product._id, orderQuantity: 1 }];
  const client = new AbortController();
  const purchases = Array.from({ length: 20 }, async () => {
    const init = {
      method: 'POST',
      headers: { ...tokenHeaders(tom), 'content-type': 'application/json' },
      body: JSON.stringify({ lines, price: product.price }),
      signal: client.signal,
    };
    return (await fetchFrom(shop, attacker, '/api/purchases', init)).status;
  });
  client.abort();
  const dropped = (await Promise.all(purchases)).filter((status) => status === 400);
  expect(dropped.length).toBeGreaterThanOrEqual(19);
  const placed = await shop.client(tom).call('listOwnOrders', { query: { user: tom.email } });
  expect(placed.length).toBe(20 - dropped.length);
});
