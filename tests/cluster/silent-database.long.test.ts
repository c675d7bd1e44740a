import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { makeTestPostgres } from '../support/database.ts';
import { sendRequest } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** Starts a TCP proxy. `silence()` stops forwarding on its open connections, without closing them. */
async function openProxy({ hostname, port }: URL) {
  const open: Socket[][] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    client.on('error', () => undefined).pipe(upstream);
    upstream.on('error', () => undefined).pipe(client);
    open.push([client, upstream]);
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

const readHomePage = async (shop: TestShop) => (await shop.fetch(new Request(`${shop.origin}/`))).text();

test('unresponsive database connections block neither pages nor periodic work, /readyz or the shutdown', async () => {
  const place = await makeTestPostgres('migrated');
  const proxy = await openProxy(new URL(place.url));
  const url = new URL(place.url);
  url.port = `${proxy.port}`;
  const settings = { AUTH_SECRET: 'the same for both of the processes here' };
  await using direct = await startShop({ place, settings });
  const proxied = await startShop({
    place: { url: url.href },
    settings,
    // The query below must not time out while it waits for the lock, before the proxy goes silent.
    resourceLimits: { databaseTimeoutMs: 6000 },
    allowErrorLogs: true,
  });
  const { db } = direct.database;
  const product = await direct.addProduct();
  const tom = await direct.signUp();
  const { insertedId: id } = await direct.client(tom).call('placeOrder', {
    body: { orderId: product._id, orderQuantity: 1, price: product.price, user: tom.email },
  });
  await expect.poll(() => readHomePage(proxied)).toContain(product.name);
  const leases = () => db.selectFrom('lease').selectAll().execute();
  await expect.poll(leases).toEqual([]);

  // Silence the connections in the middle of the periodic work.
  const lock = await db.startTransaction().execute();
  await sql`lock table verification`.execute(lock);
  const periodicWork = proxied.doPeriodicWork().then(
    () => 'done',
    () => 'failed',
  );
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1);
  const past = Date.now() - 1000;
  await db.updateTable('purchase').set({ hold_until: past }).where('id', '=', id).execute();
  expect(await leases()).toHaveLength(1);
  expect(proxy.silence()).toBeGreaterThan(1);
  await lock.commit().execute();

  const reviews = 'Visible everywhere soon.';
  await direct.client(tom).call('addReview', { body: { rating: 5, reviews, img: product.img } });
  await expect.poll(() => readHomePage(proxied)).toContain(reviews);
  expect(await periodicWork).toBe('failed');
  const readStatus = async () => {
    await proxied.doPeriodicWork();
    return (await direct.client(tom).call('getOrder', { params: { id } })).orderStatus;
  };
  await expect.poll(readStatus).toBe('expired');
  await expect.poll(leases).toEqual([]);
  await expect.poll(async () => (await sendRequest(proxied, 'GET', '/readyz')).status).toBe(200);

  const pending = proxied.send('/dashboard', {}, tom);
  proxy.silence();
  await proxied.close();
  expect((await pending).status).toBe(503);
});
