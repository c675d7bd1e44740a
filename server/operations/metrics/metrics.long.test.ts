import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { contract } from '../../../contract/contract.ts';
import { apiBase } from '../../../contract/paths.ts';
import { engines } from '../../../tests/support/database.ts';
import { changeOrders } from '../../../tests/support/order-rows.ts';
import { buy, confirmIntent, openPayment, placeOrder } from '../../../tests/support/payments.ts';
import { parseMetrics, readMetric } from '../../../tests/support/prometheus.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { createRouteNamer } from './route-names.ts';

/** A request over the network, sent exactly as given. */
async function get(shop: TestShop, path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = shop.config;
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, method, headers: { host: `localhost:${port}`, ...headers } })
      .once('response', resolve)
      .once('error', reject)
      .end();
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const scrape = async (shop: TestShop) => parseMetrics((await get(shop, '/metrics')).body);

test('requests are named by their call, even if its path also fits another one', () => {
  const nameOf = createRouteNamer({});
  for (const [call, { method, path }] of Object.entries(contract)) {
    const base = call === 'uploadImage' ? '' : apiBase;
    expect(nameOf(method, `${base}${path.replace(/:\w+/g, 'some-id')}?x=1`).call).toBe(call);
  }
});

describe.each(engines)('%s', (engine) => {
  test('requests are counted by call and status, with their duration', async () => {
    await using shop = await startShop({ engine });
    const product = await shop.addProduct();
    await shop.listen();
    // The response cache serves the repeated requests.
    for (const path of ['/', '/', '/', '/api/products', '/api/products', '/blogs', '/blogs?n=2'])
      expect((await get(shop, path)).status).toBe(200);
    const { etag = '' } = (await get(shop, '/')).headers;
    expect((await get(shop, '/', { 'if-none-match': etag })).status).toBe(304);
    expect((await get(shop, '/', {}, 'HEAD')).status).toBe(200);
    await get(shop, `/api/products/${product._id}`);
    await get(shop, '/api/products/none');
    await get(shop, '/api/nothing');
    await get(shop, '/dashboard');
    await get(shop, '/somewhere');
    await get(shop, product.img);
    await get(shop, '/robots.txt');
    await get(shop, '/api/auth/get-session');
    await get(shop, '/api/auth/another');
    await get(shop, '/api/products', { host: 'elsewhere.example' });
    await get(shop, '/healthz');

    const found = await scrape(shop);
    const count = (call: string, status: string) =>
      readMetric(found, 'http_requests_total', { call, status });
    expect({
      home: count('page/home', '200'),
      homeKnown: count('page/home', '304'),
      blogs: count('page/blogs', '200'),
      list: count('listProducts', '200'),
      elsewhere: count('listProducts', '421'),
      product: [count('getProduct', '200'), count('getProduct', '404')],
      unknown: count('unknown-call', '404'),
      dashboard: count('page/dashboard/account/profile', '302'),
      nowhere: count('page/not-found', '404'),
      image: count('image', '200'),
      file: count('file', '200'),
      session: count('identity/get-session', '200'),
      identity: count('identity', '404'),
      health: count('healthz', '200'),
    }).toEqual({
      home: 5,
      homeKnown: 1,
      blogs: 2,
      list: 2,
      elsewhere: 1,
      product: [1, 1],
      unknown: 1,
      dashboard: 1,
      nowhere: 1,
      image: 1,
      file: 1,
      session: 1,
      identity: 1,
      health: 1,
    });
    expect(readMetric(found, 'http_request_duration_seconds_count')).toBe(
      readMetric(found, 'http_requests_total'),
    );
    expect(readMetric(found, 'http_request_duration_seconds_sum', { call: 'page/home' })).toBeGreaterThan(0);
    // A scrape is counted once it has ended.
    expect(readMetric(found, 'http_requests_total', { call: 'metrics' })).toBeUndefined();
    expect(readMetric(await scrape(shop), 'http_requests_total', { call: 'metrics' })).toBe(1);
  });

  test('orders, payments, holds and database statements are counted', async () => {
    await using shop = await startShop({ engine });
    const product = await shop.addProduct();
    await shop.listen();
    const before = await scrape(shop);
    const orders = (outcome: string) => readMetric(before, 'shop_orders_total', { outcome });
    expect(['placed', 'deleted', 'expired', 'shipped'].map(orders)).toEqual([0, 0, 0, 0]);

    const tom = await shop.signUp();
    const admin = await shop.admin();
    const { order } = await buy(shop, tom, product);
    await shop.client(admin).call('shipOrder', {
      params: { id: order._id },
      body: { orderStatus: 'sipping' },
    });
    const replay = { idempotencyKey: 'the-same' };
    const body = { orderId: product._id, orderQuantity: 2, price: product.price * 2, user: tom.email };
    await shop.client(tom).call('placeOrder', { body, ...replay });
    await shop.client(tom).call('placeOrder', { body, ...replay });
    const deleted = await placeOrder(shop, tom, product);
    await openPayment(shop, tom, deleted);
    await shop.client(tom).call('deleteOrder', { params: { id: deleted._id } });
    const open = await placeOrder(shop, tom, product);
    await openPayment(shop, tom, open);
    // This order is paid after it has expired.
    const lost = await placeOrder(shop, tom, product);
    const intent = await openPayment(shop, tom, lost);
    await changeOrders(shop, { status: 'expired' }, lost._id);
    const isLost = ['id', '=', lost.purchase] as const;
    await shop.database.db
      .updateTable('purchase')
      .set({ hold_until: 1 })
      .where(...isLost)
      .execute();
    await confirmIntent(shop, intent);
    await shop.doPeriodicWork();

    // The gauges are refreshed every five seconds, and health notes are saved every two.
    let found = before;
    const look = async () => {
      found = await scrape(shop);
      return [
        readMetric(found, 'shop_payments_waiting'),
        readMetric(found, 'shop_webhook_age_seconds') !== undefined,
      ];
    };
    await expect.poll(look, { interval: 500 }).toEqual([1, true]);
    const ofOrders = (outcome: string) => readMetric(found, 'shop_orders_total', { outcome });
    const ofPayments = (outcome: string) => readMetric(found, 'shop_payments_total', { outcome });
    expect(['placed', 'deleted', 'expired', 'shipped'].map(ofOrders)).toEqual([5, 1, 0, 1]);
    expect(['paid', 'cancelled', 'refund_due', 'refunded'].map(ofPayments)).toEqual([1, 1, 1, 1]);
    expect([readMetric(found, 'shop_holds'), readMetric(found, 'shop_held_pieces')]).toEqual([2, 3]);
    expect(readMetric(found, 'shop_database_bytes')).toBeGreaterThan(10_000);
    expect(readMetric(found, 'shop_database_up')).toBe(1);
    expect(readMetric(found, 'shop_info', { engine, mode: 'sandbox' })).toBe(1);
    expect(readMetric(found, 'shop_webhook_age_seconds')).toBeLessThan(60);
    expect(readMetric(found, 'shop_periodic_work_age_seconds')).toBeLessThan(60);

    const rise = (name: string, labels?: Record<string, string>) =>
      (readMetric(found, name, labels) ?? 0) - (readMetric(before, name, labels) ?? 0);
    const statements = 'database_statement_duration_seconds_count';
    for (const kind of ['read', 'write', 'commit', 'other'])
      expect(rise(statements, { kind })).toBeGreaterThan(0);
    expect(rise('database_transactions_total')).toBeGreaterThanOrEqual(5);
    expect(readMetric(found, 'database_statement_failures_total')).toBe(0);
    expect(rise('nodejs_eventloop_delay_seconds_count')).toBeGreaterThan(0);
    for (const name of ['nodejs_eventloop_active_seconds_total', 'process_cpu_seconds_total'])
      expect(rise(name)).toBeGreaterThan(0);
    expect(readMetric(found, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(readMetric(found, 'process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
  });
});

test('an invented path or method adds no series', async () => {
  await using shop = await startShop();
  await shop.listen();
  const requestAll = () =>
    Promise.all(
      [
        '/a',
        '/api/x',
        '/images/y',
        '/static/z',
        '/api/auth/w',
        '/purchase/',
        '/dashboard/payment/',
        '/sandbox/v',
      ].map(async (path) => {
        for (const method of ['GET', 'PUT', 'PROPFIND'])
          await get(shop, `${path}${Math.random()}`, {}, method);
      }),
    );
  await requestAll();
  const count = async () => (await scrape(shop)).filter(({ name }) => name.startsWith('http_')).length;
  const beforeScrape = await count();
  // The first scrape adds its own series.
  const withMetrics = await count();
  await requestAll();
  await requestAll();
  expect(beforeScrape).toBeLessThan(withMetrics);
  expect(await count()).toBe(withMetrics);
});
