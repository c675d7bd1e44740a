import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configOf, listRows, pack, unpack } from '../../../tests/support/backups.ts';
import { engines, makeDatabase, makeFolder } from '../../../tests/support/database.ts';
import { placeOrder } from '../../../tests/support/payments.ts';
import { findFreePort } from '../../../tests/support/port.ts';
import { startShop } from '../../../tests/support/shop.ts';
import type { Place } from '../../config/config.ts';
import { openDatabase } from '../../database/database.ts';
import { writeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

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

/** All that stands in a place, but that it was backed up, and when a process last told of a change. */
async function rowsIn(place: Place): Promise<string[]> {
  const copy = join(folder, 'copy');
  await writeBackup(configOf(place), copy, never);
  const rows = await rowsOf(copy);
  rmSync(copy);
  return rows;
}

const rowsOf = async (backup: string) =>
  (await listRows(backup)).filter((row) => !/\["(backup|changes)",/.test(row));

async function expectRefused(place: Place, sentence: string, from = file): Promise<void> {
  const restored = restoreBackup(configOf(place), from);
  await expect(restored).rejects.toMatchObject({ name: 'ShopError' });
  await expect(restored).rejects.toThrow(sentence);
}

describe.each(engines)('%s', (engine) => {
  test('a place in which somebody has signed up is left as it is', async () => {
    const { place, drop } = await makeDatabase(engine);
    const shop = await startShop({ place });
    await shop.signUp();
    await shop.close();
    const before = await rowsIn(place);
    await expectRefused(place, 'has a shop already');
    expect(await rowsIn(place)).toEqual(before);
    await drop();
  });

  test('a shop that nobody has used gives way', async () => {
    const { place, drop } = await makeDatabase(engine);
    await (await startShop({ place })).close();
    await restoreBackup(configOf(place), file);
    expect(await rowsIn(place)).toEqual(await rowsOf(file));
    await expectRefused(place, 'has a shop already');
    await drop();
  });

  test('a database that a newer release has made is left as it is', async () => {
    const { place, drop } = await makeDatabase(engine);
    const { db, close } = await openDatabase(place);
    await db.insertInto('migration').values({ name: '999-later', applied_at: 1 }).execute();
    await expectRefused(place, '999-later');
    await expect(writeBackup(configOf(place), join(folder, 'newer'), never)).rejects.toThrow('999-later');
    expect(await db.selectFrom('migration').select('name').execute()).toContainEqual({ name: '999-later' });
    await close();
    await drop();
  });

  test('what fails in the middle leaves nothing', async () => {
    const { place, drop } = await makeDatabase(engine);
    const bad = join(folder, 'bad');
    // An order of nothing, which no database takes; the tables before it are full by then.
    pack(bad, unpack(file).replace(/(\["[^"]+","[^"]+","Pivot Gauge"),1,1250/, '$1,0,1250'));
    await expectRefused(place, 'was not restored, and nothing was changed', bad);
    await expect(rowsIn(place)).rejects.toThrow('There is no shop');
    await restoreBackup(configOf(place), file);
    await drop();
  });

  test('there is no backup of a shop that is not there, and none is made', async () => {
    const { place, drop } = await makeDatabase(engine);
    await expect(rowsIn(place)).rejects.toThrow('There is no shop in DATA_DIR or DATABASE_URL');
    expect(existsSync(join(folder, 'copy'))).toBe(false);
    if ('file' in place) expect(readdirSync(dirname(place.file))).toEqual([]);
    await drop();
  });
});

test('SQLite: a DATA_DIR on which a server runs is left to it', async () => {
  await using shop = await startShop();
  const restored = restoreBackup(shop.config, file);
  await expect(restored).rejects.toThrow('another server runs on it');
  await shop.signUp();
});

test('PostgreSQL: a database that does not answer is told in a sentence without its password', async () => {
  const place = { url: `postgres://shop:hush@127.0.0.1:${await findFreePort()}/shop` };
  await expectRefused(place, 'ECONNREFUSED');
  const stopped = writeBackup(configOf(place), join(folder, 'away'), never);
  await expect(stopped).rejects.toThrow(
    /^DATABASE_URL names a database that cannot be used: [^\n]*ECONNREFUSED/,
  );
  await expect(stopped).rejects.not.toThrow('hush');
  expect(existsSync(join(folder, 'away'))).toBe(false);
});
