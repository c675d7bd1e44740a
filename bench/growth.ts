import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Place } from '../server/config/config.ts';
import { openDatabase } from '../server/database/database.ts';
import { manyRows, ordersOfCustomer, rowKey, type Size } from '../tests/support/many-rows.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { median } from './compare.ts';
import { buildRequest } from './generator.ts';
import { measureAlternately, openConnection } from './in-turn.ts';
import { type Result, report } from './report.ts';
import { type BenchShop, makeFolder, openShop, residentMegabytes, withDatabaseFile } from './shop.ts';

/**
 * A shop of 1,000 of each beside one of a million: what is asked takes as long in both. Asked as somebody who is
 * signed in, so that nothing is answered from what is kept. With `--postgres` the same on PostgreSQL.
 */
const small: Size = { products: 1000, orders: 1000, reviews: 1000, people: 1000 };
const big: Size = { products: 1_000_000, orders: 1_000_000, reviews: 100_000, people: 10_000 };
const customer = 'customer@example.com';
const mostRatio = 1.3;

const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined;
const undo: (() => unknown)[] = [() => postgres?.stop()];
try {
  const options = { small: await make(small), big: await make(big) };
  const starts = { small: await start(options.small), big: await start(options.big) };
  const shops = { small: await open(options.small), big: await open(options.big) };
  const lines = { small: await openConnection(shops.small.port), big: await openConnection(shops.big.port) };
  undo.push(lines.small.close, lines.big.close);
  const results: Result[] = [];
  const asks = { small: await requestsOf(shops.small, small), big: await requestsOf(shops.big, big) };
  for (const [what, requests] of Object.entries(asks.big)) {
    const took = await measureAlternately(lines, { small: asks.small[what] ?? [], big: requests });
    const ratio = took.big / took.small;
    const found = `${ratio.toFixed(2)} (${took.big.toFixed(2)} to ${took.small.toFixed(2)} ms)`;
    results.push({ name: what, goal: `≤ ${mostRatio}`, value: found, passed: ratio <= mostRatio });
  }
  const largest = await sizeOfLargest(shops.big);
  const memory = { small: residentMegabytes(shops.small.pid), big: residentMegabytes(shops.big.pid) };
  const ratio = starts.big / starts.small;
  results.push(
    {
      name: 'Start',
      goal: `≤ ${mostRatio}`,
      value: `${ratio.toFixed(2)} (${Math.round(starts.big)} to ${Math.round(starts.small)} ms)`,
      passed: ratio <= mostRatio,
    },
    { name: 'Largest list', goal: '≤ 1 MB', value: `${largest} bytes`, passed: largest <= 1_000_000 },
    {
      name: 'Resident afterwards',
      goal: '≤ 300 MB',
      value: `${memory.big} MB (${memory.small} of the small one)`,
      passed: memory.big <= 300,
    },
  );
  report(`Growth: a million of each, of a thousand${postgres ? ', on PostgreSQL' : ''}`, results);
} finally {
  for (const step of undo.reverse()) await step();
}

type Options = { folder: string; settings: Record<string, string> };

/** Where a shop with so many of each is, which has been started once. */
async function make(size: Size): Promise<Options> {
  const folder = makeFolder();
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  const place = postgres ? await makeDatabase(`shop_${size.products}`) : { file: join(folder, 'shop.db') };
  await fill(place, size);
  const options = { folder, settings: 'url' in place ? { DATABASE_URL: place.url } : {} };
  await (await openShop(options)).close();
  return options;
}

/** How long it takes until it is open, the middle of three. */
async function start(options: Options): Promise<number> {
  const took: number[] = [];
  for (let round = 0; round < 3; round++) {
    const shop = await openShop(options);
    took.push(shop.startTook);
    await shop.close();
  }
  return median(took);
}

async function open(options: Options): Promise<BenchShop> {
  const shop = await openShop(options);
  undo.push(shop.close);
  return shop;
}

async function makeDatabase(name: string): Promise<Place & { url: string }> {
  const url = new URL(postgres?.url ?? '');
  await query(url.href, [`create database ${name}`]);
  url.pathname = `/${name}`;
  return { url: url.href };
}

async function fill(place: Place, size: Size): Promise<void> {
  const database = await openDatabase(place);
  await database.close();
  const statements = manyRows(database.engine, size, customer);
  if ('url' in place) return query(place.url, [...statements, 'vacuum analyze']);
  withDatabaseFile(place.file, (file) => {
    // Nothing of it has to outlive a power cut.
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

/** What is asked, by its name; several addresses in turn where each shop has as many. */
async function requestsOf(shop: BenchShop, size: Size): Promise<Record<string, string[]>> {
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
    [`\`GET /api/orders?user=\`, ${ordersOfCustomer}`]: [call(`/orders?user=${own.email}`, own)],
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

/** Bytes of the longest answer that a list gives. */
async function sizeOfLargest(shop: BenchShop): Promise<number> {
  const { token } = await shop.signIn('admin@example.com');
  const lists = ['products', 'reviews', 'order', `orders?user=${customer}`, 'user', 'unknown-payments'];
  const sizes = lists.map(async (path) => {
    const answered = await fetch(`${shop.origin}/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return (await answered.arrayBuffer()).byteLength;
  });
  return Math.max(...(await Promise.all(sizes)));
}
