import { rmSync } from 'node:fs';
import { buildBulkInserts, customerOrderCount, type RowCounts, rowKey } from '../tests/support/bulk-rows.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { compareShops, requestsPerName } from './alternate.ts';
import { median } from './compare.ts';
import { createFilledShop } from './filled-shop.ts';
import { buildRequest } from './generator.ts';
import { type Result, report } from './report.ts';
import { type BenchShop, makeFolder, openShop, residentMegabytes, type ShopOptions } from './shop.ts';

/**
 * Compares a shop with 1,000 rows per table to a shop with a million: requests must take about as long in both. Requests are
 * authenticated, so that they bypass the response cache. There are five runs. The ratio is the median of the runs' ratios, and
 * times are medians over the requests of all runs. `--postgres` runs it on PostgreSQL.
 */
const small: RowCounts = { products: 1000, orders: 1000, reviews: 1000, people: 1000 };
const big: RowCounts = { products: 1_000_000, orders: 1_000_000, reviews: 100_000, people: 10_000 };
const customer = 'customer@example.com';
const maxRatio = 1.3;

const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined;
const cleanups: (() => unknown)[] = [() => postgres?.stop()];
try {
  const options = { small: await createData(small), big: await createData(big) };
  const starts = { small: await measureStart(options.small), big: await measureStart(options.big) };
  const sizes = { small, big };
  const { comparisons, afterwards } = await compareShops(
    options,
    (shop, size) => buildRequests(shop, sizes[size]),
    async (shops) => ({
      largest: await getLargestList(shops.big),
      memory: { small: residentMegabytes(shops.small.pid), big: residentMegabytes(shops.big.pid) },
    }),
  );
  const { largest, memory } = afterwards;
  const results: Result[] = [...comparisons].map(([name, { ratio, ...samples }]) => {
    const ms = { small: median(samples.small), big: median(samples.big) };
    const value = `${ratio.toFixed(2)} (${ms.big.toFixed(2)} vs. ${ms.small.toFixed(2)} ms)`;
    return { name, goal: `≤ ${maxRatio}`, value, passed: ratio <= maxRatio };
  });
  const ratio = starts.big / starts.small;
  results.push(
    {
      name: 'Start',
      goal: `≤ ${maxRatio}`,
      value: `${ratio.toFixed(2)} (${Math.round(starts.big)} vs. ${Math.round(starts.small)} ms)`,
      passed: ratio <= maxRatio,
    },
    { name: 'Largest list', goal: '≤ 1 MB', value: `${largest} bytes`, passed: largest <= 1_000_000 },
    {
      name: 'Resident memory afterwards',
      goal: '≤ 300 MB',
      value: `${memory.big} MB (small shop: ${memory.small})`,
      passed: memory.big <= 300,
    },
  );
  report(`Growth: a million rows vs. a thousand${postgres ? ', on PostgreSQL' : ''}`, results);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function createData(size: RowCounts): Promise<ShopOptions> {
  const folder = makeFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return createFilledShop(folder, (engine) => buildBulkInserts(engine, size, customer), postgres?.url);
}

/** The median of three start times, in milliseconds. */
async function measureStart(options: ShopOptions): Promise<number> {
  const durationsMs: number[] = [];
  for (let round = 0; round < 3; round++) {
    const shop = await openShop(options);
    durationsMs.push(shop.startMs);
    await shop.close();
  }
  return median(durationsMs);
}

/** Requests by name. Requests for a single product or order use keys spread evenly over the table. */
async function buildRequests(shop: BenchShop, size: RowCounts): Promise<Map<string, string[]>> {
  const [own, admin] = [await shop.signIn(), await shop.signIn('admin@example.com')];
  const call = (path: string, { token }: { token: string } = admin) =>
    buildRequest(shop.port, `/api${path}`, { authorization: `Bearer ${token}` });
  const page = (path: string, { cookie }: { cookie: string } = admin) =>
    buildRequest(shop.port, path, { cookie, 'accept-encoding': 'gzip' });
  const spread = (count: number) =>
    Array.from({ length: requestsPerName }, (_, index) =>
      rowKey(1 + Math.floor((count / requestsPerName) * index)),
    );
  const middle = rowKey(Math.floor(size.products / 2));
  return new Map(
    Object.entries({
      '`GET /api/products/{id}`': spread(size.products).map((id) => call(`/products/${id}`, own)),
      '`GET /api/products`, 12': [call('/products?limit=12', own)],
      '`GET /api/products`, 12 from the middle': [call(`/products?limit=12&after=${middle}`, own)],
      '`GET /api/products`': [call('/products', own)],
      '`GET /api/reviews`': [call('/reviews', own)],
      [`\`GET /api/orders?user=\`, ${customerOrderCount}`]: [call(`/orders?user=${own.email}`, own)],
      '`GET /api/orders/{id}`': spread(size.orders).map((id) => call(`/orders/${id}`)),
      '`GET /api/order`': [call('/order')],
      '`GET /api/user`, 100': [call('/user?limit=100')],
      'Home page': [page('/', own)],
      Products: [page('/products', own)],
      Purchase: spread(size.products).map((id) => page(`/purchase/${id}`, own)),
      'My Orders': [page('/dashboard/myOrder', own)],
      'All Orders': [page('/dashboard/allOrders')],
      'Manage Products': [page('/dashboard/manageProduct')],
      'Make Admin': [page('/dashboard/users')],
    }),
  );
}

/** The size of the largest list response, in bytes. */
async function getLargestList(shop: BenchShop): Promise<number> {
  const { token } = await shop.signIn('admin@example.com');
  const lists = ['products', 'reviews', 'order', `orders?user=${customer}`, 'user', 'unknown-payments'];
  const sizes = lists.map(async (path) => {
    const response = await fetch(`${shop.origin}/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return (await response.arrayBuffer()).byteLength;
  });
  return Math.max(...(await Promise.all(sizes)));
}
