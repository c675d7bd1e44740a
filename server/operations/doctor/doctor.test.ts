import { readdirSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { getPostgresUrl, makeDatabase, makeFolder } from '../../../tests/support/database.ts';
import { findFreePort } from '../../../tests/support/port.ts';
import { runCommand } from '../../../tests/support/server.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { upsertFailures } from '../health/queries.ts';

let DATA_DIR: string;
beforeEach(() => {
  DATA_DIR = makeFolder();
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

const runDoctor = (settings: Record<string, string>) =>
  runCommand(['server/operations/commands/doctor.ts'], { DATA_DIR, ...settings }).ended;

/** As the shop was started. */
const settingsOf = ({ config }: TestShop) => ({ DATA_DIR: config.dataDir, PORT: `${config.port}` });

test('a setting that is wrong is told in one sentence, with exit code 1', async () => {
  const { code, out, err } = await runDoctor({ SHOP_CURRENCY: 'XXX' });
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^SHOP_CURRENCY is "XXX"[^\n]+\.\n$/);
});

test('before the first start nothing is wrong, and nothing is made', async () => {
  const place = join(DATA_DIR, 'deep', 'data');
  const { code, out, err } = await runDoctor({ DATA_DIR: place, PORT: `${await findFreePort()}` });
  expect({ code, err }, out).toEqual({ code: 0, err: '' });
  expect(out).toContain('the first start makes it');
  expect(out).toContain('To go live');
  expect(readdirSync(DATA_DIR)).toEqual([]);
});

test('beside a shop that runs all is right, and nothing of it changes', async () => {
  await using shop = await startShop();
  await shop.listen();
  const before = readdirSync(shop.config.dataDir);
  const { code, out, err } = await runDoctor(settingsOf(shop));
  expect({ code, err }, out).toEqual({ code: 0, err: '' });
  expect(out).toContain(`${shop.origin} is this shop`);
  expect(out).toContain('Database: it is of this version');
  expect(readdirSync(shop.config.dataDir)).toEqual(before);
  expect(shop.logged.filter(({ level }) => level > 30)).toEqual([]);
});

test('what the page Health finds is told, with the errors themselves', async () => {
  await using shop = await startShop();
  const { db } = shop.database;
  const yesterday = Date.now() - 20 * 3_600_000;
  await db.insertInto('last_time').values({ name: 'paid', at: yesterday }).execute();
  const failures = new Map([['a thing broke', { times: 3, lastAt: Date.now(), requestId: 'abc' }]]);
  await upsertFailures(db, failures);
  const { code, out } = await runDoctor(settingsOf(shop));
  expect(code, out).toBe(0);
  expect(out).toMatch(/look .*sent no webhook for the last payment/);
  expect(out).toMatch(/look .*3 things went wrong/);
  expect(out).toMatch(/look .*3 × a thing broke\n.*requestId abc/);
});

describe('a proxy in front', () => {
  /** Passes requests on to the shop with this Host; gives its own address. */
  async function openProxy(shop: TestShop, host: string): Promise<string> {
    const port = await findFreePort();
    const proxy = createServer((incoming, outgoing) => {
      const { url: path, method } = incoming;
      const onward = request(
        shop.origin,
        { path, method, headers: { ...incoming.headers, host } },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(onward);
    }).listen(port, '127.0.0.1');
    onTestFinished(() => void proxy.close());
    return `http://127.0.0.1:${port}`;
  }

  test('that changes Host is found', async () => {
    await using shop = await startShop();
    await shop.listen();
    const PUBLIC_URL = await openProxy(shop, 'shop.internal');
    const { code, out } = await runDoctor({ ...settingsOf(shop), PUBLIC_URL });
    expect(code).toBe(1);
    expect(out).toMatch(/wrong .*does not know this address \(421\)\.\n.*pass the Host header on/);
  });

  test('that is away while the shop runs is found', async () => {
    await using shop = await startShop();
    await shop.listen();
    const PUBLIC_URL = `https://127.0.0.1:${await findFreePort()}`;
    const { code, out } = await runDoctor({ ...settingsOf(shop), PUBLIC_URL });
    expect(code).toBe(1);
    expect(out).toMatch(/wrong .*does not answer .*but the shop runs at http:\/\/127.0.0.1:/);
    expect(out).toMatch(/wrong .*TRUSTED_PROXIES is not set.*\n.*TRUSTED_PROXIES=127.0.0.1,::1/);
  });
});

describe('a PostgreSQL', () => {
  test('that forgets is found, and so is one that is newer than the code', async () => {
    await using shop = await startShop({ engine: 'postgres' });
    await shop.listen();
    const { database } = shop.config;
    const settings = { ...settingsOf(shop), DATABASE_URL: 'url' in database ? database.url : '' };
    const first = await runDoctor(settings);
    // The tests' own has them off.
    expect(first.out).toMatch(/wrong .*has fsync, full_page_writes, synchronous_commit off/);
    expect(first.out).toMatch(/ok .*Database: PostgreSQL \d+/);
    expect(first.out).toContain('Database: it is of this version');
    expect(first.out).toMatch(/look .*AUTH_SECRET is not set/);

    const { db } = shop.database;
    await db.insertInto('migration').values({ name: '999-later', applied_at: 1 }).execute();
    const newer = await runDoctor(settings);
    expect(newer.out).toMatch(/wrong .*has a change \(999-later\) that this release does not know/);
  });

  test('that is empty is one to be filled; one that does not let in is told without its password', async () => {
    const { place, drop } = await makeDatabase('postgres');
    const DATABASE_URL = 'url' in place ? place.url : '';
    const PORT = `${await findFreePort()}`;
    expect((await runDoctor({ DATABASE_URL, PORT })).out).toContain('the first start fills it');
    await drop();
    const url = new URL(await getPostgresUrl());
    url.password = 'hush';
    const { code, out } = await runDoctor({ DATABASE_URL: url.href, PORT });
    expect(code).toBe(1);
    expect(out).toMatch(/wrong .*DATABASE_URL names a database that cannot be used/);
    expect(out).not.toContain('hush');
  });
});
