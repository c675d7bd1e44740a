import { rmSync } from 'node:fs';
import { productSorts } from '../contract/catalogue/product-sorts.ts';
import type { Order } from '../contract/orders/orders.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { type Comparison, compareShops } from './alternate.ts';
import {
  type BackOfficeSize,
  bestSeller,
  buildBackOfficeInserts,
  commonCategory,
  customerNamePrefix,
  daysAgo,
  middleDay,
  productNamePrefix,
  wordInFirstProducts,
  wordInLastProducts,
} from './back-office-rows.ts';
import { median, percentile } from './compare.ts';
import { createFilledShop } from './filled-shop.ts';
import { buildRequest } from './generator.ts';
import { type Result, report } from './report.ts';
import { type BenchShop, makeFolder, residentMegabytes } from './shop.ts';

/**
 * Compares the order desk, Manage Products and the overview of a shop with a million orders to the same pages of a shop with a
 * thousand, with one request at a time. Also exports the million orders. There are five runs. The ratio is the median of the runs'
 * ratios, and the times are percentiles over the requests of all runs. `--postgres` runs it on PostgreSQL.
 *
 * If both shops find the same number of rows, the large shop may take at most 1.3 times as long. If the large shop finds more, a
 * higher ratio is allowed. The limit of the p99 is the same for all.
 */
const small: BackOfficeSize = { orders: 1000, people: 100, products: 1000 };
const big: BackOfficeSize = { orders: 1_000_000, people: 100_000, products: 100_000 };
/** The highest allowed ratios of requests for which the large shop finds more rows. Keys are the starts of the requests' names. */
const maxRatiosForMoreRows = {
  // The large shop has 1,370 orders a day, and the small shop one or two. The year to date includes the orders of today.
  'Seven days, highest total first': 6,
  'Overview of the year to date': 2,
  // A search reads up to 1,000 products, or 2,000 for two words. In the small shop, only 250 match, or 1,000 for two words.
  'Products: a word that the last quarter has': 3.5,
  'Products: a word that the first quarter has': 3.5,
  'Products: two words that all have': 2.5,
  // In the small shop, PostgreSQL reads the whole table of products. In the large shop, it looks up as many products by key.
  'Products: a word that all have': 1.5,
};
const maxRatio = 1.3;
const maxExportMegabytes = 300;

