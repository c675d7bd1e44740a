import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { defaultResourceLimits } from '../../server/config/resource-limits.ts';
import { createShares } from '../../server/http/connections/shares.ts';
import { parseMetrics, readMetric } from '../support/prometheus.ts';
import { tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { forgedSignature } from '../support/stripe-event.ts';
import { openRawConnection, parseStatuses, sendRaw } from './raw.ts';

const metricsToken = 'a-token-of-the-metrics';
const forgedHeader = `Stripe-Signature: ${forgedSignature}\r\n`;
const proxied = { TRUSTED_PROXIES: '127.0.0.1' };

/** The head of a request, from a client behind the trusted proxy if `from` is given. */
function buildHead(
  shop: TestShop,
  line: string,
  { from, cookie = false, body = '' }: { from?: string; cookie?: boolean; body?: string } = {},
): string {
  const headers = [`Host: localhost:${shop.config.port}`];
  if (from) headers.push(`X-Forwarded-For: ${from}`);
  // Bypasses the response cache.
  if (cookie) headers.push('Cookie: a=b');
  if (body) headers.push(body);
  return `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
}

async function openConnection(shop: TestShop, localAddress?: string) {
  const raw = await openRawConnection(shop.config.port, localAddress);
  onTestFinished(() => void raw.socket.destroy());
  return raw;
}

/** The server's sockets of all connections to a shop from now on. */
function collectSockets({ config }: TestShop): Socket[] {
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => {
    if (typeof message !== 'object' || !message || !('socket' in message)) return;
    const { socket } = message;
    if (socket instanceof Socket && socket.localPort === config.port) sockets.push(socket);
  };
  subscribe('net.server.socket', onSocket);
  onTestFinished(() => void unsubscribe('net.server.socket', onSocket));
  return sockets;
}

async function countResponses(shop: TestShop, call: string): Promise<number> {
  const response = await fetch(`http://localhost:${shop.config.port}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  });
  return readMetric(parseMetrics(await response.text()), 'http_requests_total', { call }) ?? 0;
}

/** Adds products whose list is 1 MB. */
async function fillList(shop: TestShop): Promise<void> {
  const { _id } = await shop.addProduct();
  const product = await shop.database.db
    .selectFrom('product')
    .selectAll()
    .where('id', '=', _id)
    .executeTakeFirstOrThrow();
  const description = 'x'.repeat(2000);
  for (let index = 0; index < 600; index++)
    await shop.database.db
      .insertInto('product')
      .values({ ...product, id: `${_id}-${index}`, description })
      .execute();
}

test('an address’s share shrinks as a resource is used up, so a few addresses cannot use up all of it', () => {
  const shares = createShares(1000);
  const takeAll = (address: string) => {
    const held: (() => void)[] = [];
    for (let taken = shares.take(address); taken; taken = shares.take(address)) held.push(taken);
    return held;
  };
  const first = takeAll('first');
  expect(first.length).toBeGreaterThan(300);
  expect(first.length).toBeLessThan(340);
  expect(shares.take('other', 1000)).toBe(undefined);
  let addresses = 1;
  while (takeAll(`address ${addresses}`).length > 0) addresses += 1;
  expect(addresses).toBeGreaterThan(150);
  expect(shares.take('late')).toBe(undefined);
  // A second call of the same release changes nothing.
  first[0]?.();
  first[0]?.();
  expect(shares.take('late')).toBeDefined();
  expect(shares.take('later')).toBe(undefined);
  expect(shares.take('first')).toBe(undefined);
});

test('pipelined requests for a cached page wait for the response before them', async () => {
  await using shop = await startShop({ settings: { METRICS_TOKEN: metricsToken } });
  await fillList(shop);
  await shop.listen();
  const plain = { headers: { 'accept-encoding': 'identity' } };
  await (await fetch(`http://localhost:${shop.config.port}/api/products`, plain)).text();
  const { socket, write } = await openConnection(shop);
  // Wait for a first response, so that the connection is accepted before the flood.
  write(buildHead(shop, 'GET /healthz'));
  await once(socket, 'data');
  const before = await countResponses(shop, 'listProducts');
  socket.pause();
  // These requests are more than all buffers hold.
  write(buildHead(shop, 'GET /api/products').repeat(500));
  await expect.poll(() => countResponses(shop, 'listProducts')).toBeGreaterThan(before);
  for (let index = 0; index < 5; index++) await countResponses(shop, 'listProducts');
  const { maxRequestsPerConnection } = defaultResourceLimits;
  expect((await countResponses(shop, 'listProducts')) - before).toBeLessThanOrEqual(maxRequestsPerConnection);
});

test('ten pipelined requests, with and without bodies, are answered in order, and the connection stays open', async () => {
  await using shop = await startShop();
  await shop.listen();
  const { socket, closed, write } = await openConnection(shop);
  const post = (length: number) =>
    buildHead(shop, 'POST /api/webhooks/stripe', { body: `${forgedHeader}Content-Length: ${length}` }) +
    'x'.repeat(length);
  const get = (path: string) => buildHead(shop, `GET ${path}`);
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  const requests = [
    get('/healthz'),
    post(200_000),
    get('/nowhere'),
    post(10),
    get('/'),
    get('/'),
    post(70_000),
  ];
  const statuses = [200, 400, 404, 400, 200, 200, 400];
  for (let round = 1; round <= 3; round++) {
    write(requests.join(''));
    await expect.poll(() => parseStatuses(received)).toEqual(Array(round).fill(statuses).flat());
  }
  write(buildHead(shop, 'GET /blogs', { body: 'Connection: close' }));
  expect(parseStatuses(await closed)).toHaveLength(22);
});

test('an address that has used up its share of waiting requests is disconnected; others still pipeline', async () => {
  await using shop = await startShop({ settings: proxied, resourceLimits: { maxPipelinedRequests: 40 } });
  await shop.listen();
  const { port } = shop.config;
  const greedy = await openConnection(shop);
  greedy.write(buildHead(shop, 'GET /', { from: '2001:db8:0:1::1' }).repeat(100));
  expect(parseStatuses(await greedy.closed).length).toBeLessThan(10);
  const requests = buildHead(shop, 'GET /', { from: '192.0.2.1' }).repeat(8);
  const last = buildHead(shop, 'GET /', { from: '192.0.2.1', body: 'Connection: close' });
  expect(parseStatuses(await sendRaw(port, requests + last))).toEqual(Array(9).fill(200));
});

test('if an address leaves so many responses unread that they exceed its share of memory, its oldest connections are closed', async () => {
  await using shop = await startShop({
    settings: proxied,
    resourceLimits: { maxUnsentBytes: 4_000_000, maxRequestsPerConnection: 30 },
  });
  await fillList(shop);
  await shop.listen();
  const sockets = collectSockets(shop);
  const open = async (from: string) => {
    const { socket, write } = await openConnection(shop);
    socket.pause();
    // The first responses fill the system's buffers; the shop keeps the others in memory.
    write(buildHead(shop, 'GET /api/products', { from, cookie: true }).repeat(30));
    const served = sockets.at(-1);
    if (!served) throw new Error('There is no connection.');
    return served;
  };
  const isWaiting = (socket: Socket) => socket.destroyed || socket.writableLength > 500_000;
  const other = await open('192.0.2.1');
  await expect.poll(() => isWaiting(other)).toBe(true);
  const greedy: Socket[] = [];
  for (let index = 1; index <= 6; index++) {
    const socket = await open(`2001:db8:0:1::${index}`);
    greedy.push(socket);
    await expect.poll(() => isWaiting(socket)).toBe(true);
  }
  expect(greedy.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(3);
  expect([greedy[0]?.destroyed, greedy.at(-1)?.destroyed]).toEqual([true, false]);
  expect(other.destroyed).toBe(false);
});

test('waiting forms are dropped when their clients disconnect, and do not count towards the limit on sign-ins', async () => {
  // Hashing takes long enough for all clients to disconnect.
  await using shop = await startShop({ rateLimits: { signInsPerAddress: 15 }, fullPasswordCost: true });
  await shop.listen();
  const sockets = collectSockets(shop);
  const sendForm = async (at: number) => {
    const form = new URLSearchParams({ email: `${at}@example.com`, password: 'a guess' }).toString();
    const type = 'Content-Type: application/x-www-form-urlencoded';
    const body = `Origin: ${shop.origin}\r\n${type}\r\nContent-Length: ${form.length}\r\nConnection: close`;
    const raw = await openConnection(shop);
    raw.write(buildHead(shop, 'POST /login', { body }) + form);
    return raw;
  };
  const clients = await Promise.all(Array.from({ length: 30 }, (_, index) => sendForm(index)));
  await expect.poll(() => sockets.map(({ bytesRead }) => bytesRead > 0)).toEqual(Array(30).fill(true));
  for (const { socket } of clients) socket.destroy();
  await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual(Array(30).fill(true));
  // If the forms of the disconnected clients had been handled, they would have used up the limit.
  const { closed } = await sendForm(30);
  expect(parseStatuses(await closed)).toEqual([401]);
});

test('one address cannot use up the capacity for concurrent requests', async () => {
  await using shop = await startShop({ settings: proxied, resourceLimits: { maxConcurrentRequests: 20 } });
  await shop.listen();
  const { port } = shop.config;
  const attackers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const { socket, write } = await openConnection(shop);
      const body = `${forgedHeader}Content-Length: 1000\r\nExpect: 100-continue`;
      write(buildHead(shop, 'POST /api/webhooks/stripe', { from: `2001:db8:0:1::${index}`, body }));
      await once(socket, 'data');
      return socket;
    }),
  );
  const get = (from: string) =>
    fetch(`http://localhost:${port}/nowhere`, { headers: { 'x-forwarded-for': from } });
  await expect.poll(async () => (await get('2001:db8:0:1::99')).status).toBe(503);
  expect((await get('2001:db8:0:2::1')).status).toBe(404);
  expect((await get('192.0.2.1')).status).toBe(404);
  for (const socket of attackers) socket.destroy();
});

