import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { askPath } from '../support/ask.ts';
import { makeDatabase } from '../support/database.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** A way to a server, on which what was open can be silenced: nobody hears anything more, nor that it is over. */
async function openWay({ hostname, port }: URL) {
  const open: Socket[][] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const onward = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    client.on('error', () => undefined).pipe(onward);
    onward.on('error', () => undefined).pipe(client);
    open.push([client, onward]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open.flat()) socket.destroy();
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) return expect.unreachable();
  return {
    port: address.port,
    silence(): number {
      for (const socket of open.flat()) socket.unpipe().resume();
      return open.length;
    },
  };
}

const home = async (shop: TestShop) => (await shop.fetch(new Request(`${shop.origin}/`))).text();

test('connections to the database that fall silent hold nothing up: pages, periodic work, /readyz, the stop', async () => {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  if (!('url' in place)) return expect.unreachable();
  const way = await openWay(new URL(place.url));
  const url = new URL(place.url);
  url.port = `${way.port}`;
  const settings = { AUTH_SECRET: 'the same for both of the processes here' };
  await using beside = await startShop({ place, settings });
  const far = await startShop({
    place: { url: url.href },
    settings,
    resourceLimits: { databaseTimeoutMs: 2000 },
    logsErrors: true,
  });
  const { db } = beside.database;
  const product = await beside.addProduct();
  const tom = await beside.signUp();
  const { insertedId: id } = await beside.client(tom).call('placeOrder', {
    body: { orderId: product._id, orderQuantity: 1, price: product.price, user: tom.email },
  });
  await expect.poll(() => home(far)).toContain(product.name);
  const leases = () => db.selectFrom('lease').selectAll().execute();
  await expect.poll(leases).toEqual([]);

  // It happens in the midst of its periodic work, when that has looked for overdue orders.
  const lock = await db.startTransaction().execute();
  await sql`lock table verification`.execute(lock);
  const worked = far.doPeriodicWork().then(
    () => 'done',
    () => 'failed',
  );
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1);
  const past = Date.now() - 1000;
  await db.updateTable('orders').set({ hold_until: past }).where('id', '=', id).execute();
  expect(await leases()).toHaveLength(1);
  expect(way.silence()).toBeGreaterThan(1);
  await lock.commit().execute();

  const reviews = 'Seen by all, soon.';
  await beside.client(tom).call('addReview', { body: { rating: 5, reviews, img: product.img } });
  await expect.poll(() => home(far)).toContain(reviews);
  expect(await worked).toBe('failed');
  const statusOf = async () => {
    await far.doPeriodicWork();
    return (await beside.client(tom).call('getOrder', { params: { id } })).orderStatus;
  };
  expect(await statusOf()).toBe('expired');
  await expect.poll(leases).toEqual([]);
  await expect.poll(async () => (await askPath(far, 'GET', '/readyz')).status).toBe(200);

  const asked = far.send('/dashboard', {}, tom);
  way.silence();
  await far.close();
  expect((await asked).status).toBe(503);
});
