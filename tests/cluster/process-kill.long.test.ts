import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../server/database/database.ts';
import { compareSettled, compareWithLedger } from '../load/comparison.ts';
import { connectTo, createLoad, runLoad, signInAsAdmin, waitForResponses } from '../load/load.ts';
import { readSecretKey } from '../load/provider-actions.ts';
import { allWorkers } from '../load/workers.ts';
import { makeTestPostgres } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { fetchFromProcess, startFleet } from './fleet.ts';

test('killing one of three processes under load loses no confirmed write, and the others keep serving', async () => {
  const place = await makeTestPostgres('demo');
  const fleet = await startFleet(place.url);
  const { origin } = fleet;
  const load = await createLoad({
    seed: inject('seed'),
    connect: connectTo([{ origin }]),
    admins: [await signInAsAdmin(origin)],
    provider: { origin, secretKey: await readSecretKey(place), fetch },
  });
  const { ledger } = load;

  await runLoad(load, allWorkers, async () => {
    await waitForResponses(load);
    await fleet.processes[1].kill('SIGKILL');
    await expect.poll(() => fleet.balancer.ready()).toEqual([fleet.ports[0], fleet.ports[2]]);
    // By now the last requests to the killed process have failed.
    await waitForResponses(load);
    const { unanswered } = ledger;
    await waitForResponses(load);
    await fleet.startProcess(fleet.ports[1]);
    await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
    await waitForResponses(load);
    expect(ledger.unanswered).toBe(unanswered);
  });
  expect(await compareWithLedger(place, load)).toEqual([]);
  // The periodic work of another process finishes what the killed one had started.
  const start = async () => fleet.startProcess(await findFreePort());
  expect(await compareSettled(place, load, start)).toEqual([]);
}, 180_000);

test('one process at a time runs the periodic work, and another process takes over when the first one dies', async () => {
  const place = await makeTestPostgres('demo');
  const fleet = await startFleet(place.url);
  const database = await openDatabase(place);
  onTestFinished(database.close);
  const { db } = database;
  const tom = await fleet.signUp();
  const [product] = (await fleet.client().list('listProducts', { query: { limit: 1 } })).rows;
  if (!product) return expect.unreachable();
  const { insertedId: id } = await fleet.client(tom).call('placeOrder', {
    body: {
      orderId: product._id,
      orderQuantity: product.o_quantity,
      price: Math.round(product.price * 100 * product.o_quantity) / 100,
      user: tom.email,
    },
  });
  await db.updateTable('purchase').set({ hold_until: 1 }).where('id', '=', id).execute();
  const leases = () => db.selectFrom('lease').select('holder').where('name', '=', 'periodic work').execute();
  // Database sessions that wait for the purchase's lock.
  const waiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'select "version" from "purchase" where "id" = % for update'`.execute(
      db,
    );
    return rows.length;
  };
  await expect.poll(leases).toEqual([]);

  let working: Awaited<ReturnType<typeof fleet.startProcess>> | undefined;
  await db.transaction().execute(async (tx) => {
    // A purchase of one order has the order's id.
    await tx.selectFrom('purchase').select('id').where('id', '=', id).forUpdate().execute();
    working = await fleet.startProcess(await findFreePort());
    await expect.poll(waiting).toBe(1);
    const held = await leases();
    expect(held).toHaveLength(1);
    // Two more processes find the lease held.
    const ports = [await findFreePort(), await findFreePort()];
    await Promise.all(ports.map((port) => fleet.startProcess(port)));
    for (const port of ports)
      await expect.poll(async () => (await fetchFromProcess(port, '/readyz')).status).toBe(200);
    expect([await leases(), await waiting()]).toEqual([held, 1]);
    await working.kill('SIGKILL');
    expect(await leases()).toEqual(held);
  });
  const status = async () => (await fleet.client(tom).call('getOrder', { params: { id } })).orderStatus;
  expect(await status()).toBe('');
  // A lease outlives its process by a minute.
  await db
    .updateTable('lease')
    .set({ until: Date.now() - 1 })
    .execute();
  await fleet.startProcess(await findFreePort());
  await expect.poll(status).toBe('expired');
  const { a_quantity } = await fleet.client(tom).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(product.a_quantity);
  await expect.poll(leases).toEqual([]);
}, 120_000);
