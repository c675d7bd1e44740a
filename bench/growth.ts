import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { DatabaseLocation } from '../server/config/config.ts';
import { openDatabase } from '../server/database/database.ts';
import { buildBulkInserts, customerOrderCount, type RowCounts, rowKey } from '../tests/support/bulk-rows.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { measureAlternately, openConnection } from './alternate.ts';
import { median } from './compare.ts';
import { buildRequest } from './generator.ts';
import { type Result, report } from './report.ts';
import { type BenchShop, makeFolder, openShop, residentMegabytes, withDatabaseFile } from './shop.ts';

/**
 * Compares a shop with 1,000 rows per table to one with a million: requests must take about as long in both. They are
 * authenticated, which bypasses the response cache. `--postgres` runs it on PostgreSQL.
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
  const shops = {
    small: await openShopWithCleanup(options.small),
    big: await openShopWithCleanup(options.big),
  };
  const connections = {
    small: await openConnection(shops.small.port),
    big: await openConnection(shops.big.port),
  };
  cleanups.push(connections.small.close, connections.big.close);
  const results: Result[] = [];
  const requests = {
    small: await buildRequests(shops.small, small),
    big: await buildRequests(shops.big, big),
  };
  for (const [name, big] of Object.entries(requests.big)) {
    const ms = await measureAlternately(connections, { small: requests.small[name] ?? [], big });
    const ratio = ms.big / ms.small;
    const value = `${ratio.toFixed(2)} (${ms.big.toFixed(2)} vs. ${ms.small.toFixed(2)} ms)`;
    results.push({ name, goal: `≤ ${maxRatio}`, value, passed: ratio <= maxRatio });
  }
  const largest = await getLargestList(shops.big);
  const memory = { small: residentMegabytes(shops.small.pid), big: residentMegabytes(shops.big.pid) };
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

type Options = { folder: string; settings: Record<string, string> };

/** Creates the data of a shop of this size and starts it once. */
async function createData(size: RowCounts): Promise<Options> {
  const folder = makeFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const place = postgres ? await makeDatabase(`shop_${size.products}`) : { file: join(folder, 'shop.db') };
  await fillDatabase(place, size);
  const options = { folder, settings: 'url' in place ? { DATABASE_URL: place.url } : {} };
  await (await openShop(options)).close();
  return options;
}

/** The median start time of three, in milliseconds. */
async function measureStart(options: Options): Promise<number> {
  const durationsMs: number[] = [];
  for (let round = 0; round < 3; round++) {
    const shop = await openShop(options);
    durationsMs.push(shop.startMs);
    await shop.close();
  }
  return median(durationsMs);
}

async function openShopWithCleanup(options: Options): Promise<BenchShop> {
  const shop = await openShop(options);
  cleanups.push(shop.close);
  return shop;
}

async function makeDatabase(name: string): Promise<DatabaseLocation & { url: string }> {
  const url = new URL(postgres?.url ?? '');
  await query(url.href, [`create database ${name}`]);
  url.pathname = `/${name}`;
  return { url: url.href };
}

async function fillDatabase(place: DatabaseLocation, size: RowCounts): Promise<void> {
  const database = await openDatabase(place);
  await database.close();
  const statements = buildBulkInserts(database.engine, size, customer);
  if ('url' in place) return query(place.url, [...statements, 'vacuum analyze']);
  withDatabaseFile(place.file, (file) => {
    // This data need not survive a crash.
    file.exec('pragma synchronous = off; pragma journal_mode = off; pragma cache_size = -400000');
    for (const statement of statements) file.exec(statement);
    file.exec('pragma journal_mode = wal');
  });
}

async function query(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Requests by name. Those of one product or order rotate through 500 of them, in both shops. */
async function buildRequests(shop: BenchShop, size: RowCounts): Promise<Record<string, string[]>> {
  const [own, admin] = [await shop.signIn(), await shop.signIn('admin@example.com')];
  const call = (path: string, { token }: { token: string } = admin) =>
    buildRequest(shop.port, `/api${path}`, { authorization: `Bearer ${token}` });
  const page = (path: string, { cookie }: { cookie: string } = admin) =>
    buildRequest(shop.port, path, { cookie, 'accept-encoding': 'gzip' });
  const spread = (count: number) =>
    Array.from({ length: 500 }, (_, at) => rowKey(1 + Math.floor((count / 500) * at)));
  const middle = rowKey(Math.floor(size.products / 2));
  return {
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
  };
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
