import { expect, onTestFinished, test } from 'vitest';
import { problem } from '../../contract/problem.ts';
import { connect } from '../../server/database/database.ts';
import type { Schema } from '../../server/database/schema.ts';
import { startPostgres } from '../support/postgres.ts';
import { startBuyers } from '../torture/buyers.ts';
import { fetchFromProcess, poolConnections, startFleet } from './fleet.ts';

test('while PostgreSQL is down, requests and /readyz return 503 with Retry-After; three processes recover by themselves', async () => {
  const postgres = await startPostgres({ durable: true });
  onTestFinished(postgres.stop);
  const { db } = connect<Schema>({ url: postgres.url });
  onTestFinished(() => db.destroy());
  const fleet = await startFleet(await poolConnections(postgres.url));
  const tom = await fleet.signUp();
  const client = fleet.client(tom);
  const product = (await client.list('listProducts', {})).rows.find(({ o_quantity }) => o_quantity === 1);
  if (!product) return expect.unreachable();
  const stock = 1_000_000;
  await db.updateTable('product').set({ available: stock }).where('id', '=', product._id).execute();

  const pages = new Set<string>();
  let ended = false;
  const readPages = async () => {
    while (!ended) {
      const page = await fleet.send('/dashboard', {}, tom);
      await page.text();
      pages.add(`${page.status} ${page.headers.get('retry-after') ?? ''}`.trim());
    }
  };
  const { confirmed, rejected, done } = startBuyers(3, () => ended, { client, person: tom, product });
  const readers = [readPages(), readPages()];
  const waitForOrders = async () => {
    await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
    const before = confirmed.size;
    await expect.poll(() => confirmed.size).toBeGreaterThan(before + 20);
  };
  await waitForOrders();
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await postgres.shutDown(signal);
    for (const port of fleet.ports) {
      await expect.poll(async () => (await fetchFromProcess(port, '/readyz')).status).toBe(503);
      const ready = await fetchFromProcess(port, '/readyz');
      expect(problem.parse(await ready.json())).toMatchObject({ data: { missing: 'database' } });
      expect((await fetchFromProcess(port, '/healthz')).status).toBe(200);
    }
    const before = rejected.length;
    await expect.poll(() => rejected.length).toBeGreaterThan(before + 2);
    await expect.poll(() => [...pages]).toContain('503 5');
    await postgres.restart();
    await waitForOrders();
  }
  ended = true;
  await Promise.all([done, ...readers]);

  expect(new Set(rejected)).toEqual(new Set(['urn:problem:unavailable']));
  // `503 1` is a conflict between two transactions, `503 5` the unavailable database.
  expect([...pages].filter((page) => !['200', '503 1', '503 5'].includes(page))).toEqual([]);
  expect([...pages]).toEqual(expect.arrayContaining(['200', '503 5']));
  const orders = await db.selectFrom('order_line').select(['id', 'quantity']).execute();
  const stored = new Set(orders.map(({ id }) => id));
  expect([...confirmed].filter((id) => !stored.has(id))).toEqual([]);
  // Each of the three buyers may have been waiting for one response at the end.
  expect(stored.size - confirmed.size).toBeLessThanOrEqual(3);
  const { available } = await db
    .selectFrom('product')
    .select('available')
    .where('id', '=', product._id)
    .executeTakeFirstOrThrow();
  expect(available).toBe(stock - orders.length);
}, 120_000);
