import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, onTestFinished } from 'vitest';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { loadOnce } from '../../server/config/load-once.ts';
import type { Engine } from '../../server/database/schema.ts';
import { fillDatabase, type TemplateKind } from './templates.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Both engines, for `describe.each(engines)`. */
export const engines: Engine[] = ['sqlite', 'postgres'];

/**
 * Creates a database, empty or as a copy of a template, which takes a tenth of the time of the migrations. `drop` removes
 * it, even while it is in use.
 */
export async function makeDatabase(
  engine: Engine,
  template?: TemplateKind,
): Promise<{ place: DatabaseLocation; drop: () => Promise<void> }> {
  return engine === 'sqlite' ? makeSqlite(template) : makePostgres(template);
}

/** Creates a database like `makeDatabase`, which is dropped at the end of the test. */
export async function makeTestDatabase(engine: Engine, template?: TemplateKind): Promise<DatabaseLocation> {
  const { place, drop } = await makeDatabase(engine, template);
  onTestFinished(drop);
  return place;
}

/** Like `makeTestDatabase`, on PostgreSQL. */
export async function makeTestPostgres(template?: TemplateKind): Promise<{ url: string }> {
  const place = await makeTestDatabase('postgres', template);
  return 'url' in place ? place : expect.unreachable();
}

async function makeSqlite(
  template?: TemplateKind,
): Promise<{ place: DatabaseLocation; drop: () => Promise<void> }> {
  const folder = makeFolder();
  const file = join(folder, 'shop.db');
  // Scripts outside Vitest have no global setup, and create only one shop.
  if (template && !process.env.VITEST) await fillDatabase({ file }, template);
  else if (template) copyFileSync(await requestShared(`sqlite/${template}`), file);
  return {
    place: { file },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function makePostgres(
  template?: TemplateKind,
): Promise<{ place: DatabaseLocation; drop: () => Promise<void> }> {
  const name = `shop_${randomBytes(6).toString('hex')}`;
  const source = template ? await requestShared(`postgres/${template}`) : 'template1';
  // Copying files is several times as fast as the default, which writes every block to the log.
  await (await openCreator()).query(`create database ${name} template ${source} strategy file_copy`);
  const url = new URL(await requestShared(process.env.PGBOUNCER ? 'pgbouncer' : 'postgres'));
  url.pathname = `/${name}`;
  const drop = async () => (await openDropper()).query(`drop database if exists ${name} with (force)`);
  // The drop is not awaited, because the server waits 100 ms for connections that are being closed.
  return { place: { url: url.href }, drop: async () => void drop() };
}

/** URL of the run's PostgreSQL server, as its superuser. */
export const getPostgresUrl = () => requestShared('postgres');

const shared = new Map<string, Promise<string>>();

/** Requests what `global-setup.ts` creates once for all workers. */
function requestShared(path: string): Promise<string> {
  const known = shared.get(path) ?? fetchShared(path);
  shared.set(path, known);
  return known;
}

async function fetchShared(path: string): Promise<string> {
  const response = await fetch(`${inject('databases')}/${path}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** Two connections per worker, so that creating a database does not wait for another to be dropped. */
const openCreator = loadOnce(openAdministrator);
const openDropper = loadOnce(openAdministrator);

/** A pool of one connection, which queues what concurrent tests send. It closes with the worker or the server. */
async function openAdministrator(): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: await getPostgresUrl(), max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined);
  return pool;
}

/** Creates an empty folder, such as a `DATA_DIR`. */
export function makeFolder(): string {
  return mkdtempSync(join(temporaryFolder, 'shop-test-'));
}
