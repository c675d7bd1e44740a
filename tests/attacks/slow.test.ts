import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { bounds as decided } from '../../server/bounds.ts';
import { manyRows } from '../support/many-rows.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { listen } from '../support/statements.ts';
import { openRaw, statuses } from './raw.ts';

/** Times as short as a test can wait; a client that is not slow is far within them. */
const bounds = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };

/** Writes a piece every now and then, for as long as the connection is there. */
async function dribble(shop: TestShop, begin: string, piece: string): Promise<string> {
  const { socket, closed, write } = await openRaw(shop.config.port);
  write(begin);
  const going = setInterval(() => socket.writable && write(piece), 20);
  // What it wrote behind its answer could cost it that.
  socket.once('data', () => clearInterval(going));
  const heard = await closed;
  clearInterval(going);
  return heard;
}

test('a client that sends its headers without end is answered 408 and closed', async () => {
  await using shop = await startShop({ bounds });
  await shop.listen();
  const line = `GET / HTTP/1.1\r\nHost: localhost:${shop.config.port}\r\n`;
  expect(statuses(await dribble(shop, line, 'a: b\r\n'))).toEqual([408]);
  // One that says nothing any more is no other.
  const { closed, write } = await openRaw(shop.config.port);
  write(line);
  expect(statuses(await closed)).toEqual([408]);
});

test('a client that sends its body without end is closed, and has changed nothing', async () => {
  await using shop = await startShop({ bounds });
  const person = await shop.signUp();
  await shop.listen();
  const { port } = shop.config;
  const begin = (path: string, type: string) =>
    [
      `POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${person.token}`,
      `Content-Type: ${type}\r\nContent-Length: 90000\r\n\r\n`,
    ].join('\r\n');
  for (const [path, type] of [
    ['/api/review', 'application/json'],
    ['/1/upload', 'multipart/form-data; boundary=x'],
    ['/api/auth/sign-out', 'application/json'],
  ] as const) {
    expect([[408], [400]]).toContainEqual(statuses(await dribble(shop, begin(path, type), ' ')));
  }
  expect(await shop.client(person).call('isAdmin', { params: { email: person.email } })).toEqual({
    admin: false,
  });
});

/** The shop's end of the next connection. */
function nextSocket(): Promise<Socket> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      unsubscribe('net.server.socket', take);
      if (typeof message === 'object' && message && 'socket' in message && message.socket instanceof Socket)
        resolve(message.socket);
    };
    subscribe('net.server.socket', take);
  });
}

/** Asks for 30 MB, more than the buffers on the way can hold, and reads none of it; gives the shop's end of that. */
async function askWithoutReading(shop: TestShop): Promise<Socket> {
  const { db } = shop.database;
  for (const statement of manyRows('sqlite', { products: 1000, orders: 200, reviews: 1, people: 1 }, ''))
    await sql.raw(statement).execute(db);
  await db
    .updateTable('product')
    .set({ description: 'x'.repeat(1000) })
    .execute();
  await shop.listen();
  const { port } = shop.config;
  const taken = nextSocket();
  const { socket, write } = await openRaw(port);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  write(`GET /api/products HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: a=b\r\n\r\n`.repeat(30));
  return taken;
}

test('a connection whose client does not read its answers is closed', async () => {
  await using shop = await startShop({ bounds: { idleTimeout: 300, requestsAtOnce: 30 } });
  await using patient = await startShop({ bounds: { requestsAtOnce: 30 } });
  const kept = await askWithoutReading(patient);
  const closed = await askWithoutReading(shop);
  if (!closed.closed) await once(closed, 'close');
  // Without the bound it would still stand there, with what nobody reads.
  expect([kept.destroyed, kept.writableLength > 0]).toEqual([false, true]);
});

test('one connection too many is closed unanswered, and its place is the next one’s', async () => {
  await using shop = await startShop({ bounds: { maxConnections: 1 } });
  await shop.listen();
  const ask = () =>
    fetch(`http://127.0.0.1:${shop.config.port}/`, { headers: { connection: 'close' } }).then(
      ({ status }) => status,
      () => 'closed',
    );
  const { socket } = await openRaw(shop.config.port);
  expect(await ask()).toBe('closed');
  socket.destroy();
  await expect.poll(ask).toBe(200);
});

test('a thousand requests in one piece keep nobody waiting: those that are not answered yet are few', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { port } = shop.config;
  const { closed, write } = await openRaw(port);
  // With a cookie each page is made anew.
  write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: a=b\r\n\r\n`.repeat(1000));
  expect(statuses(await closed)).toEqual([...Array(decided.requestsAtOnce).fill(200), 503]);
});

test('what many ask for at the same moment is made once', async () => {
  await using shop = await startShop();
  const ask = () => shop.fetch(new Request(`${shop.origin}/api/products`));
  const { result, of } = await listen(() => Promise.all(Array.from({ length: 50 }, ask)));
  expect(result.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(of(shop.database.db)).toHaveLength(1);
});
