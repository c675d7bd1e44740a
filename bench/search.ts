/**
 * Measures how long shops with 1,000, 100,000 and a million products take to search, filter and sort them, one request at a
 * time, and how fast they add products with and without the search index. `--postgres` runs it on PostgreSQL,
 * `--sizes=1000,100000` with these numbers of products.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Uploaded } from '../contract/catalogue/images.ts';
import type { DatabaseLocation } from '../server/config/config.ts';
import { connect } from '../server/database/database.ts';
import { migrate } from '../server/database/migrate.ts';
import type { Schema } from '../server/database/schema.ts';
import { startPostgres } from '../tests/support/postgres.ts';
import { openConnection } from './alternate.ts';
import { median, percentile } from './compare.ts';
import { createDatabase, runOnPostgres } from './filled-shop.ts';
import { buildRequest } from './generator.ts';
import { type Result, report } from './report.ts';
import { insertCatalogue } from './search-rows.ts';
import { type BenchShop, makeFolder, openShop, readShareImage, withDatabaseFile } from './shop.ts';

const argument = process.argv.find((text) => text.startsWith('--sizes='));
const sizes = (argument?.slice('--sizes='.length) ?? '1000,100000,1000000').split(',').map(Number);
const [warmUpRounds, rounds] = [10, 100];
const maxRatio = 1.3;
const minAddRatio = 0.6;
const addRounds = 150;

const postgres = process.argv.includes('--postgres') ? await startPostgres() : undefined;
const maxSearchMs = (size: number) => (size > 100_000 ? (postgres ? 120 : 80) : postgres ? 50 : 25);

const searches: Record<string, Record<string, string>> = {
  'A word': { q: 'winder' },
  'Two words': { q: 'mainspring winder' },
  'Two words with typos': { q: 'mainsprng windr' },
  'Inside a word': { q: 'spring' },
  'Inside many words': { q: 'ing' },
  'A letter': { q: 'p' },
  'A word that most have': { q: 'the' },
  'Two common words': { q: 'brass steel' },
  'A size': { q: '3.5 mm' },
  'Eight letters': { q: 'a b c d e f g h' },
  'A hundred characters of garbage': { q: 'xqzjv'.repeat(20) },
  Nothing: { q: 'compass drum' },
  'Some of several words': { q: 'thing to hold the brass compass winder while working', partial: 'true' },
  'Some of eight common words': {
    q: 'brass steel winder holes mainspring pivot clocks compass',
    partial: 'true',
  },
  'Misspelled prefixes': { q: 'mainsprnig winde', partial: 'true' },
  'Chinese and an emoji': { q: '工具 时钟 😀' },
  'A word, cheapest first': { q: 'brass', sort: 'price' },
  'A word of a category in stock': { q: 'brass', category: 'Winding', inStock: 'true' },
};
const filters: Record<string, Record<string, string>> = {
  'All, oldest first': {},
  'All, by name': { sort: 'name' },
  'All, cheapest first': { sort: 'price' },
  'A category': { category: 'Winding' },
  'A category, by name': { category: 'Winding', sort: 'name' },
  'A category, dearest first': { category: 'Winding', sort: '-price' },
  'In stock': { inStock: 'true' },
  'In stock, cheapest first': { inStock: 'true', sort: 'price' },
  'Up to a price, cheapest first': { maxPrice: '100', sort: 'price' },
  'A category up to a price, dearest first': { category: 'Winding', maxPrice: '100', sort: '-price' },
};

const sessions = new Map<BenchShop, Promise<{ token: string }>>();
const signIn = (shop: BenchShop) =>
  sessions.getOrInsertComputed(shop, () => shop.signIn('admin@example.com'));

const cleanups: (() => unknown)[] = [() => postgres?.stop()];
try {
  const results: Result[] = [];
  const shops: { size: number; place: DatabaseLocation; shop: BenchShop }[] = [];
  for (const size of sizes) shops.push({ size, ...(await openFilledShop(size)) });
  for (const [name, query] of Object.entries(searches)) {
    const times = await measure(query, shops, '/api/products');
    for (const [index, { size }] of shops.entries()) {
      if (size < 100_000) continue;
      const p99 = percentile(times[index] ?? [], 0.99);
      results.push({
        name: `${name}, ${size} products`,
        goal: `p99 ≤ ${maxSearchMs(size)} ms`,
        value: `p99 ${p99.toFixed(1)} ms (median ${median(times[index] ?? []).toFixed(1)})`,
        passed: p99 <= maxSearchMs(size),
      });
    }
  }
  for (const [name, query] of Object.entries(filters)) {
    const times = await measure(query, shops, '/api/products');
    const [small = 0, ...others] = times.map(median);
    for (const [index, median] of others.entries())
      results.push({
        name: `${name}, ${shops[index + 1]?.size} products vs. ${sizes[0]}`,
        goal: `≤ ${maxRatio}`,
        value: `${(median / small).toFixed(2)} (${median.toFixed(2)} vs. ${small.toFixed(2)} ms)`,
        passed: median / small <= maxRatio,
      });
  }
  for (const [name, query] of Object.entries({ 'Counts of all': {}, 'Counts of a search': { q: 'brass' } })) {
    const times = await measure(query, shops, '/api/products/filters');
    for (const [index, { size }] of shops.entries())
      results.push({
        name: `${name}, ${size} products`,
        goal: '',
        value: `p99 ${percentile(times[index] ?? [], 0.99).toFixed(1)} ms (median ${median(times[index] ?? []).toFixed(1)})`,
      });
  }
  for (const one of shops) results.push(await compareAdding(one));
  report(`Search${postgres ? ' on PostgreSQL' : ''}: ${sizes.join(', ')} products`, results);
} finally {
  for (const cleanup of cleanups.reverse()) await cleanup();
}

async function openFilledShop(size: number): Promise<{ place: DatabaseLocation; shop: BenchShop }> {
  const folder = makeFolder();
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const place = postgres ? { url: await createDatabase(postgres.url) } : { file: join(folder, 'shop.db') };
  const { db, engine } = connect<Schema>(place);
  await migrate(db, engine);
  await insertCatalogue(db, engine, size);
  await db.destroy();
  if ('url' in place) await runOnPostgres(place.url, ['vacuum analyze']);
  const shop = await openShop({
    folder,
    ...('url' in place ? { settings: { DATABASE_URL: place.url } } : {}),
  });
  cleanups.push(shop.close);
  return { place, shop };
}

/**
 * Sends the query as an admin. Returns the times of each shop's requests in milliseconds. Requests alternate between the shops, so
 * other load on the machine slows all of them.
 */
