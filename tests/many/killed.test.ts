import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { DatabaseLocation } from '../../server/config/config.ts';
import { openDatabase } from '../../server/database/database.ts';
import { auditBooks, auditMoney, readBooks } from '../support/auditor.ts';
import { makeDatabase } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { createChance } from '../torture/chance.ts';
import * as acts from '../torture/customer-acts.ts';
import { mayBecome, openLedger } from '../torture/ledger.ts';
import { findLost } from '../torture/shown.ts';
import { letTimePass } from '../torture/time.ts';
import { enterAsAdmin, load } from '../torture/torture.ts';
import { askProcess, startFleet } from './fleet.ts';

async function makePlace(): Promise<DatabaseLocation & { url: string }> {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  return 'url' in place ? place : expect.unreachable();
}

test('one of three processes killed under load: nothing answered is lost, stock and money add up, the others go on', async () => {
  const place = await makePlace();
  const fleet = await startFleet(place.url);
  const { origin } = fleet;
  const admin = await enterAsAdmin(origin);
  const ledger = openLedger();
  const products = (await admin.list('listProducts', {})).rows;
  for (const { _id, a_quantity } of products)
    ledger.products.set(_id, { stock: a_quantity, may: new Set(['sold']), planted: true });
  ledger.pictures.push(...products.slice(0, 1).map(({ img }) => img));
  const stage: acts.Stage = { origin, chance: createChance(Date.now()), ledger, products };
  for (let at = 0; at < 4; at++) await acts.signUp(stage);

  const more = async (count: number) => {
    const before = ledger.answered;
    await expect.poll(() => ledger.answered).toBeGreaterThan(before + count);
  };
  await load(stage, admin, async () => {
    await more(60);
    await fleet.processes[1].kill('SIGKILL');
    await more(60);
    expect(fleet.balancer.ready()).toEqual([fleet.ports[0], fleet.ports[2]]);
    await fleet.startProcess(fleet.ports[1]);
    await expect.poll(() => fleet.balancer.ready()).toEqual(fleet.ports);
    await more(60);
  });
  // At most what was under way at the one when it was killed.
  expect(ledger.unanswered).toBeLessThan(10);
  expect(await findLost(ledger, origin, admin)).toEqual([]);
  expect(auditBooks(await readBooks(place), ledger.products)).toEqual([]);

  // What the dead one had begun is finished by the look of another, when its time has come.
  for (const order of ledger.orders.values()) if (order.may.has('')) mayBecome(order, 'expired');
  await letTimePass(place);
  await fleet.startProcess(await findFreePort());
  await expect.poll(async () => auditMoney(await readBooks(place))).toEqual([]);
  expect(await findLost(ledger, origin, admin)).toEqual([]);
  expect(auditBooks(await readBooks(place), ledger.products)).toEqual([]);
}, 60_000);

test('the periodic work is done by one process at a time, and by another when that one has died at it', async () => {
  const place = await makePlace();
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
  await db.updateTable('orders').set({ hold_until: 1 }).where('id', '=', id).execute();
  const leases = () => db.selectFrom('lease').select('holder').execute();
  // How many sessions wait for the order, which nobody can end as long as it is locked from outside.
  const waiting = async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'update "orders"%'`.execute(db);
    return rows.length;
  };
  await expect.poll(leases).toEqual([]);

  let working: Awaited<ReturnType<typeof fleet.startProcess>> | undefined;
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('orders').select('id').where('id', '=', id).forUpdate().execute();
    working = await fleet.startProcess(await findFreePort());
    await expect.poll(waiting).toBe(1);
    const held = await leases();
    expect(held).toHaveLength(1);
    // Two more that come to look find it taken.
    for (const port of [await findFreePort(), await findFreePort()]) {
      await fleet.startProcess(port);
      expect((await askProcess(port, '/readyz')).status).toBe(200);
    }
    expect([await leases(), await waiting()]).toEqual([held, 1]);
    await working.kill('SIGKILL');
    expect(await leases()).toEqual(held);
  });
  const status = async () => (await fleet.client(tom).call('getOrder', { params: { id } })).orderStatus;
  expect(await status()).toBe('');
  // The minute goes by for which a lease outlives its process.
  await db
    .updateTable('lease')
    .set({ until: Date.now() - 1 })
    .execute();
  await fleet.startProcess(await findFreePort());
  await expect.poll(status).toBe('expired');
  const { a_quantity } = await fleet.client(tom).call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(product.a_quantity);
  await expect.poll(leases).toEqual([]);
}, 60_000);
