import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../../../tests/support/database.ts';
import { findFreePort, listenOnFreePort } from '../../../tests/support/port.ts';
import { startServer } from '../../../tests/support/server.ts';
import { createShopClient } from '../../../tests/support/shop-client.ts';

/** A collector that records what it receives over OTLP/HTTP. */
async function openCollector() {
  const received = {
    spans: [] as Span[],
    resources: [] as unknown[],
    headers: [] as unknown[],
    paths: [] as unknown[],
  };
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { resources, spans } = readTraces(
      incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body,
    );
    received.resources.push(...resources);
    received.spans.push(...spans);
    received.headers.push(incoming.headers);
    received.paths.push(incoming.url);
    outgoing.writeHead(200).end();
  });
  onTestFinished(() => void server.close());
  return { ...received, endpoint: `http://127.0.0.1:${await listenOnFreePort(server)}` };
}

/** Starts the shop as `npm start` does. */
async function startShop(settings: Record<string, string>) {
  const DATA_DIR = makeFolder();
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const PORT = `${await findFreePort()}`;
  const shop = await startServer({ DATA_DIR, PORT, ...settings });
  return { ...shop, DATA_DIR, door: createShopClient(shop.origin, fetch) };
}

test('requests, statements and calls to Stripe are traced without personal data', async () => {
  const collector = await openCollector();
  const shop = await startShop({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=the-key',
    OTEL_SERVICE_NAME: 'our-shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  });
  const { door } = shop;
  const tom = await door.signUp('Tom Secret-Name');
  const [product] = await door.client().call('listProducts', { query: { limit: 1 } });
  if (!product) return expect.unreachable();
  const price = Math.round(product.price * product.o_quantity * 100) / 100;
  const body = { orderId: product._id, orderQuantity: product.o_quantity, price, user: tom.email };
  const client = door.client(tom);
  // Simultaneous, so that they share a commit.
  const orders = await Promise.all(
    ['Street of Secrets 1', 'Street of Secrets 2'].map((address) =>
      client.call('placeOrder', { body: { ...body, address } }),
    ),
  );
  await client.call('createPaymentIntent', { body: { price, order: orders[0]?.insertedId ?? '' } });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const responses = await Promise.all(
    ['/', `/api/products?after=&limit=3&secret=in-a-query`, '/nowhere'].map((path) =>
      fetch(shop.origin + path, { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } }),
    ),
  );
  for (const response of responses) await response.text();
  // The second response comes from the cache.
  for (let time = 0; time < 2; time++) await (await fetch(`${shop.origin}/blogs`)).text();
  await shop.kill('SIGTERM');

  const { spans } = collector;
  expect(new Set(collector.paths)).toEqual(new Set(['/v1/traces']));
  expect(collector.headers[0]).toMatchObject({
    'x-key': 'the-key',
    'content-type': 'application/x-protobuf',
  });
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'our-shop',
    'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    'deployment.environment.name': 'test',
  });

  const named = (name: string) => spans.filter((span) => span.name === name);
  const [home] = named('GET /');
  expect(home).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: 2 });
  expect(home?.attributes).toMatchObject({
    'http.request.method': 'GET',
    'http.route': '/',
    'shop.call': 'page/home',
    'http.response.status_code': 200,
    'url.scheme': 'http',
    'shop.request_id': responses[0]?.headers.get('x-request-id'),
  });
  expect(named('GET /api/products').at(-1)?.attributes['shop.call']).toBe('listProducts');
  // Kind 2 is the server. Spans of kind 3 are requests to Stripe.
  expect(named('GET').find(({ kind }) => kind === 2)?.attributes).toMatchObject({
    'shop.call': 'page/not-found',
    'http.response.status_code': 404,
  });
  expect(named('GET /blogs')).toHaveLength(2);
  expect(named('PUT /api/user/{email}')[0]?.attributes['shop.call']).toBe('saveUser');

  // Each order has its own statements, although the transactions are grouped.
  const placed = named('POST /api/orders');
  expect(placed).toHaveLength(2);
  for (const { traceId: orderTrace, spanId, start, end } of placed) {
    const inserts = spans.filter((span) => span.traceId === orderTrace && span.name === 'INSERT');
    expect(inserts.map(({ parentSpanId }) => parentSpanId)).toContain(spanId);
    const insert = inserts.find(({ attributes }) =>
      String(attributes['db.query.text']).startsWith('insert into "order_line"'),
    );
    expect(insert?.attributes).toMatchObject({
      'db.system.name': 'sqlite',
      'db.operation.name': 'INSERT',
      'db.query.text': expect.stringMatching(/^insert into "order_line" .*\?/),
    });
    expect(insert?.start).toBeGreaterThanOrEqual(start);
    expect(insert?.end).toBeLessThanOrEqual(end);
  }
  const [intent] = named('POST /api/create-payment-intent');
  const toStripe = spans.find(({ parentSpanId, kind, name }) => {
    return parentSpanId === intent?.spanId && kind === 3 && name === 'POST';
  });
  expect(toStripe?.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'url.full': expect.stringMatching(/\/v1\/payment_intents$/),
  });

  const all = JSON.stringify([spans, collector.resources], (_, value) =>
    typeof value === 'bigint' ? undefined : value,
  );
  for (const secret of [
    tom.email,
    encodeURIComponent(tom.email),
    'Secret-Name',
    'Street',
    'in-a-query',
    tom.token,
  ])
    expect([secret, all.includes(secret)]).toEqual([secret, false]);
});