async function measure(
  query: Record<string, string>,
  all: { shop: BenchShop }[],
  path: string,
): Promise<number[][]> {
  const targets = await Promise.all(
    all.map(async ({ shop }) => {
      const { token } = await signIn(shop);
      const search = new URLSearchParams(path.endsWith('filters') ? query : { ...query, limit: '12' });
      const request = buildRequest(shop.port, `${path}?${search}`, { authorization: `Bearer ${token}` });
      return { request, connection: await openConnection(shop.port), times: [] as number[] };
    }),
  );
  for (let round = -warmUpRounds; round < rounds; round++)
    for (const { request, connection, times } of round % 2 ? targets : targets.toReversed()) {
      const ms = await connection.send(request);
      if (round >= 0) times.push(ms);
    }
  return targets.map(({ connection, times }) => {
    connection.close();
    return times;
  });
}

/** Compares how many products can be added per second with and without the trigger that fills the index. */
async function compareAdding({
  size,
  place,
  shop,
}: {
  size: number;
  place: DatabaseLocation;
  shop: BenchShop;
}): Promise<Result> {
  const { token } = await signIn(shop);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const form = new FormData();
  form.set('image', new Blob([readShareImage()]));
  const upload = { method: 'POST', headers: { authorization: headers.authorization }, body: form };
  const uploaded: Uploaded = await (await fetch(`${shop.origin}/1/upload?key=`, upload)).json();
  const img = uploaded.data?.url ?? '';
  const add = async (): Promise<number> => {
    const startedAt = performance.now();
    for (let index = 0; index < addRounds; index++) {
      const body = {
        name: `Brass winder, ${index} mm`,
        price: 10,
        o_quantity: 1,
        a_quantity: 5,
        description: 'Winds a clock mainspring out of its barrel and back in. Steel bed, 200 mm.',
        img,
      };
      const response = await fetch(`${shop.origin}/api/product`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      if (response.status !== 201) throw new Error(await response.text());
      await response.arrayBuffer();
    }
    return addRounds / ((performance.now() - startedAt) / 1000);
  };
  await add();
  const indexed = await add();
  const drop = 'drop trigger product_search_added';
  if ('url' in place) await runOnPostgres(place.url, [`${drop} on product`]);
  else withDatabaseFile(place.file, (file) => file.exec(drop));
  const plain = await add();
  const ratio = indexed / plain;
  return {
    name: `Adding a product with its index, ${size} products`,
    goal: `≥ ${minAddRatio}`,
    value: `${ratio.toFixed(2)} (${indexed.toFixed(0)} vs. ${plain.toFixed(0)} per second)`,
    passed: ratio >= minAddRatio,
  };
}