test('requests that one address sends on hundreds of connections at once do not delay another address', async () => {
  await using shop = await startShop();
  await shop.listen();
  const attackers = await Promise.all(Array.from({ length: 200 }, () => openConnection(shop, '127.0.0.5')));
  const visitor = await openConnection(shop, '127.0.0.6');
  let answered = 0;
  const responses = attackers.map(async ({ socket }) => {
    await once(socket, 'data');
    answered += 1;
  });
  const request = buildHead(shop, 'POST /api/auth/sign-in/email', { body: 'Content-Length: 0' });
  for (const { write } of attackers) write(request);
  visitor.write(request);
  await once(visitor.socket, 'data');
  expect(answered).toBeLessThan(attackers.length / 4);
  // No request is lost.
  await Promise.all(responses);
});

test('a webhook without a signature in the right form is rejected before its body arrives', async () => {
  await using shop = await startShop();
  await shop.listen();
  const hex = '0'.repeat(64);
  for (const signature of ['', 't=1', `v1=${hex}`, `t=x,v1=${hex}`, 't=1,v1=00', `t=1,v0=${hex}`]) {
    const { socket, write } = await openConnection(shop);
    const body = `Stripe-Signature: ${signature}\r\nContent-Length: 999999`;
    write(buildHead(shop, 'POST /api/webhooks/stripe', { body }));
    const [received] = await once(socket, 'data');
    expect([signature, parseStatuses(String(received))]).toEqual([signature, [400]]);
  }
});

