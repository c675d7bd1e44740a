import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertCatalogue } from '../../bench/search-rows.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { recordStatements } from '../support/statements.ts';

const fetchFrom = (shop: TestShop, address: string, path: string) =>
  shop.fetchFromAddress(new Request(shop.origin + path), address);

test('searches are limited per network address, also on pages; other addresses are not affected', async () => {
  // The second limit allows almost no more words while the test runs.
  const rateLimits = { searchedWordsPerAddress: 20, searchedWordsPerAddressAndSecond: 0.001 };
  await using shop = await startShop({ rateLimits, settings: { OPEN_CATALOGUE: 'yes' } });
  const attacker = '203.0.113.5';
  const statuses: number[] = [];
  for (let index = 0; index < 4; index++) {
    const q = `z+b+c+d+e+f+g+${index}`;
    statuses.push((await fetchFrom(shop, attacker, `/api/products?q=${q}`)).status);
  }
  expect(statuses).toEqual([200, 200, 429, 429]);
  for (const path of ['/api/products/filters?q=one+two+three+four+five', '/products?q=one+two+three+four']) {
    const response = await fetchFrom(shop, attacker, path);
    expect([path, response.status, response.headers.get('location')]).toEqual([path, 429, null]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  // Lists without a search, and other addresses, are not limited.
  expect((await fetchFrom(shop, attacker, '/api/products?category=none')).status).toBe(200);
  expect((await fetchFrom(shop, '203.0.113.6', '/products?q=a+b+c+d+e+f')).status).toBe(200);
});

test('an address that has used up its searches gets a 429, and an address that sends the same search at once gets results', async () => {
  const rateLimits = { searchedWordsPerAddress: 8, searchedWordsPerAddressAndSecond: 0.001 };
  await using shop = await startShop({ rateLimits, settings: { OPEN_CATALOGUE: 'yes' } });
  await fetchFrom(shop, '203.0.113.5', '/products?q=z+b+c+d+e+f+g+h');
  for (const path of ['/api/products?q=oil', '/products?q=oil']) {
    const responses = ['203.0.113.5', '203.0.113.6'].map((address) => fetchFrom(shop, address, path));
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect([path, statuses]).toEqual([path, [429, 200]]);
  }
});

test('fifteen people who type a word in one office are not limited', async () => {
  await using shop = await startShop();
  const statuses = new Set<number>();
  for (let person = 0; person < 15; person++)
    for (let length = 1; length <= 8; length++) {
      const q = `winder${person}x`.slice(0, length);
      for (const path of [`/api/products?q=${q}&partial=true`, `/api/products/filters?q=${q}&partial=true`])
        statuses.add((await fetchFrom(shop, '203.0.113.5', path)).status);
    }
  expect([...statuses]).toEqual([200]);
});

/** A search spends most of its time on looking up words in the texts of products. */
const maxLookups = 80_000;

test('a search for eight words that many products have looks up few of them', async () => {
  await using shop = await startShop();
  const { db, engine } = shop.database;
  await insertCatalogue(db, engine, 6000);
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(db);
  using connection = new DatabaseSync(rows[0]?.file ?? '');
  let lookups = 0;
  connection.function('instr', { deterministic: true }, (text, part) => {
    lookups += 1;
    return String(text).indexOf(String(part)) + 1;
  });
  for (const q of [
    'fine strong small large long turned ground made',
    'polishe adjustabl turne groun hardene tempere finishe withou',
    'polishzd adjustzble turnzd grounz hardenzd tempezed finizhed withozt',
  ]) {
    const path = `/api/products?q=${encodeURIComponent(q)}&partial=true`;
    const { statementsOf } = await recordStatements(() => fetchFrom(shop, '203.0.113.5', path));
    lookups = 0;
    for (const { sql, parameters } of statementsOf(db))
      connection
        .prepare(sql)
        .all(...parameters.map((value) => (typeof value === 'number' ? value : `${value}`)));
    expect(lookups).toBeGreaterThan(1000);
    expect([q, lookups, lookups < maxLookups]).toEqual([q, lookups, true]);
  }
});
