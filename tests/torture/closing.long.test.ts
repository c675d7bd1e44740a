import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openRawConnection, parseStatuses } from '../attacks/raw.ts';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { startServer } from '../support/server.ts';
import { startShop } from '../support/shop.ts';
import { createShopClient } from '../support/shop-client.ts';

/** Whether a new connection is refused. */
const isClosed = (origin: string) =>
  fetch(`${origin}/healthz`, { headers: { connection: 'close' } }).then(
    () => false,
    () => true,
  );

test('on SIGTERM the shop finishes pending requests, refuses new connections, and rejects new requests with 503', async () => {
  const folder = makeFolder();
  const port = await findFreePort();
  try {
    const shop = await startServer({ DATA_DIR: folder, PORT: `${port}` });
    const { origin } = shop;
    const shopClient = createShopClient(origin, fetch);
    const tom = await shopClient.signUp();
    const client = shopClient.client(tom);
    const product = (await client.list('listProducts', {})).rows.find(({ a_quantity }) => a_quantity > 0);
    if (!product) return expect.unreachable();
    const body = JSON.stringify({
      orderId: product._id,
      orderQuantity: product.o_quantity,
      price: Math.round(product.price * 100 * product.o_quantity) / 100,
      user: tom.email,
    });
    const head = [
      `POST /api/orders HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${tom.token}`,
      `Content-Type: application/json\r\nContent-Length: ${body.length}`,
    ].join('\r\n');

    const buying = await openRawConnection(port);
    buying.write(`${head}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 10)}`);
    // "100 Continue": the shop has started to handle the request.
    await once(buying.socket, 'data');
    const late = await openRawConnection(port);
    late.write(head);
    const idle = await openRawConnection(port);
    idle.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
    await once(idle.socket, 'data');

    const ended = shop.kill('SIGTERM');
    await expect.poll(() => isClosed(origin)).toBe(true);
    expect(parseStatuses(await idle.closed)).toEqual([200]);
    late.write(`\r\n\r\n${body}`);
    const refused = await late.closed;
    expect(parseStatuses(refused)).toEqual([503]);
    expect(refused).toMatch(/retry-after: 2\r\n/i);
    expect(refused).toMatch(/connection: close\r\n/i);
    buying.write(body.slice(10));
    const bought = await buying.closed;
    expect(parseStatuses(bought)).toEqual([100, 201]);
    expect(bought).toMatch(/connection: close\r\n/i);
    const { code, err } = await ended;
    expect(code).toBe(0);
    expect(err).not.toMatch(/"level":[456]0/);

    await startServer({ DATA_DIR: folder, PORT: `${port}` });
    const orders = await client.call('listOwnOrders', { query: { user: tom.email } });
    expect(orders.map(({ _id }) => bought.includes(_id))).toEqual([true]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the database closes only after requests whose clients have disconnected are finished', async () => {
  const shop = await startShop({ engine: 'postgres' });
  const tom = await shop.signUp();
  await shop.listen();
  const { db } = shop.database;
  const lock = await db.startTransaction().execute();
  await sql`lock table session`.execute(lock);
  const { write, socket } = await openRawConnection(shop.config.port);
  const query = `user=${encodeURIComponent(tom.email)}`;
  const host = `Host: localhost:${shop.config.port}\r\nAuthorization: Bearer ${tom.token}`;
  write(`GET /api/orders?${query} HTTP/1.1\r\n${host}\r\n\r\n`);
  const waiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(1);
  socket.destroy();
  const closed = shop.close();
  await expect.poll(() => isClosed(shop.origin)).toBe(true);
  await lock.commit().execute();
  // Closing throws if the shop has logged an error.
  await closed;
});
