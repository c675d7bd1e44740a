import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../server/database/database.ts';
import type { Schema } from '../../server/database/schema.ts';
import { auditBooks, type OpeningStock, readBooks } from '../support/auditor.ts';
import { makeTestPostgres } from '../support/database.ts';
import { startFleet } from './fleet.ts';
import { makeNextRelease, nextMigration } from './next-release.ts';
import { startTraffic } from './traffic.ts';

test('a rolling upgrade, including its migration, fails no request', async () => {
  const place = await makeTestPostgres();
  const next = makeNextRelease();
  const fleet = await startFleet(place.url);
  const people = await Promise.all(['Tom', 'Ada', 'Eve'].map((name) => fleet.signUp(name)));
  const products = (await fleet.client().list('listProducts', {})).rows;
  const product = products.find(({ o_quantity }) => o_quantity === 1);
  if (!product) return expect.unreachable();
  const { db } = connect<Schema>(place);
  onTestFinished(() => db.destroy());
  const stock = 1_000_000;
  await db.updateTable('product').set({ available: stock }).where('id', '=', product._id).execute();
  const listMigrations = async () =>
    (await db.selectFrom('migration').select('name').execute()).map(({ name }) => name);

  const { completed, failed, end } = startTraffic(fleet, product, people);
  const waitForOrders = async (count: number) => {
    const { ordered } = completed;
    await expect.poll(() => completed.ordered).toBeGreaterThan(ordered + count);
  };
  await waitForOrders(10);
  for (const [at, old] of fleet.processes.entries()) {
    const port = fleet.ports[at] ?? expect.unreachable();
    expect(await listMigrations()).toEqual(
      at === 0 ? expect.not.arrayContaining([nextMigration]) : expect.arrayContaining([nextMigration]),
    );
    const ended = old.kill('SIGTERM');
    await expect.poll(() => fleet.balancer.ready()).not.toContain(port);
    // A second signal changes nothing.
    void old.kill('SIGTERM');
    const { code, err } = await ended;
    expect([code, err.match(/"level":[456]0.*/)]).toEqual([0, null]);
    await fleet.startProcess(port, next);
    await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
    await waitForOrders(10);
  }
  await end();
  expect(failed).toEqual([]);
  expect(completed.paid).toBeGreaterThan(10);
  const opening = new Map<string, OpeningStock>(
    products.map(({ _id, a_quantity }) => [_id, { stock: a_quantity, seeded: true }]),
  );
  opening.set(product._id, { stock, seeded: true });
  expect(auditBooks(await readBooks(place), opening)).toEqual([]);
}, 120_000);
