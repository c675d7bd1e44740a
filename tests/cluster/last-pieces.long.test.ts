import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Product } from '../../contract/catalogue/products.ts';
import type { DatabaseLocation } from '../../server/config/config.ts';
import type { Engine } from '../../server/database/schema.ts';
import type { Client } from '../../web/client/api/client.ts';
import { auditBooks, type OpeningStock, readBooks, withDatabases } from '../support/auditor.ts';
import { makeFolder, makeTestDatabase } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { builtServerPath, runProgram } from '../support/server.ts';
import { createClientAt } from '../torture/requests.ts';
import { signInAsAdmin } from '../torture/torture.ts';
import {
  basketsPerUser,
  linesPerBasket,
  type PlacedPurchase,
  placeLines,
  type ShopProcess,
  signUpUsers,
  startOrdering,
  userCount,
} from './last-pieces.ts';

const productCount = 8;
const stock = 30;
/** Confirmed purchases before the kill. The stock is enough for about twice as many. */
const confirmedBeforeKill = 20;

test.each<[victim: string, engine: Engine, processCount: number]>([
  ['one of two processes on postgres', 'postgres', 2],
  ['the only process on sqlite', 'sqlite', 1],
])(
  'after killing %s while 80 users order the last pieces, every confirmed purchase is stored once and complete',
  { timeout: 120_000 },
  async (_, engine, processCount) => {
    const place = await makeTestDatabase(engine);
    const processes: (ShopProcess & Started)[] = [];
    for (let at = 0; at < processCount; at++)
      processes.push({ ...(await startProcess(place, await findFreePort())), isDown: false });
    const [victim, survivor] = processes;
    if (!victim) return expect.unreachable();
    const admin = await signInAsAdmin(victim.origin);
    const { products, opening } = await addProducts(admin);
    const users = await signUpUsers(victim.origin);

    const recovered = Promise.withResolvers<void>();
    const ordering = startOrdering(users, products, processes, recovered.promise);
    const { confirmed, counts, unexpected } = ordering;
    await expect.poll(() => confirmed.size, { interval: 1 }).toBeGreaterThanOrEqual(confirmedBeforeKill);
    victim.isDown = true;
    await victim.kill('SIGKILL');
    // State left behind by the crash.
    expect(auditBooks(await readBooks(place), opening)).toEqual([]);
    expect(await findPartialPurchases(place)).toEqual([]);
    let restarted: Started | undefined;
    if (!survivor) {
      restarted = await startProcess(place, victim.port);
      victim.isDown = false;
    }
    recovered.resolve();
    await ordering.done;

    expect(unexpected).toEqual([]);
    expect(confirmed.size).toBeGreaterThan(confirmedBeforeKill);
    expect(counts.unanswered).toBeGreaterThan(0);
    expect(counts.soldOut).toBeGreaterThan(0);
    expect(confirmed.size + counts.soldOut).toBe(userCount * basketsPerUser);

    const last = restarted ?? survivor ?? expect.unreachable();
    const tokens = new Map(users.map(({ email, token }) => [email, token]));
    for (const [id, { email, key, lines }] of confirmed) {
      const client = createClientAt(last.origin, '10.0.0.2', tokens.get(email));
      expect((await placeLines(client, key, lines, products)).insertedId).toBe(id);
    }
    await last.kill('SIGTERM');
    expect(auditBooks(await readBooks(place), opening)).toEqual([]);
    await expectStored(place, confirmed);
    for (const { output } of [...processes, last]) {
      expect(listErrors(output)).toEqual([]);
      expect(output.out + output.err).not.toMatch(/deadlock|40P01/);
    }
    // Clients do not see a deadlock: PostgreSQL aborts one of the transactions, and the shop retries it.
    if (engine === 'postgres') expect(await countDeadlocks(place)).toBe(0);
  },
);

type Started = Awaited<ReturnType<typeof startProcess>>;

