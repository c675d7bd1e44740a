import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { makeFolder } from '../support/database.ts';
import { findFreePort } from '../support/port.ts';
import { catchProblem } from '../support/problem.ts';
import type { TestUser } from '../support/requests.ts';
import { sendAuthRequest } from '../support/requests.ts';
import { startServer } from '../support/server.ts';
import { startShop } from '../support/shop.ts';
import { createShopClient } from '../support/shop-client.ts';

type Client = ReturnType<ReturnType<typeof createShopClient>['client']>;
type Product = { _id: string; price: number; o_quantity: number };

function placeOrder(client: Client, { email }: TestUser, { _id, price, o_quantity }: Product) {
  const total = Math.round(price * 100 * o_quantity) / 100;
  return client.call('placeOrder', {
    body: { orderId: _id, orderQuantity: o_quantity, price: total, user: email, address: 'x'.repeat(300) },
  });
}

const createCredentials = () => ({
  name: 'x'.repeat(90),
  email: `${randomUUID()}@${`${'x'.repeat(60)}.`.repeat(3)}example.com`,
  password: 'anchor-escapement',
});

const unavailable = { status: 503, type: 'urn:problem:unavailable' };

test('on a full disk writes return 503 and reads succeed; every confirmed write is there when space is free again', async () => {
  await using shop = await startShop({ allowErrorLogs: true });
  const tom = await shop.signUp();
  const product = await shop.addProduct({ a_quantity: 1_000_000 });
  const client = shop.client(tom);
  const { db } = shop.database;
  // Makes SQLite fail as on a full disk. The limit cannot go below the current size.
  await sql`pragma max_page_count = 1`.execute(db);
  const confirmed: string[] = [];
  let rejected: PromiseSettledResult<unknown>[] = [];
  while (rejected.length === 0) {
    // Concurrently, so that they share a commit; it may fail for one of them or for all.
    const sent = Array.from({ length: 20 }, () => placeOrder(client, tom, product));
    const results = await Promise.allSettled(sent);
    confirmed.push(
      ...results.flatMap((result) => (result.status === 'fulfilled' ? result.value.insertedId : [])),
    );
    rejected = results.filter(({ status }) => status === 'rejected');
  }
  for (const result of rejected) {
    if (result.status === 'rejected') expect(result.reason.problem).toMatchObject(unavailable);
  }
  // Small writes may still fit.
  let signUp: Response;
  do signUp = await sendAuthRequest(shop, '/sign-up/email', createCredentials());
  while (signUp.status === 200);
  expect([signUp.status, signUp.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await shop.send('/products', {}, tom)).status).toBe(200);
  expect((await shop.send('/healthz')).status).toBe(200);

  await sql`pragma max_page_count = 1000000`.execute(db);
  confirmed.push((await placeOrder(client, tom, product)).insertedId);
  const stored = await client.call('listOwnOrders', { query: { user: tom.email } });
  expect(stored.map(({ _id }) => _id).toSorted()).toEqual(confirmed.toSorted());
  const { a_quantity } = await client.call('getProduct', { params: { id: product._id } });
  expect(a_quantity).toBe(1_000_000 - confirmed.length);
});

const canLimitFileSize = spawnSync('prlimit', ['--version']).status === 0;

test.skipIf(!canLimitFileSize)(
  'a process that cannot write to its disk keeps serving reads, and accepts writes once it can',
  async () => {
    const folder = makeFolder();
    try {
      const shop = await startServer({ DATA_DIR: folder, PORT: `${await findFreePort()}` });
      const shopClient = createShopClient(shop.origin, fetch);
      const tom = await shopClient.signUp();
      const client = shopClient.client(tom);
      const product = (await client.list('listProducts', {})).rows.find(({ a_quantity }) => a_quantity > 9);
      if (!product) return expect.unreachable();
      const { insertedId } = await placeOrder(client, tom, product);

      // A soft limit on file sizes: writes beyond it fail with EFBIG.
      const limitFileSize = (bytes: string) =>
        expect(spawnSync('prlimit', ['--pid', `${shop.pid}`, `--fsize=${bytes}:`]).status).toBe(0);
      limitFileSize('4096');
      expect(await catchProblem(placeOrder(client, tom, product))).toMatchObject(unavailable);
      const page = await fetch(`${shop.origin}/products`, { headers: { cookie: tom.cookie } });
      expect(page.status).toBe(200);
      limitFileSize('unlimited');
      const second = await placeOrder(client, tom, product);
      await shop.kill('SIGKILL');

      await startServer({ DATA_DIR: folder, PORT: new URL(shop.origin).port });
      const orders = await client.call('listOwnOrders', { query: { user: tom.email } });
      expect(orders.map(({ _id }) => _id)).toEqual([second.insertedId, insertedId]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