test('unfinished large webhooks above an address’s share are rejected and disconnected; others arrive', async () => {
  await using shop = await startShop({ settings: proxied });
  await shop.listen();
  const head = (from: string) =>
    buildHead(shop, 'POST /api/webhooks/stripe', { from, body: `${forgedHeader}Content-Length: 999999` });
  const held = new Set<Socket>();
  const responses: number[] = [];
  for (let index = 1; index <= 40; index++) {
    const { socket, closed, write } = await openConnection(shop);
    held.add(socket);
    void closed.then((received) => {
      held.delete(socket);
      responses.push(...parseStatuses(received));
    });
    write(head(`2001:db8:0:1::${index}`) + 'x'.repeat(990_000));
  }
  await expect.poll(() => held.size).toBeLessThan(25);
  expect(new Set(responses)).toEqual(new Set([503]));
  const send = async (from: string) => {
    const { socket, write } = await openConnection(shop);
    write(head(from) + 'x'.repeat(999_999));
    return parseStatuses(String((await once(socket, 'data'))[0]));
  };
  expect(await send('192.0.2.1')).toEqual([400]);
  expect(await send('2001:db8:0:1::99')).toEqual([503]);
  for (const socket of held) socket.destroy();
  await expect.poll(() => send('2001:db8:0:1::99')).toEqual([400]);
});

