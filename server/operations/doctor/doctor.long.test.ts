import { readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { getPostgresUrl, makeDatabase, makeFolder } from '../../../tests/support/database.ts';
import { findFreePort } from '../../../tests/support/port.ts';
import { runCommand } from '../../../tests/support/server.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { turnOnTwoFactor } from '../../../tests/support/two-factor.ts';
import { upsertFailures } from '../health/notes.ts';

let DATA_DIR: string;
beforeEach(() => {
  DATA_DIR = makeFolder();
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

const runDoctorCommand = (settings: Record<string, string>) =>
  runCommand(['server/operations/commands/doctor.ts'], { DATA_DIR, ...settings }).ended;

/** The settings of a running shop. */
const settingsOf = ({ config }: TestShop) => ({ DATA_DIR: config.dataDir, PORT: `${config.port}` });

test('an invalid setting is reported in one sentence, with exit code 1', async () => {
  const { code, out, err } = await runDoctorCommand({ SHOP_CURRENCY: 'XXX' });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^SHOP_CURRENCY is "XXX"[^\n]+\.\n$/);
});

test('before the first start there is no error, and nothing is created', async () => {
  const dataDir = join(DATA_DIR, 'deep', 'data');
  const { code, out, err } = await runDoctorCommand({ DATA_DIR: dataDir, PORT: `${await findFreePort()}` });
  expect({ code, err }, out).toEqual({ code: 0, err: '' });
  expect(out).toContain('The first start creates it');
  expect(out).toContain('To go live');
  expect(readdirSync(DATA_DIR)).toEqual([]);
});

test('a running shop has no errors and is not changed', async () => {
  await using shop = await startShop();
  await shop.listen();
  const before = readdirSync(shop.config.dataDir);
  const { code, out, err } = await runDoctorCommand(settingsOf(shop));
  expect({ code, err }, out).toEqual({ code: 0, err: '' });
  expect(out).toContain(`${shop.origin} is this shop`);
  expect(out).toContain('Database: up to date');
  expect(readdirSync(shop.config.dataDir)).toEqual(before);
  expect(shop.logged.filter(({ level }) => level > 30)).toEqual([]);
});

test('daily totals that differ from the orders are reported', async () => {
  await using shop = await startShop();
  await shop.database.db
    .insertInto('sales_by_day')
    .values({ day: 20_000, currency: 'USD', orders: 1, revenue: 100 })
    .execute();
  const { code, out } = await runDoctorCommand(settingsOf(shop));
  expect(code, out).toBe(0);
  expect(out).toMatch(/warning .*the daily totals differ from the orders: 2024-10-04\./);
});

test('problems from the Health page are reported, with the logged errors', async () => {
  await using shop = await startShop();
  const { db } = shop.database;
  const yesterday = Date.now() - 20 * 3_600_000;
  await db.insertInto('last_time').values({ name: 'paid', at: yesterday }).execute();
  const failures = new Map([['a thing broke', { times: 3, lastAt: Date.now(), requestId: 'abc' }]]);
  await upsertFailures(db, failures);
  const { code, out } = await runDoctorCommand(settingsOf(shop));
  expect(code, out).toBe(0);
  expect(out).toMatch(/warning .*No webhook came from the stand-in for Stripe/);
  expect(out).toMatch(/warning .*3 errors in the last day/);
  expect(out).toMatch(/warning .*3 × a thing broke\n.*requestId abc/);
});

test('with REQUIRE_ADMIN_2FA, admins without two-factor sign-in are reported', async () => {
  await using shop = await startShop({ settings: { REQUIRE_ADMIN_2FA: 'yes' } });
  const settings = { ...settingsOf(shop), REQUIRE_ADMIN_2FA: 'yes' };
  const ada = await shop.admin();
  expect((await runDoctorCommand(settings)).out).toMatch(/warning .*1 of 1 admin cannot use the admin pages/);
  await turnOnTwoFactor(shop, ada, 0);
  expect((await runDoctorCommand(settings)).out).toContain('all have two-factor sign-in');
});

test('stock that does not match its history is reported', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { _id } = await shop.addProduct();
  expect((await runDoctorCommand(settingsOf(shop))).out).toContain('stock matches its history (1)');
  const { db } = shop.database;
  await db.updateTable('product').set({ available: 3 }).where('id', '=', _id).execute();
  const different = await runDoctorCommand(settingsOf(shop));
  expect(different.code).toBe(1);
  expect(different.out).toMatch(/error .*stock of 1 product differs from the history/);
  await db.updateTable('product').set({ available: 10 }).where('id', '=', _id).execute();
  expect((await runDoctorCommand(settingsOf(shop))).out).toContain('stock matches its history (1)');
  await db.updateTable('stock_change').set({ level: 9 }).where('seq', '=', 1).execute();
  const { code, out } = await runDoctorCommand(settingsOf(shop));
  expect(code).toBe(1);
  expect(out).toMatch(/error .*level after 1 change is not the previous level/);
});

describe('the doctor reports a proxy', () => {
  /** Forwards requests to the shop with this Host. Returns the proxy's URL. */
  async function openProxy(shop: TestShop, host: string): Promise<string> {
    const port = await findFreePort();
    const proxy = createServer((incoming, outgoing) => {
      const { url: path, method } = incoming;
      const forwarded = request(
        shop.origin,
        { path, method, headers: { ...incoming.headers, host } },
        (response) => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(outgoing);
        },
      );
      incoming.pipe(forwarded);
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void proxy.close());
    return `http://127.0.0.1:${port}`;
  }

  test('that changes Host', async () => {
    await using shop = await startShop();
    await shop.listen();
    const PUBLIC_URL = await openProxy(shop, 'shop.internal');
    const { code, out } = await runDoctorCommand({ ...settingsOf(shop), PUBLIC_URL });
    expect(code).toBe(1);
    expect(out).toMatch(/error .*does not know this address \(421\)\.\n.*forward the original Host header/);
  });

  test('that is unreachable while the shop runs', async () => {
    await using shop = await startShop();
    await shop.listen();
    const PUBLIC_URL = `https://127.0.0.1:${await findFreePort()}`;
    const { code, out } = await runDoctorCommand({ ...settingsOf(shop), PUBLIC_URL });
    expect(code).toBe(1);
    expect(out).toMatch(/error .*does not respond .*but the shop runs at http:\/\/127.0.0.1:/);
    expect(out).toMatch(/error .*TRUSTED_PROXIES is not set.*\n.*TRUSTED_PROXIES=127.0.0.1,::1/);
  });
});

describe('the doctor reports a PostgreSQL database', () => {
  test('that is not durable, or newer than the code', async () => {
    await using shop = await startShop({ engine: 'postgres' });
    await shop.listen();
    const { database } = shop.config;
    const settings = { ...settingsOf(shop), DATABASE_URL: 'url' in database ? database.url : '' };
    const first = await runDoctorCommand(settings);
    // The tests' server has these settings off.
    expect(first.out).toMatch(/error .*has fsync, full_page_writes, synchronous_commit off/);
    expect(first.out).toMatch(/ok .*Database: PostgreSQL \d+/);
    expect(first.out).toContain('Database: up to date');
    expect(first.out).toMatch(/warning .*AUTH_SECRET is not set/);

    const { db } = shop.database;
    await db.insertInto('migration').values({ name: '999-later', applied_at: 1 }).execute();
    const newer = await runDoctorCommand(settings);
    expect(newer.out).toMatch(
      /error .*has a migration \(999-later\) that this release does not know: start the newer release.*\n +→ Until then, the shop does not start\.\n/,
    );
    await db.updateTable('migration').set({ name: '001-identity' }).where('name', '=', '999-later').execute();
    const older = await runDoctorCommand(settings);
    expect(older.out).toMatch(/error .*before 1\.0 \(001-identity\).* another DATA_DIR or DATABASE_URL/);
    expect(older.out).not.toContain('newer release');
  });

  test('that is empty, or rejects the password, which is not shown', async () => {
    const { place, drop } = await makeDatabase('postgres');
    const DATABASE_URL = 'url' in place ? place.url : '';
    const PORT = `${await findFreePort()}`;
    expect((await runDoctorCommand({ DATABASE_URL, PORT })).out).toContain('The first start fills it');
    await drop();
    const url = new URL(await getPostgresUrl());
    url.password = 'hush';
    const { code, out } = await runDoctorCommand({ DATABASE_URL: url.href, PORT });
    expect(code).toBe(1);
    expect(out).toMatch(/error .*DATABASE_URL names a database that cannot be used/);
    expect(out).not.toContain('hush');
  });
});
