import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { bounds as decided } from '../../server/config/resource-limits.ts';
import type { Person } from '../support/ask.ts';
import { byToken } from '../support/ask.ts';
import { manyRows } from '../support/many-rows.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { listen } from '../support/statements.ts';
import { openRawConnection, parseStatuses } from './raw.ts';

const square = { create: { width: 20, height: 20, channels: 3, background: '#8a5a12' } } as const;

/** Times as short as a test can wait; a client that is not slow is far within them. */
const bounds = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 };

/** Writes a piece every now and then, for as long as the connection is there. */
async function dribble(shop: TestShop, begin: string, piece: string): Promise<string> {
  const { socket, closed, write } = await openRawConnection(shop.config.port);
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
  expect(parseStatuses(await dribble(shop, line, 'a: b\r\n'))).toEqual([408]);
  // One that says nothing any more is no other.
  const { closed, write } = await openRawConnection(shop.config.port);
  write(line);
  expect(parseStatuses(await closed)).toEqual([408]);
});

test('a client that sends its body without end is closed, and has changed nothing', async () => {
  await using shop = await startShop({ bounds });
  const person = await shop.signUp();
  await shop.listen();
  for (const [path, type] of [
    ['/api/review', 'application/json'],
    ['/1/upload', 'multipart/form-data; boundary=x'],
    ['/api/auth/sign-out', 'application/json'],
  ] as const) {
    expect([[408], [400]]).toContainEqual(
      parseStatuses(await dribble(shop, startOf(shop, person, path, type), ' ')),
    );
  }
  expect(await shop.client(person).call('isAdmin', { params: { email: person.email } })).toEqual({
    admin: false,
  });
});

/** The start of a request with a body of 90,000 bytes. */
function startOf(shop: TestShop, person: Person, path: string, type: string): string {
  return [
    `POST ${path} HTTP/1.1\r\nHost: localhost:${shop.config.port}\r\nAuthorization: Bearer ${person.token}`,
    `Content-Type: ${type}\r\nContent-Length: 90000\r\n\r\n`,
  ].join('\r\n');
}

test('a body that arrives below the minimum rate gets a 408 that says so, and the connection ends', async () => {
  // 50 pieces a second, of which each is a byte or, from a client on a slow but honest line, 2,000.
  await using shop = await startShop({
    bounds: { minBodyBytesPerSecond: 1_000, bodyGraceMs: 200, connectionsCheckingInterval: 50 },
  });
  const person = await shop.signUp();
  await shop.listen();
  for (const [path, type, message] of [
    ['/api/review', 'application/json', 'urn:problem:too_slow'],
    ['/1/upload', 'multipart/form-data; boundary=x', '"success":false,"status":408'],
    ['/api/auth/sign-in/email', 'application/json', 'TOO_SLOW'],
    ['/api/webhooks/stripe', 'application/json', 'urn:problem:too_slow'],
  ] as const) {
    const heard = await dribble(shop, startOf(shop, person, path, type), ' ');
    expect([path, parseStatuses(heard)]).toEqual([path, [408]]);
    expect(heard).toContain(message);
    expect(heard).toMatch(/\r\nconnection: close\r\n/i);
    expect(heard).toContain('The request arrived too slowly');
  }
  const { closed, write } = await openRawConnection(shop.config.port);
  // Nothing at all.
  write(startOf(shop, person, '/1/upload', 'multipart/form-data; boundary=x'));
  expect(parseStatuses(await closed)).toEqual([408]);
});

test('a slow body above the minimum rate is read to its end', async () => {
  await using shop = await startShop({
    bounds: { minBodyBytesPerSecond: 1_000, bodyGraceMs: 200, connectionsCheckingInterval: 50 },
  });
  const person = await shop.signUp();
  await shop.listen();
  const start = startOf(shop, person, '/api/review', 'application/json');
  // It takes two seconds; the server reads it, and finds that it is not JSON.
  expect(parseStatuses(await dribble(shop, start, ' '.repeat(900)))[0]).toBe(400);
});

test('many slow bodies do not keep another user from uploading', async () => {
  await using shop = await startShop();
  const customer = await shop.signUp();
  const people = await Promise.all(Array.from({ length: 9 }, () => shop.signUp()));
  await shop.listen();
  // Two bodies per user are read at a time.
  for (const person of [...people, ...people]) {
    const { socket, write } = await openRawConnection(shop.config.port);
    onTestFinished(() => void socket.destroy());
    write(`${startOf(shop, person, '/1/upload', 'multipart/form-data; boundary=x')}--x`);
  }
  const form = new FormData();
  form.set('image', new Blob([await sharp(square).png().toBuffer()]));
  const response = await fetch(`http://127.0.0.1:${shop.config.port}/1/upload`, {
    method: 'POST',
    headers: byToken(customer),
    body: form,
  });
  expect(response.status).toBe(200);
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
  const { socket, write } = await openRawConnection(port);
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
  const { socket } = await openRawConnection(shop.config.port);
  expect(await ask()).toBe('closed');
  socket.destroy();
  await expect.poll(ask).toBe(200);
});

test('a thousand requests in one piece keep nobody waiting: those that are not answered yet are few', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { port } = shop.config;
  const { closed, write } = await openRawConnection(port);
  // With a cookie each page is made anew.
  write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: a=b\r\n\r\n`.repeat(1000));
  expect(parseStatuses(await closed)).toEqual([...Array(decided.requestsAtOnce).fill(200), 503]);
});

test('what many ask for at the same moment is made once', async () => {
  await using shop = await startShop();
  const ask = () => shop.fetch(new Request(`${shop.origin}/api/products`));
  const { result, of } = await listen(() => Promise.all(Array.from({ length: 50 }, ask)));
  expect(result.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(of(shop.database.db)).toHaveLength(1);
});
