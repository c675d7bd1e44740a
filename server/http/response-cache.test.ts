import { createHook } from 'node:async_hooks';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pageParameters } from '../../contract/page-parameters.ts';
import { engines } from '../../tests/support/database.ts';
import { setUpDelivery } from '../../tests/support/delivery.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { recordStatements } from '../../tests/support/statements.ts';
import { readConfig } from '../config/config.ts';
import { createRouteNamer } from '../operations/metrics/route-names.ts';
import { readManifest } from '../pages/pages.ts';
import { createFairQueue } from './rate-limit.ts';
import type { Env } from './request-context.ts';
import { createResponseCache } from './response-cache.ts';

/** Sends a request over the network without adding headers. */
async function get(shop: TestShop, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = shop.config;
  const sent = request({
    port,
    host: '127.0.0.1',
    path,
    method,
    headers: { host: `localhost:${port}`, ...headers },
  });
  const answered = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject).end();
  });
  return { status: answered.statusCode, headers: answered.headers, body: await buffer(answered) };
}

const decoded = { br: brotliDecompressSync, gzip: gunzipSync };

test('a cached response equals the first one, in every encoding', async () => {
  await using shop = await startShop();
  await shop.addProduct({ name: 'Pivot polisher' });
  await shop.listen();
  for (const path of ['/', '/api/products', '/api/products?limit=12', '/api/reviews']) {
    const { body: plain, headers: first } = await get(shop, path);
    for (const encoding of ['br', 'gzip'] as const) {
      const encodingHeaders = { 'accept-encoding': `deflate, ${encoding}` };
      const firstTime = await get(shop, path, encodingHeaders);
      const secondTime = await get(shop, path, encodingHeaders);
      expect(decoded[encoding](secondTime.body)).toEqual(plain);
      expect(secondTime.body).toEqual(firstTime.body);
      const same = ({ date, 'x-request-id': id, ...rest }: typeof first) => rest;
      expect(same(secondTime.headers)).toEqual(same(firstTime.headers));
      expect(secondTime.headers).toMatchObject({
        'content-encoding': encoding,
        'cache-control': 'public, no-cache',
        vary: 'Cookie, Authorization, Accept-Encoding',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        etag: first.etag,
      });
      expect(secondTime.headers['x-request-id']).not.toBe(firstTime.headers['x-request-id']);
    }
    const unencoded = await get(shop, path, { 'accept-encoding': 'br;q=0, gzip;q=0' });
    expect(unencoded.headers['content-encoding']).toBeUndefined();
    const known = await get(shop, path, { 'if-none-match': `"other", ${first.etag}` });
    expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, first.etag]);
    const head = await get(shop, path, {}, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(String(plain.length));
  }
});

test('a request with credentials, another host or another method never gets a cached response', async () => {
  await using shop = await startShop();
  const { email, _id } = await shop.addProduct();
  const ann = await shop.admin();
  await shop.listen();
  const path = `/api/products/${_id}`;
  await get(shop, path);
  expect(email).toBeDefined();
  for (const headers of [{ cookie: ann.cookie }, { authorization: `Bearer ${ann.token}` }]) {
    const own = await get(shop, path, headers);
    expect(JSON.parse(own.body.toString())).toMatchObject({ email });
    expect(own.headers['cache-control']).toBe('private, no-cache');
  }
  expect((await get(shop, path, { authorization: 'Bearer nobody' })).headers['cache-control']).toBe(
    'private, no-cache',
  );
  expect((await get(shop, path, { host: 'evil.example' })).status).toBe(421);
  expect((await get(shop, path, {}, 'POST')).status).not.toBe(200);
  expect(JSON.parse((await get(shop, path)).body.toString())).not.toHaveProperty('email');
});

