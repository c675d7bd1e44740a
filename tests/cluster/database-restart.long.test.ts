import { expect, inject, onTestFinished, test } from 'vitest';
import { problem } from '../../contract/problem.ts';
import { compareWithLedger } from '../load/comparison.ts';
import { placeBasket, placeOrder } from '../load/customer-actions.ts';
import { type Action, connectTo, createLoad, runLoad, signInAsAdmin } from '../load/load.ts';
import { readSecretKey } from '../load/provider-actions.ts';
import { startPostgres } from '../support/postgres.ts';
import { fetchFromProcess, poolConnections, startFleet } from './fleet.ts';

test('while PostgreSQL is down, requests and /readyz return 503 with Retry-After; three processes recover by themselves', async () => {
  const postgres = await startPostgres({ durable: true });
  onTestFinished(postgres.stop);
  const fleet = await startFleet(await poolConnections(postgres.url));
  const { origin } = fleet;
  const load = await createLoad({
    seed: inject('seed'),
    connect: connectTo([fleet]),
    admins: [await signInAsAdmin(origin)],
    provider: { origin, secretKey: await readSecretKey({ url: postgres.url }), fetch },
    hasOutages: true,
  });
  const { ledger } = load;
  const tom = await fleet.signUp();

  const pages = new Set<string>();
  let ended = false;
  const readPages = async () => {
    while (!ended) {
      const page = await fleet.send('/dashboard', {}, tom);
      await page.text();
      pages.add(`${page.status} ${page.headers.get('retry-after') ?? ''}`.trim());
    }
  };
  const readers = [readPages(), readPages()];
  const waitForOrders = async () => {
    await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
    const before = ledger.orders.size;
    await expect.poll(() => ledger.orders.size).toBeGreaterThan(before + 20);
  };
  const countUnavailable = () => ledger.rejected.get('urn:problem:unavailable') ?? 0;
  await runLoad(load, Array<Action[]>(3).fill([placeOrder, placeBasket]), async () => {
    await waitForOrders();
    for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
      await postgres.shutDown(signal);
      for (const port of fleet.ports) {
        await expect.poll(async () => (await fetchFromProcess(port, '/readyz')).status).toBe(503);
        const ready = await fetchFromProcess(port, '/readyz');
        expect(problem.parse(await ready.json())).toMatchObject({ data: { missing: 'database' } });
        expect((await fetchFromProcess(port, '/healthz')).status).toBe(200);
      }
      const before = countUnavailable();
      await expect.poll(countUnavailable).toBeGreaterThan(before + 2);
      await expect.poll(() => [...pages]).toContain('503 5');
      await postgres.restart();
      await waitForOrders();
    }
  });
  ended = true;
  await Promise.all(readers);

  expect(ledger.unanswered).toBe(0);
  // `503 1` is a conflict between two transactions, `503 5` the unavailable database.
  expect([...pages].filter((page) => !['200', '503 1', '503 5'].includes(page))).toEqual([]);
  expect([...pages]).toEqual(expect.arrayContaining(['200', '503 5']));
  expect(await compareWithLedger({ url: postgres.url }, load)).toEqual([]);
}, 120_000);