test('failed spans have the database’s error code or the HTTP status', async () => {
  const collector = await openCollector();
  const shop = await startShop({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  // The periodic work at the start may hold the lock.
  const file = new DatabaseSync(join(shop.DATA_DIR, 'shop.db'), { timeout: 10_000 });
  file.exec('alter table review rename to elsewhere');
  file.close();
  expect((await fetch(`${shop.origin}/api/reviews`)).status).toBe(500);
  await shop.kill('SIGTERM');
  const failed = collector.spans.filter(({ status }) => status === 2);
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['SELECT', '1'],
    ['GET /api/reviews', '500'],
  ]);
  // SQLITE_ERROR: no such table.
  expect(failed[0]?.attributes['db.response.status_code']).toBe('1');
});

test('OTEL_TRACES_SAMPLER and OTEL_SDK_DISABLED are respected, and the default protocol is protobuf', async () => {
  const types: unknown[] = [];
  const server = createServer(async (incoming, outgoing) => {
    await buffer(incoming);
    types.push([incoming.url, incoming.headers['content-type']]);
    outgoing.writeHead(200).end();
  });
  onTestFinished(() => void server.close());
  const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = `http://127.0.0.1:${await listenOnFreePort(server)}/in`;
  for (const more of [{ OTEL_TRACES_SAMPLER: 'always_off' }, { OTEL_SDK_DISABLED: 'true' }, {}]) {
    expect(types).toEqual([]);
    const shop = await startShop({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, ...more });
    await (await fetch(`${shop.origin}/blogs`)).text();
    expect((await shop.kill('SIGTERM')).code).toBe(0);
  }
  expect(types).toEqual([['/in', 'application/x-protobuf']]);
});

test('an unreachable or unresponsive collector does not affect the shop', async () => {
  const unresponsive = createServer();
  onTestFinished(() => void unresponsive.close());
  const unreachable = `http://127.0.0.1:${await findFreePort()}`;
  for (const OTEL_EXPORTER_OTLP_ENDPOINT of [
    unreachable,
    `http://127.0.0.1:${await listenOnFreePort(unresponsive)}`,
  ]) {
    const shop = await startShop({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: '50' });
    for (let time = 0; time < 20; time++) expect((await fetch(`${shop.origin}/blogs`)).status).toBe(200);
    const began = performance.now();
    const { code } = await shop.kill('SIGTERM');
    expect(code).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  }
});

type Value = string | number | boolean | undefined;
type Attributes = Record<string, Value>;
type Span = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  start: bigint;
  end: bigint;
  attributes: Attributes;
  /** 2 means error. */
  status: number;
};

/**
 * Decodes an OTLP trace (https://github.com/open-telemetry/opentelemetry-proto, `trace.proto`). The numbers in
 * the code are the field numbers of that file.
 */
function readTraces(body: Buffer): { resources: Attributes[]; spans: Span[] } {
  const groups = readMessages(decodeFields(body), 1);
  const spans = groups.flatMap((group) => readMessages(group, 2)).flatMap((scope) => readMessages(scope, 2));
  return {
    resources: groups
      .flatMap((group) => readMessages(group, 1))
      .map((resource) => readAttributes(resource, 1)),
    spans: spans.map((span) => ({
      name: readText(span, 5),
      kind: readNumber(span, 6),
      traceId: readBytes(span, 1).toString('hex'),
      spanId: readBytes(span, 2).toString('hex'),
      parentSpanId: readBytes(span, 4).toString('hex'),
      start: readBytes(span, 7).readBigUInt64LE(),
      end: readBytes(span, 8).readBigUInt64LE(),
      attributes: readAttributes(span, 9),
      status: readNumber(readMessages(span, 15)[0] ?? [], 3),
    })),
  };
}

type Field = [number: number, value: Buffer | number];

/** Decodes the fields of a Protobuf message (https://protobuf.dev/programming-guides/encoding/). */
function decodeFields(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const take = (length: number) => {
    at += length;
    return message.subarray(at - length, at);
  };
  const readVarint = (): number => {
    const byte = message.readUInt8(at);
    at += 1;
    return byte < 128 ? byte : byte - 128 + 128 * readVarint();
  };
  while (at < message.length) {
    const tag = readVarint();
    const type = tag % 8;
    const value = type === 0 ? readVarint() : take(type === 1 ? 8 : type === 5 ? 4 : readVarint());
    fields.push([Math.floor(tag / 8), value]);
  }
  return fields;
}

const readValues = (fields: Field[], fieldNumber: number) =>
  fields.filter(([number]) => number === fieldNumber).map(([, value]) => value);
const readMessages = (fields: Field[], fieldNumber: number) =>
  readValues(fields, fieldNumber).map((value) =>
    decodeFields(Buffer.isBuffer(value) ? value : Buffer.alloc(0)),
  );
const readNumber = (fields: Field[], fieldNumber: number) => Number(readValues(fields, fieldNumber)[0] ?? 0);
const readBytes = (fields: Field[], fieldNumber: number) => {
  const [value] = readValues(fields, fieldNumber);
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const readText = (fields: Field[], fieldNumber: number) => readBytes(fields, fieldNumber).toString();

function readAttributes(fields: Field[], fieldNumber: number): Attributes {
  return Object.fromEntries(
    readMessages(fields, fieldNumber).map((pair) => {
      const [kind, value] = readMessages(pair, 2)[0]?.[0] ?? [];
      const read = kind === 2 ? value === 1 : Buffer.isBuffer(value) ? value.toString() : value;
      return [readText(pair, 1), read];
    }),
  );
}