test('parameters that a page or call does not read, their order and their spelling do not change the response', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const { _id } = await shop.addProduct({ name: 'Pivot polisher' });
  await shop.listen();
  let compressions = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'ZLIB') compressions += 1;
    },
  }).enable();
  onTestFinished(() => void hook.disable());
  const encoded = { 'accept-encoding': 'br' };
  for (const [path, ...others] of [
    ['/', '/?utm_source=mail', '/?fbclid=1&utm_medium=a&fbclid=2', '/?'],
    ['/login?from=/products', '/login?x=1&from=%2Fproducts&x=2', '/login?from=/products&from=/blogs'],
    ['/products?q=pivot&sort=price', '/products?sort=price&page=7&q=p%69vot'],
    [`/purchase/${_id}`, `/purchase/${_id}?gclid=1`],
    ['/api/products?limit=1&inStock=true', '/api/products?inStock=true&x=%00&limit=1'],
    [`/api/products/${_id}`, `/api/products/${_id}?limit=1`],
    ['/api/reviews', '/api/reviews?q=1'],
    ['/api/openapi.json', '/api/openapi.json?version=1', '/api/openapi.json?version=2'],
  ] as const) {
    const first = await get(shop, path, encoded);
    expect([path, first.status]).toEqual([path, 200]);
    const before = compressions;
    for (const other of others) {
      // A request within the process does not use the fast path of `sendCached`.
      const { statementsOf } = await recordStatements(() => shop.send(other, { headers: encoded }));
      const { status, body } = await get(shop, other, encoded);
      expect([other, statementsOf(shop.database.db), status, body.equals(first.body)]).toEqual([
        other,
        [],
        200,
        true,
      ]);
    }
    expect([path, compressions - before]).toEqual([path, 0]);
  }
  // Parameters that are read change the response.
  for (const [path, other] of [
    ['/api/products?limit=1', '/api/products?limit=abc'],
    ['/login?from=/products', '/login?from=/blogs'],
    ['/login', '/login?reason=admin&utm_source=mail'],
  ] as const)
    expect((await get(shop, path)).body.equals((await get(shop, other)).body)).toBe(false);
});

test('every page that visitors share has its parameters listed', async () => {
  await using shop = await startShop({
    settings: { OPEN_CATALOGUE: 'yes', CONTACT_EMAIL: 'shop@shop.example', NEWSLETTER: 'yes' },
  });
  const { _id } = await shop.addProduct();
  await setUpDelivery(shop);
  const { paths } = readManifest('dist');
  const shared: string[] = [];
  for (const [id, path] of Object.entries(paths)) {
    const response = await shop.send(path.replace(/:\w+/, _id));
    if (response.headers.get('cache-control') === 'public, no-cache') shared.push(id);
  }
  expect(Object.keys(pageParameters).sort()).toEqual(shared.sort());
});

describe.each(engines)('on %s', (engine) => {
  test('the next visitor sees a new order, product, review or deletion', async () => {
    await using shop = await startShop({ engine });
    const product = await shop.addProduct({ a_quantity: 10 });
    const tom = await shop.signUp();
    await shop.listen();
    const read = async (path: string) => JSON.parse((await get(shop, path)).body.toString());
    expect(await read(`/api/products/${product._id}`)).toMatchObject({ a_quantity: 10 });
    const { insertedId } = await shop.client(tom).call('placeOrder', {
      body: { orderId: product._id, orderQuantity: 4, price: 50, user: tom.email },
    });
    expect(await read(`/api/products/${product._id}`)).toMatchObject({ a_quantity: 6 });
    expect(await read('/api/products')).toMatchObject([{ a_quantity: 6 }]);
    await shop.client(tom).call('deleteOrder', { params: { id: insertedId } });
    expect(await read('/api/products')).toMatchObject([{ a_quantity: 10 }]);
    expect(await read('/api/reviews')).toEqual([]);
    const review = { name: tom.name, email: tom.email, rating: 5, reviews: 'Fine.', img: product.img };
    await shop.client(tom).call('addReview', { body: review });
    expect(await read('/api/reviews')).toMatchObject([{ reviews: 'Fine.' }]);
    await shop.client(await shop.admin()).call('deleteProduct', { params: { id: product._id } });
    expect((await get(shop, `/api/products/${product._id}`)).status).toBe(404);
    expect(await read('/api/products')).toEqual([]);
  });
});

test('simultaneous requests share one response even if it is not cached: a 404, a redirect', async () => {
  await using shop = await startShop();
  for (const [path, status] of [
    ['/api/products/none', 404],
    ['/purchase/none', 302],
    ['/nowhere', 404],
  ] as const) {
    const accepted = ['br', 'gzip', 'identity'] as const;
    const { result, statementsOf } = await recordStatements(() =>
      Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          shop.send(path, { headers: { 'accept-encoding': accepted[index % 3] ?? '' } }),
        ),
      ),
    );
    expect(statementsOf(shop.database.db).length).toBeLessThan(5);
    expect(new Set(result.map((response) => response.status))).toEqual(new Set([status]));
    const texts = await Promise.all(
      result.map(async (response) => {
        const body = Buffer.from(await response.arrayBuffer());
        const encoding = response.headers.get('content-encoding');
        return (encoding === 'br' || encoding === 'gzip' ? decoded[encoding](body) : body).toString();
      }),
    );
    expect(new Set(texts).size).toBe(1);
  }
});

