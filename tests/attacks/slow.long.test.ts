import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { sql } from 'kysely';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { defaultResourceLimits } from '../../server/config/resource-limits.ts';
import { buildBulkInserts } from '../support/bulk-rows.ts';
import type { TestUser } from '../support/requests.ts';
import { tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { recordStatements } from '../support/statements.ts';
import { forgedSignature } from '../support/stripe-event.ts';
import { openRawConnection, parseStatuses } from './raw.ts';

const square = { create: { width: 20, height: 20, channels: 3, background: '#8a5a12' } } as const;

/** Short timeouts that a normal client never reaches. */
const shortTimeouts = { headersTimeoutMs: 300, requestTimeoutMs: 600, checkIntervalMs: 50 };

/** Writes a piece every 20 ms until the connection closes or a response arrives. */
async function sendSlowly(shop: TestShop, begin: string, piece: string): Promise<string> {
  const { socket, closed, write } = await openRawConnection(shop.config.port);
  write(begin);
  const interval = setInterval(() => socket.writable && write(piece), 20);
  // Data sent after the response could reset the connection and lose the response.
  socket.once('data', () => clearInterval(interval));
  const received = await closed;
  clearInterval(interval);
  return received;
}

test('a client that never finishes its headers gets a 408, and the connection ends', async () => {
  await using shop = await startShop({ resourceLimits: shortTimeouts });
  await shop.listen();
  const line = `GET / HTTP/1.1\r\nHost: localhost:${shop.config.port}\r\n`;
  expect(parseStatuses(await sendSlowly(shop, line, 'a: b\r\n'))).toEqual([408]);
  // The same for a client that stops sending.
  const { closed, write } = await openRawConnection(shop.config.port);
  write(line);
  expect(parseStatuses(await closed)).toEqual([408]);
});

test('a client that never finishes its body is disconnected, and nothing changes', async () => {
  await using shop = await startShop({ resourceLimits: shortTimeouts });
  const person = await shop.signUp();
  await shop.listen();
  for (const [path, type] of [
    ['/api/review', 'application/json'],
    ['/1/upload', 'multipart/form-data; boundary=x'],
    ['/api/auth/sign-out', 'application/json'],
  ] as const) {
    expect([[408], [400]]).toContainEqual(
      parseStatuses(await sendSlowly(shop, writeHead(shop, person, path, type), ' ')),
    );
  }
  // The token still works, so the sign-out was not processed.
  expect(await shop.client(person).call('isAdmin', { params: { email: person.email } })).toEqual({
    admin: false,
  });
});

/** The head of a request with a body of 90,000 bytes. */
function writeHead(shop: TestShop, person: TestUser, path: string, type: string): string {
  return [
    `POST ${path} HTTP/1.1\r\nHost: localhost:${shop.config.port}\r\nAuthorization: Bearer ${person.token}`,
    `Stripe-Signature: ${forgedSignature}`,
    `Content-Type: ${type}\r\nContent-Length: 90000\r\n\r\n`,
  ].join('\r\n');
}

test('a body that arrives below the minimum rate gets a 408 with the reason, and the connection ends', async () => {
  // The client sends one byte every 20 ms: 50 bytes per second.
  await using shop = await startShop({
    resourceLimits: { minBodyBytesPerSecond: 1_000, bodyGraceMs: 200, checkIntervalMs: 50 },
  });
  const person = await shop.signUp();
  await shop.listen();
  for (const [path, type, message] of [
    ['/api/review', 'application/json', 'urn:problem:too_slow'],
    ['/1/upload', 'multipart/form-data; boundary=x', '"success":false,"status":408'],
    ['/api/auth/sign-in/email', 'application/json', 'TOO_SLOW'],
    ['/api/webhooks/stripe', 'application/json', 'urn:problem:too_slow'],
  ] as const) {
    const received = await sendSlowly(shop, writeHead(shop, person, path, type), ' ');
    expect([path, parseStatuses(received)]).toEqual([path, [408]]);
    expect(received).toContain(message);
    expect(received).toMatch(/\r\nconnection: close\r\n/i);
    expect(received).toContain('The request arrived too slowly');
  }
  const { closed, write } = await openRawConnection(shop.config.port);
  // A body that never arrives.
  write(writeHead(shop, person, '/1/upload', 'multipart/form-data; boundary=x'));
  expect(parseStatuses(await closed)).toEqual([408]);
});

test('a slow body above the minimum rate is read to its end', async () => {
  await using shop = await startShop({
    resourceLimits: { minBodyBytesPerSecond: 1_000, bodyGraceMs: 200, checkIntervalMs: 50 },
  });
  const person = await shop.signUp();
  await shop.listen();
  // The rate is an average: with this start, it stays above the minimum even if both sides pause for seconds.
  const start = writeHead(shop, person, '/api/review', 'application/json') + ' '.repeat(5000);
  // The rest takes over a second; the server reads it and rejects the body as invalid JSON.
  expect(parseStatuses(await sendSlowly(shop, start, ' '.repeat(900)))[0]).toBe(400);
});

test('slow uploads by several users do not block the upload of another user', async () => {
  await using shop = await startShop();
  const customer = await shop.signUp();
  const people = await Promise.all(Array.from({ length: 9 }, () => shop.signUp()));
  await shop.listen();
  // Two bodies per user are read at a time.
  for (const person of [...people, ...people]) {
    const { socket, write } = await openRawConnection(shop.config.port);
    onTestFinished(() => void socket.destroy());
    write(`${writeHead(shop, person, '/1/upload', 'multipart/form-data; boundary=x')}--x`);
  }
  const form = new FormData();
  form.set('image', new Blob([await sharp(square).png().toBuffer()]));
  const response = await fetch(`http://127.0.0.1:${shop.config.port}/1/upload`, {
    method: 'POST',
    headers: tokenHeaders(customer),
    body: form,
  });
  expect(response.status).toBe(200);
});

/** Waits for the server's socket of the next connection. */
function waitForSocket(): Promise<Socket> {
  return new Promise((resolve) => {
    const onSocket = (message: unknown) => {
      unsubscribe('net.server.socket', onSocket);
      if (typeof message === 'object' && message && 'socket' in message && message.socket instanceof Socket)
        resolve(message.socket);
    };
    subscribe('net.server.socket', onSocket);
  });
}

/** Requests 30 MB, more than all buffers hold, and reads none of it; returns the server's socket. */
async function requestWithoutReading(shop: TestShop): Promise<Socket> {
  const { db } = shop.database;
  for (const statement of buildBulkInserts(
    'sqlite',
    { products: 1000, orders: 200, reviews: 1, people: 1 },
    '',
  ))
    await sql.raw(statement).execute(db);
  await db
    .updateTable('product')
    .set({ description: 'x'.repeat(1000) })
    .execute();
  await shop.listen();
  const { port } = shop.config;
  const serverSocket = waitForSocket();
  const { socket, write } = await openRawConnection(port);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  write(`GET /api/products HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: a=b\r\n\r\n`.repeat(30));
  return serverSocket;
}

test('a connection whose client does not read its responses is closed', async () => {
  await using shop = await startShop({
    resourceLimits: { idleTimeoutMs: 300, maxRequestsPerConnection: 30 },
  });
  await using unlimited = await startShop({ resourceLimits: { maxRequestsPerConnection: 30 } });
  const open = await requestWithoutReading(unlimited);
  const closed = await requestWithoutReading(shop);
  if (!closed.closed) await once(closed, 'close');
  // Without the short timeout the connection stays open, with unread data.
  await expect.poll(() => open.writableLength).toBeGreaterThan(0);
  expect(open.destroyed).toBe(false);
});

test('the first pipelined request above the limit closes the connection, and none of the waiting requests is answered', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { port } = shop.config;
  const { closed, write } = await openRawConnection(port);
  // The cookie bypasses the response cache.
  write(
    `GET / HTTP/1.1\r\nHost: localhost:${port}\r\nCookie: a=b\r\n\r\n`.repeat(
      defaultResourceLimits.maxRequestsPerConnection + 1,
    ),
  );
  expect(parseStatuses(await closed)).toEqual([]);
});

test('identical concurrent requests share one query', async () => {
  await using shop = await startShop();
  const request = (query = '') => shop.fetch(new Request(`${shop.origin}/api/products${query}`));
  // The first list also reads the delivery rates.
  await request('?limit=1');
  const { result, statementsOf } = await recordStatements(() =>
    Promise.all(Array.from({ length: 50 }, () => request())),
  );
  expect(result.map(({ status }) => status)).toEqual(Array(50).fill(200));
  expect(statementsOf(shop.database.db)).toHaveLength(1);
});