test('a connection above an address’s share is closed without a response; a trusted proxy has no share', async () => {
  const request = async (shop: TestShop, localAddress?: string) => {
    const { closed, write } = await openConnection(shop, localAddress);
    write(buildHead(shop, 'GET /healthz', { body: 'Connection: close' }));
    return parseStatuses(await closed);
  };
  await using shop = await startShop({ resourceLimits: { maxConnections: 5 } });
  await shop.listen();
  const open = [await openConnection(shop), await openConnection(shop), await openConnection(shop)];
  expect(await request(shop)).toEqual([]);
  // macOS has only 127.0.0.1.
  if (process.platform === 'linux') expect(await request(shop, '127.0.0.2')).toEqual([200]);
  open[0]?.socket.destroy();
  await expect.poll(() => request(shop)).toEqual([200]);

  await using behindProxy = await startShop({ settings: proxied, resourceLimits: { maxConnections: 5 } });
  await behindProxy.listen();
  for (let index = 0; index < 4; index++) await openConnection(behindProxy);
  expect(await request(behindProxy)).toEqual([200]);
  await openConnection(behindProxy);
  await expect.poll(() => request(behindProxy)).toEqual([]);
});

/** Collects garbage and returns the size of the heap in bytes. */
function measureHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

test('a body in packets of one byte does not take a multiple of its size in memory', async () => {
  await using shop = await startShop();
  await shop.listen();
  const sockets = collectSockets(shop);
  const { socket, write } = await openConnection(shop);
  socket.setNoDelay(true);
  write(buildHead(shop, 'POST /api/webhooks/stripe', { body: `${forgedHeader}Content-Length: 999999` }));
  await expect.poll(() => sockets[0]?.bytesRead).toBeGreaterThan(0);
  const before = measureHeap();
  for (let index = 0; index < 40_000 && !socket.closed; index++) {
    write('x');
    await new Promise(setImmediate);
  }
  expect(measureHeap() - before).toBeLessThan(1_500_000);
});

test('a body in chunks of one byte is rejected before the chunks pile up, even while nothing reads them', async () => {
  await using shop = await startShop();
  const person = await shop.signUp();
  await shop.listen();
  const sockets = collectSockets(shop);
  const head = buildHead(shop, 'POST /1/upload', {
    body: `Authorization: ${tokenHeaders(person).authorization}\r\nContent-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked`,
  });
  for (let index = 0; index < 6; index++) {
    const { closed, write } = await openConnection(shop);
    write(head + '1\r\nx\r\n'.repeat(60_000));
    await closed;
  }
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual(Array(6).fill(true));
});