/** Starts the built shop and waits until it listens. */
async function startProcess(place: DatabaseLocation, port: number) {
  const folder = 'file' in place ? dirname(place.file) : makeFolder();
  if ('url' in place) onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = runProgram(process.execPath, [builtServerPath], {
    PORT: `${port}`,
    DATA_DIR: folder,
    AUTH_SECRET: 'the same for all of the processes here',
    TRUSTED_PROXIES: '127.0.0.1,::1',
    ...('url' in place ? { DATABASE_URL: place.url } : {}),
  });
  await program.firstLine();
  return { ...program, port, origin: `http://127.0.0.1:${port}` };
}

/** Adds the products whose last pieces are ordered. `opening` also contains the demo catalogue. */
async function addProducts(admin: Client) {
  const { rows: demo } = await admin.list('listProducts', {});
  const opening = new Map<string, OpeningStock>(
    demo.map(({ _id, a_quantity }) => [_id, { stock: a_quantity, seeded: true }]),
  );
  const products: Product[] = [];
  for (let at = 0; at < productCount; at++) {
    const { insertedId: id } = await admin.call('addProduct', {
      body: {
        name: `Pivot Gauge ${at}`,
        email: 'admin@example.com',
        price: 2,
        o_quantity: 1,
        a_quantity: stock,
        description: 'Measures pivots.',
        img: demo[0]?.img ?? '',
      },
    });
    products.push(await admin.call('getProduct', { params: { id } }));
    opening.set(id, { stock });
  }
  return { products, opening };
}

/** Purchases that lack an order, and orders that lack a purchase. */
function findPartialPurchases(place: DatabaseLocation): Promise<string[]> {
  return withDatabases(place, async ({ shop }) => {
    const rows = await shop
      .selectFrom('purchase')
      .fullJoin('order_line', 'order_line.purchase_id', 'purchase.id')
      .select(['purchase.id as purchase', 'order_line.id as order', 'purchase_id'])
      .execute();
    return [...Map.groupBy(rows, ({ purchase, purchase_id }) => purchase ?? purchase_id)]
      .filter(([, group]) => {
        const isWhole = group.every(({ purchase, order }) => purchase !== null && order !== null);
        return !isWhole || group.length !== linesPerBasket;
      })
      .map(([purchase, group]) => `purchase ${purchase} has ${group.length} orders`);
  });
}

/** Every confirmed purchase is stored with all its lines, and nothing else is. No product's stock is below zero. */
async function expectStored(place: DatabaseLocation, confirmed: Map<string, PlacedPurchase>): Promise<void> {
  expect(await findPartialPurchases(place)).toEqual([]);
  const { orders, products, keys } = await withDatabases(place, async ({ shop }) => ({
    orders: await shop
      .selectFrom('order_line')
      .innerJoin('user', 'user.id', 'order_line.user_id')
      .selectAll('order_line')
      .select('user.email')
      .orderBy('order_line.id')
      .execute(),
    products: await shop.selectFrom('product').select('available').execute(),
    keys: await shop.selectFrom('idempotency_key').select('inserted_id').execute(),
  }));
  expect(products.filter(({ available }) => available < 0)).toEqual([]);
  expect(keys.map(({ inserted_id }) => inserted_id).sort()).toEqual([...confirmed.keys()].sort());
  const stored = Map.groupBy(orders, ({ purchase_id }) => purchase_id);
  expect([...stored.keys()].sort()).toEqual([...confirmed.keys()].sort());
  for (const [id, group] of stored)
    expect({
      email: group[0]?.email,
      orders: group.map((order) => order.id),
      lines: group.map(({ product_id, quantity }) => ({ product: product_id, quantity })),
    }).toEqual({
      email: confirmed.get(id)?.email,
      orders: confirmed.get(id)?.orders,
      lines: confirmed.get(id)?.lines,
    });
}

/** Logged errors, and stderr lines that are not JSON. */
const listErrors = ({ err }: { err: string }): string[] =>
  err.split('\n').filter((line) => /"level":[56]0/.test(line) || (line !== '' && !line.startsWith('{')));

/** The number of deadlocks in this database. Backends report theirs when they exit. */
function countDeadlocks(place: DatabaseLocation): Promise<number> {
  return withDatabases(place, async ({ shop }) => {
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks::int from pg_stat_database where datname = current_database()`.execute(shop);
    return rows[0]?.deadlocks ?? expect.unreachable();
  });
}
