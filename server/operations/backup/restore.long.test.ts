import { existsSync, readdirSync, rmSync } from 'node:fs';
import { connect as connectTo, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  configFor,
  listBackupRows,
  readBackupLines,
  writeBackupLines,
} from '../../../tests/support/backups.ts';
import { engines, makeDatabase, makeFolder, makeTestPostgres } from '../../../tests/support/database.ts';
import { placeOrder } from '../../../tests/support/payments.ts';
import { findFreePort, listenOnFreePort } from '../../../tests/support/port.ts';
import { startShop } from '../../../tests/support/shop.ts';
import type { DatabaseLocation } from '../../config/config.ts';
import { connect, openDatabase } from '../../database/database.ts';
import type { Schema } from '../../database/schema.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write-backup.ts';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = makeFolder();
  file = join(folder, 'backup');
  await using shop = await startShop();
  await placeOrder(shop, await shop.signUp(), await shop.addProduct());
  await writeBackup(shop.config, file, never);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

/** All rows of a database, except the times of the last backup and the last cache invalidation. */
async function listDatabaseRows(place: DatabaseLocation): Promise<string[]> {
  const copy = join(folder, 'copy');
  await writeBackup(configFor(place), copy, never);
  const rows = listShopRows(copy);
  rmSync(copy);
  return rows;
}

const listShopRows = (backup: string) =>
  listBackupRows(backup).filter((row) => !/\["(backup|changes)",/.test(row));

async function expectRejected(place: DatabaseLocation, message: string, from = file): Promise<void> {
  const restored = restoreBackup(configFor(place), from);
  await expect(restored).rejects.toMatchObject({ name: 'ShopError' });
  await expect(restored).rejects.toThrow(message);
}

describe.each(engines)('%s', (engine) => {
  test('restore does not change a database in which someone has signed up', async () => {
    const { place, drop } = await makeDatabase(engine);
    const shop = await startShop({ place });
    await shop.signUp();
    await shop.close();
    const before = await listDatabaseRows(place);
    await expectRejected(place, 'already has a shop in use');
    expect(await listDatabaseRows(place)).toEqual(before);
    await drop();
  });

  test('restore replaces an unused shop', async () => {
    const { place, drop } = await makeDatabase(engine);
    await (await startShop({ place })).close();
    await restoreBackup(configFor(place), file);
    expect(await listDatabaseRows(place)).toEqual(listBackupRows(file));
    await expectRejected(place, 'already has a shop in use');
    await drop();
  });

  test('restore and backup reject a database of a newer release', async () => {
    const { place, drop } = await makeDatabase(engine);
    const { db, close } = await openDatabase(place);
    await db.insertInto('migration').values({ name: '999-later', applied_at: 1 }).execute();
    await expectRejected(place, '999-later');
    await expect(writeBackup(configFor(place), join(folder, 'newer'), never)).rejects.toThrow('999-later');
    expect(await db.selectFrom('migration').select('name').execute()).toContainEqual({ name: '999-later' });
    await close();
    await drop();
  });

  test('a restore that fails halfway leaves nothing', async () => {
    const { place, drop } = await makeDatabase(engine);
    const bad = join(folder, 'bad');
    // A quantity of zero violates a constraint, when earlier tables have been filled.
    writeBackupLines(bad, readBackupLines(file).replace(/("Pivot Gauge"),1,1250/, '$1,0,1250'));
    await expectRejected(place, 'was not restored, and nothing was changed', bad);
    await expect(listDatabaseRows(place)).rejects.toThrow('There is no shop');
    await restoreBackup(configFor(place), file);
    await drop();
  });

  test('backup fails without a shop, and creates nothing', async () => {
    const { place, drop } = await makeDatabase(engine);
    await expect(listDatabaseRows(place)).rejects.toThrow('There is no shop in DATA_DIR or DATABASE_URL');
    expect(existsSync(join(folder, 'copy'))).toBe(false);
    if ('file' in place) expect(readdirSync(dirname(place.file))).toEqual([]);
    await drop();
  });
});

test('SQLite: restore rejects a DATA_DIR on which a server runs', async () => {
  await using shop = await startShop();
  const restored = restoreBackup(shop.config, file);
  await expect(restored).rejects.toThrow('another server runs on it');
  await shop.signUp();
});

test('PostgreSQL: backup and restore use only the shop’s schema, also with upper-case letters in its name', async () => {
  const { url } = await makeTestPostgres();
  const { db } = connect<{ orders: { piece: number } }>({ url });
  for (const statement of ['create schema "MyShop"', 'create table orders (piece int)'])
    await sql.raw(statement).execute(db);
  await db.insertInto('orders').values({ piece: 1 }).execute();
  const options = encodeURIComponent('-c search_path="MyShop",public');
  const place = { url: `${url}?options=${options}` };
  await restoreBackup(configFor(place), file);
  expect(await listDatabaseRows(place)).toContainEqual(expect.stringMatching(/"order_line"/));
  expect(await sql`select piece from public.orders`.execute(db)).toMatchObject({ rows: [{ piece: 1 }] });
  await db.destroy();
});

test('PostgreSQL: an unreachable database is reported without its password', async () => {
  const place = { url: `postgres://shop:hush@127.0.0.1:${await findFreePort()}/shop` };
  await expectRejected(place, 'ECONNREFUSED');
  const stopped = writeBackup(configFor(place), join(folder, 'away'), never);
  await expect(stopped).rejects.toThrow(
    /^DATABASE_URL names a database that cannot be used: [^\n]*ECONNREFUSED/,
  );
  await expect(stopped).rejects.not.toThrow('hush');
  expect(existsSync(join(folder, 'away'))).toBe(false);
});

/** Starts a TCP proxy. `reset()` ends its connections like a server that crashes. */
async function startResettingProxy({ hostname, port }: URL) {
  const open: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connectTo(Number(port), hostname);
    upstream.on('error', () => undefined).pipe(client);
    client.on('error', () => undefined).pipe(upstream);
    client.on('close', () => upstream.destroy());
    open.push(client);
  });
  onTestFinished(() => void server.close());
  return {
    port: await listenOnFreePort(server),
    reset(): void {
      for (const client of open) client.resetAndDestroy();
    },
  };
}

test('PostgreSQL: if the connection is lost during a backup, the error names DATABASE_URL, and no file is left', async () => {
  const place = await makeTestPostgres();
  const url = new URL(place.url);
  const proxy = await startResettingProxy(url);
  url.port = `${proxy.port}`;
  await (await openDatabase(place)).close();
  const { db } = connect<Schema>(place);
  // Makes the backup wait in the middle.
  const lock = await db.startTransaction().execute();
  await sql`lock table image`.execute(lock);
  const backup = expect(
    writeBackup(configFor({ url: url.href }), join(folder, 'lost'), never),
  ).rejects.toThrow(/^DATABASE_URL names a database that cannot be used: [^\n]*ECONNRESET/);
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows).toHaveLength(1);
  proxy.reset();
  await backup;
  expect(readdirSync(folder).filter((name) => name.startsWith('lost'))).toEqual([]);
  await lock.rollback().execute();
  await db.destroy();
});