const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined;
const maxP99Ms = postgres ? 80 : 50;
const cleanups: (() => unknown)[] = [() => postgres?.stop()];
try {
  const options = { small: await createShop(small), big: await createShop(big) };
  const { comparisons, afterwards } = await compareShops(options, buildRequests, ({ big }) =>
    measureExport(big),
  );
  const results = [...comparisons].map(([name, comparison]) => toResult(name, comparison));
  results.push(afterwards);
  report(`Back office: a million orders vs. a thousand${postgres ? ', on PostgreSQL' : ''}`, results);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function createShop(size: BackOfficeSize) {
  const folder = makeFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return createFilledShop(folder, (engine) => buildBackOfficeInserts(engine, size), postgres?.url);
}

async function buildRequests(shop: BenchShop): Promise<Map<string, readonly string[]>> {
  const { token } = await shop.signIn('admin@example.com');
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${shop.origin}/api/order?status=paid&limit=1`, { headers });
  const [order]: Order[] = await response.json();
  const { number = '', transactionId = '' } = order ?? {};
  const queries: Record<string, Record<string, string>> = {
    'All, newest first': {},
    'Oldest first': { sort: 'created' },
    'Highest total first': { sort: '-price' },
    'Lowest total first': { sort: 'price' },
    Unpaid: { status: 'unpaid' },
    'To ship': { status: 'paid' },
    Shipped: { status: 'shipped' },
    Expired: { status: 'expired' },
    Refunded: { status: 'refunded' },
    Disputed: { status: 'disputed' },
    'Shipped, highest total first': { status: 'shipped', sort: '-price' },
    'Up to a day': { to: middleDay },
    'Up to a day, highest total first': { to: middleDay, sort: '-price' },
    'Seven days, highest total first': { from: daysAgo(106), to: daysAgo(100), sort: '-price' },
    'Number, in lower case': { q: number.toLowerCase() },
    'Start of a number': { q: number.slice(0, 7) },
    Transaction: { q: transactionId },
    'Half a name': { q: customerNamePrefix },
    'Email address': { q: 'person-7@' },
    // The small shop has only nine of these orders, so the large shop's list must not be longer.
    'Half a product': { q: productNamePrefix, limit: '9' },
    'The best seller': { q: bestSeller },
    'A name that all customers have': { q: 'tom' },
    'A word that all products have': { q: 'brass' },
    'Half a name, highest total first': { q: customerNamePrefix, sort: '-price' },
    'Half a name, shipped': { q: customerNamePrefix, status: 'shipped' },
  };
  const someSorts = ['added', 'name', '-price', 'stock'];
  const productFilters: [name: string, query: Record<string, string>, sorts: readonly string[]][] = [
    ['Products', {}, productSorts],
    ['Products: half a word', { q: productNamePrefix }, someSorts],
    ['Products: a word that all have', { q: 'brass' }, productSorts],
    ['Products: two words that all have', { q: 'brass t0' }, someSorts],
    ['Products: a word that the last 250 have', { q: wordInLastProducts.few }, productSorts],
    ['Products: a word that the first 250 have', { q: wordInFirstProducts.few }, productSorts],
    ['Products: a word that the last quarter has', { q: wordInLastProducts.quarter }, productSorts],
    ['Products: a word that the first quarter has', { q: wordInFirstProducts.quarter }, productSorts],
    ['Products of a category', { category: commonCategory }, someSorts],
    ['Products that are archived', { archived: 'true' }, someSorts],
    ['Products that are sold out', { inStock: 'false' }, someSorts],
    ['Products with low stock', { lowStock: 'true' }, someSorts],
  ];
  const productQueries = Object.fromEntries(
    productFilters.flatMap(([name, query, sorts]) =>
      sorts.map((sort) => [`${name}, by ${sort}`, { ...query, sort }]),
    ),
  );
  const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
  const dayOf = (monthIndex: number, day: number) =>
    new Date(Date.UTC(year, monthIndex, day)).toISOString().slice(0, 10);
  const sinceMonday = (new Date().getUTCDay() + 6) % 7;
  const overviewQueries: Record<string, Record<string, string>> = {
    Overview: {},
    'Overview of the month before': { from: dayOf(month - 1, 1), to: dayOf(month, 0) },
    'Overview of the year before': { from: `${year - 1}-01-01`, to: `${year - 1}-12-31` },
    'Overview of the year to date': { from: `${year}-01-01` },
    'Overview of a day': { from: daysAgo(100), to: daysAgo(100) },
    'Overview of a calendar week': { from: daysAgo(sinceMonday + 70), to: daysAgo(sinceMonday + 64) },
    'Overview of any seven days': { from: daysAgo(sinceMonday + 69), to: daysAgo(sinceMonday + 63) },
  };
  const build = (path: string, all: Record<string, Record<string, string>>, limit?: Record<string, string>) =>
    Object.entries(all).map(([name, query]) => {
      const search = new URLSearchParams({ ...limit, ...query });
      return [name, [buildRequest(shop.port, `${path}?${search}`, headers)]] as const;
    });
  return new Map([
    ...build('/api/order', queries, { limit: '50' }),
    // With this limit, both shops' lists are equally long.
    ...build('/api/products', productQueries, { limit: '10' }),
    ...build('/api/overview', overviewQueries),
  ]);
}

function toResult(name: string, { ratio, ...samples }: Comparison): Result {
  const p50 = { small: median(samples.small), big: median(samples.big) };
  const p99 = percentile(samples.big, 0.99);
  const [, highest = maxRatio] =
    Object.entries(maxRatiosForMoreRows).find(([start]) => name.startsWith(start)) ?? [];
  return {
    name,
    goal: `≤ ${highest}; p99 ≤ ${maxP99Ms} ms`,
    value: `${ratio.toFixed(2)} (${p50.big.toFixed(2)} vs. ${p50.small.toFixed(2)} ms; p99 ${p99.toFixed(1)} ms)`,
    passed: ratio <= highest && p99 <= maxP99Ms,
  };
}

async function measureExport(shop: BenchShop): Promise<Result> {
  const { token } = await shop.signIn('admin@example.com');
  const before = residentMegabytes(shop.pid);
  const startedAt = performance.now();
  const response = await fetch(`${shop.origin}/api/order?format=csv`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let [bytes, highest, chunks] = [0, before, 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    chunks += 1;
    if (chunks % 200 === 0) highest = Math.max(highest, residentMegabytes(shop.pid));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    name: 'Export: highest resident memory',
    goal: `≤ ${maxExportMegabytes} MB`,
    value: `${highest} MB (${before} before; ${Math.round(bytes / 1e6)} MB in ${Math.round(seconds)} s)`,
    passed: highest <= maxExportMegabytes,
  };
}
