import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { ResponseBody } from '../contract/call.ts';
import { productSorts } from '../contract/catalogue/product-sorts.ts';
import type { contract } from '../contract/contract.ts';
import type { Order } from '../contract/orders/orders.ts';
import type { DatabaseLocation } from '../server/config/config.ts';
import { openDatabase } from '../server/database/database.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { openConnection } from './alternate.ts';
import {
  type BackOfficeSize,
  bestSeller,
  buildBackOfficeInserts,
  commonCategory,
  daysAgo,
  halfAName,
  halfAProduct,
  middleDay,
  wordOfFirstProducts,
  wordOfLastProducts,
} from './back-office-rows.ts';
import { buildRequest } from './generator.ts';
import { type Result, report } from './report.ts';
import { type BenchShop, makeFolder, openShop, residentMegabytes, withDatabaseFile } from './shop.ts';

/**
 * Compares the order desk, Manage Products and the overview of a shop with a million orders to those of one with a thousand,
 * with one request at a time, and exports the million. `--postgres` runs it on PostgreSQL.
 */
const small: BackOfficeSize = { orders: 1000, people: 100, products: 1000 };
const big: BackOfficeSize = { orders: 1_000_000, people: 100_000, products: 100_000 };
const [warmUpRounds, rounds] = [30, 200];
const maxRatio = 1.3;
const maxExportMegabytes = 300;

const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined;
const maxP99Ms = postgres ? 80 : 50;
const cleanups: (() => unknown)[] = [() => postgres?.stop()];
try {
  const shops = { small: await openFilledShop(small), big: await openFilledShop(big) };
  const requests = { small: await buildRequests(shops.small), big: await buildRequests(shops.big) };
  const results: Result[] = [];
  for (const [name, request] of requests.big)
    results.push(await compareTimes(name, shops, { small: requests.small.get(name) ?? '', big: request }));
  results.push(await measureExport(shops.big));
  report(`Back office: a million orders vs. a thousand${postgres ? ', on PostgreSQL' : ''}`, results);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function openFilledShop(size: BackOfficeSize): Promise<BenchShop> {
  const folder = makeFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const place = postgres ? await createDatabase(`shop_${size.orders}`) : { file: join(folder, 'shop.db') };
  const database = await openDatabase(place);
  await database.close();
  const statements = buildBackOfficeInserts(database.engine, size);
  if ('url' in place) await runOnPostgres(place.url, [...statements, 'vacuum analyze']);
  else
    withDatabaseFile(place.file, (file) => {
      // This data need not survive a crash.
      file.exec('pragma synchronous = off; pragma journal_mode = off; pragma cache_size = -400000');
      for (const statement of statements) file.exec(statement);
      file.exec('pragma journal_mode = wal');
    });
  const settings = 'url' in place ? { DATABASE_URL: place.url } : undefined;
  const shop = await openShop({ folder, ...(settings ? { settings } : {}) });
  cleanups.push(shop.close);
  await waitForPeriodicWork(shop);
  return shop;
}

/** The first run fills the overview's totals from all orders, which takes minutes. */
async function waitForPeriodicWork(shop: BenchShop): Promise<void> {
  const { token } = await shop.signIn('admin@example.com');
  for (let isDone = false; !isDone; await setTimeout(500)) {
    const response = await fetch(`${shop.origin}/api/health`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const health: ResponseBody<typeof contract.getHealth> = await response.json();
    isDone = health.facts.periodicWork.lastFinishedAt !== null;
  }
}

async function createDatabase(name: string): Promise<DatabaseLocation & { url: string }> {
  const url = new URL(postgres?.url ?? '');
  await runOnPostgres(url.href, [`create database ${name}`]);
  url.pathname = `/${name}`;
  return { url: url.href };
}

async function runOnPostgres(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function buildRequests(shop: BenchShop): Promise<Map<string, string>> {
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
    'Half a name': { q: halfAName },
    'Email address': { q: 'person-7@' },
    'Half a product': { q: halfAProduct },
    'The best seller': { q: bestSeller },
    'A name that all customers have': { q: 'tom' },
    'A word that all products have': { q: 'brass' },
    'Half a name, highest total first': { q: halfAName, sort: '-price' },
    'Half a name, shipped': { q: halfAName, status: 'shipped' },
  };
  const someSorts = ['added', 'name', '-price', 'stock'];
  const productFilters: [name: string, query: Record<string, string>, sorts: readonly string[]][] = [
    ['Products', {}, productSorts],
    ['Products: half a word', { q: halfAProduct }, someSorts],
    ['Products: a word that all have', { q: 'brass' }, productSorts],
    ['Products: two words that all have', { q: 'brass t0' }, someSorts],
    ['Products: a word of the last ones', { q: wordOfLastProducts }, productSorts],
    ['Products: a word of the first ones', { q: wordOfFirstProducts }, productSorts],
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
      const search = new URLSearchParams({ ...query, ...limit });
      return [name, buildRequest(shop.port, `${path}?${search}`, headers)] as const;
    });
  return new Map([
    ...build('/api/order', queries, { limit: '50' }),
    // The small shop's lists are then as long as the large one's.
    ...build('/api/products', productQueries, { limit: '10' }),
    ...build('/api/overview', overviewQueries),
  ]);
}

/** Requests alternate, so other load on the machine slows both shops. */
async function compareTimes(
  name: string,
  shops: { small: BenchShop; big: BenchShop },
  requests: { small: string; big: string },
): Promise<Result> {
  const connections = {
    small: await openConnection(shops.small.port),
    big: await openConnection(shops.big.port),
  };
  const samples: { small: number[]; big: number[] } = { small: [], big: [] };
  for (let round = -warmUpRounds; round < rounds; round++)
    for (const size of round % 2 ? (['small', 'big'] as const) : (['big', 'small'] as const)) {
      const ms = await connections[size].send(requests[size]);
      if (round >= 0) samples[size].push(ms);
    }
  connections.small.close();
  connections.big.close();
  const p50 = { small: percentile(samples.small, 0.5), big: percentile(samples.big, 0.5) };
  const p99 = percentile(samples.big, 0.99);
  const ratio = p50.big / p50.small;
  return {
    name,
    goal: `≤ ${maxRatio}; p99 ≤ ${maxP99Ms} ms`,
    value: `${ratio.toFixed(2)} (${p50.big.toFixed(2)} vs. ${p50.small.toFixed(2)} ms; p99 ${p99.toFixed(1)} ms)`,
    passed: ratio <= maxRatio && p99 <= maxP99Ms,
  };
}

function percentile(numbers: number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
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
