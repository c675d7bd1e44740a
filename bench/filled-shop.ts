import { closeSync, fsyncSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import type { ResponseBody } from '../contract/call.ts';
import type { contract } from '../contract/contract.ts';
import { openDatabase } from '../server/database/database.ts';
import type { Engine } from '../server/database/schema.ts';
import { type BenchShop, openShop, type ShopOptions, withDatabaseFile } from './shop.ts';

/** The first periodic work counts all orders, which takes minutes. */
const maxPeriodicWorkMs = 30 * 60_000;

/**
 * Fills the database of a new shop in `folder`, then runs the shop until its first periodic work has added all orders to the
 * overview's totals, which takes minutes for a million. Returns the options to open it. The database is a file, or on the
 * PostgreSQL server at `serverUrl`.
 */
export async function createFilledShop(
  folder: string,
  buildInserts: (engine: Engine) => string[],
  serverUrl: string | undefined,
): Promise<ShopOptions> {
  const settings: Record<string, string> = {};
  if (serverUrl) settings.DATABASE_URL = await createDatabase(serverUrl);
  const place = settings.DATABASE_URL ? { url: settings.DATABASE_URL } : { file: join(folder, 'shop.db') };
  const database = await openDatabase(place);
  await database.close();
  const inserts = buildInserts(database.engine);
  if ('url' in place) await runOnPostgres(place.url, [...inserts, 'vacuum analyze']);
  else fillFile(place.file, inserts);
  const shop = await openShop({ folder, settings });
  try {
    await waitForPeriodicWork(shop, 0);
  } finally {
    await shop.close();
  }
  return { folder, settings };
}

function fillFile(path: string, inserts: string[]): void {
  withDatabaseFile(path, (database) => {
    // This data need not survive a crash. A rollback journal stays small, because it does not record new rows.
    database.exec('pragma journal_mode = delete; pragma synchronous = off; pragma cache_size = -400000');
    for (const insert of inserts) database.exec(insert);
    database.exec('pragma journal_mode = wal');
  });
  // Write the file to the disk now. Otherwise, the shop's first checkpoint would wait for all of it.
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Waits until periodic work has finished after `sinceMs`, a `Date.now()` time. */
export async function waitForPeriodicWork(shop: BenchShop, sinceMs: number): Promise<void> {
  const { token } = await shop.signIn('admin@example.com');
  const headers = { authorization: `Bearer ${token}` };
  const deadline = Date.now() + maxPeriodicWorkMs;
  while (Date.now() < deadline) {
    const response = await fetch(`${shop.origin}/api/health`, { headers });
    if (!response.ok) throw new Error(await response.text());
    const health: ResponseBody<typeof contract.getHealth> = await response.json();
    const { lastFinishedAt } = health.facts.periodicWork;
    if (lastFinishedAt !== null && Date.parse(lastFinishedAt) > sinceMs) return;
    await setTimeout(500);
  }
  throw new Error('The periodic work did not finish.');
}

let databases = 0;

/** Creates a database with a new name on the server, and returns its URL. */
export async function createDatabase(serverUrl: string): Promise<string> {
  databases += 1;
  const name = `shop_${databases}`;
  await runOnPostgres(serverUrl, [`create database ${name}`]);
  return new URL(name, serverUrl).href;
}

export async function runOnPostgres(url: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