/** Creates an app with the cache in front of one handler. `request` requests a path anonymously. */
function openCache(handle: (path: string) => Promise<Response>) {
  const cache = createResponseCache({
    config: readConfig({}),
    nameOf: createRouteNamer({}),
    renderQueue: createFairQueue(2, 1000),
  });
  const app = new Hono<Env>();
  app.onError(() => new Response('It failed.', { status: 500 }));
  app.use(cache.middleware);
  app.get('*', (c) => handle(c.req.path));

  async function request(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const url = new URL(path, 'http://localhost:3000');
    return app.fetch(new Request(url, { headers }), {
      url,
      requestId: '',
      socketAddress: '',
      address: '',
      anonymous: true,
      findViewer: async () => undefined,
    });
  }
  return { cache, request };
}

const cacheable = (body: string) =>
  new Response(body, { headers: { 'cache-control': 'public, no-cache', vary: 'Accept-Encoding' } });

describe('200 simultaneous requests for one response of 60 KB', () => {
  const page = () => cacheable('x'.repeat(60_000));

  /** Sends 200 requests at once, then a few more. `first` renders the first response. */
  async function count(first: () => Promise<Response>) {
    const renders = { '/': 0, '/other': 0 };
    const { request } = openCache(async (path) => {
      const count = path === '/' ? ++renders['/'] : ++renders['/other'];
      return path === '/' && count === 1 ? first() : page();
    });
    await request('/other');
    const responses = await Promise.all(Array.from({ length: 200 }, () => request('/')));
    for (const path of ['/', '/', '/other']) await request(path);
    return { statuses: new Set(responses.map(({ status }) => status)), renders };
  }

  test('render it once and cache it', async () => {
    const { statuses, renders } = await count(async () => page());
    expect(statuses).toEqual(new Set([200]));
    expect(renders).toEqual({ '/': 1, '/other': 1 });
  });

  test('compress it only once', async () => {
    const { request } = openCache(async () => page());
    let compressions = 0;
    const hook = createHook({
      init(_, type) {
        if (type === 'ZLIB') compressions += 1;
      },
    }).enable();
    await Promise.all(Array.from({ length: 200 }, () => request('/', { 'accept-encoding': 'br' })));
    hook.disable();
    expect(compressions).toBe(1);
  });

  test('share a response that is not cacheable, or an error, without changing the cache', async () => {
    const busy = await count(async () => new Response('Try again.', { status: 503 }));
    expect(busy).toEqual({ statuses: new Set([503]), renders: { '/': 2, '/other': 1 } });
    const failed = await count(() => Promise.reject(new Error('It failed.')));
    expect(failed).toEqual({ statuses: new Set([500]), renders: { '/': 2, '/other': 1 } });
  });
});

test('a response rendered from data before a change is neither cached nor shared after it', async () => {
  const started = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<string>();
  let isFirst = true;
  const { cache, request } = openCache(async () => {
    if (!isFirst) return cacheable('new');
    isFirst = false;
    started.resolve();
    return cacheable(await slow.promise);
  });
  const early = request('/');
  await started.promise;
  cache.clear();
  const read = async () => (await request('/')).text();
  // The new data is read both while the old response is still being rendered and afterwards.
  expect(await read()).toBe('new');
  slow.resolve('old');
  expect(await (await early).text()).toBe('old');
  expect(await read()).toBe('new');
});

test('requests for more URLs than the cache holds all succeed', async () => {
  await using shop = await startShop();
  await shop.listen();
  for (let index = 0; index < 600; index++)
    expect((await get(shop, `/api/products?limit=${index + 1}`)).status).toBe(200);
  expect(JSON.parse((await get(shop, '/api/products?limit=1')).body.toString())).toEqual([]);
});

test('a flood of new URLs does not evict the pages that visitors request', async () => {
  await using shop = await startShop({ settings: { OPEN_CATALOGUE: 'yes' } });
  const { _id } = await shop.addProduct();
  await shop.listen();
  const popular = ['/', '/products', `/purchase/${_id}`];
  const countStatements = async (path: string) =>
    (await recordStatements(() => shop.send(path))).statementsOf(shop.database.db).length;
  for (const path of popular) expect([path, await countStatements(path)]).not.toEqual([path, 0]);
  for (let flood = 0; flood < 600; flood++) {
    expect(await countStatements(`/api/products?limit=${flood + 1}`)).toBe(1);
    // A request over the network reads the cache before it reaches the app.
    if (flood % 200 === 0) for (const path of popular) await get(shop, path);
  }
  for (const path of popular) expect([path, await countStatements(path)]).toEqual([path, 0]);
  // The first URLs of the flood were evicted.
  expect(await countStatements('/api/products?limit=1')).toBe(1);
}, 60_000);
