import { expect, test } from 'vitest';
import { ApiError } from '../../web/client/api/client.ts';
import { makeTestPostgres } from '../support/database.ts';
import { pixelPng, postImage } from '../support/image-upload.ts';
import { catchProblem } from '../support/problem.ts';
import { sendAuthRequest } from '../support/requests.ts';
import { startFleet } from './fleet.ts';

async function makeFleet() {
  const { url } = await makeTestPostgres('demo');
  return startFleet(url);
}

/** The body of an order for a product that costs 12.50. */
const createOrderBody = (product: string, pieces: number, user: string) => ({
  orderId: product,
  orderQuantity: pieces,
  price: 12.5 * pieces,
  user,
});

test('processes share users, orders, images, roles, rate limits and changes to cached pages', async () => {
  const fleet = await makeFleet();
  const clients = [fleet.processClient(0), fleet.processClient(1), fleet.processClient(2)] as const;
  const [first, second, third] = clients;

  // A user who signed up at one process is signed in at all processes.
  const tom = await first.signUp();
  const admin = await second.signIn('admin@example.com', 'clockwork');
  for (const client of clients) {
    const page = await (await client.send('/dashboard', {}, tom)).text();
    expect(page).toContain(tom.email);
  }

  // An image uploaded at one process is served by another.
  const img = await postImage(third, admin, pixelPng);
  const image = await first.send(new URL(img, fleet.origin).pathname);
  expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const { insertedId: product } = await third.client(admin).call('addProduct', {
    body: {
      name: 'Pivot Gauge',
      email: admin.email,
      price: 12.5,
      o_quantity: 1,
      a_quantity: 10,
      description: 'Measures pivots.',
      img,
    },
  });

  // The same idempotency key at several processes places one order.
  const placed = await Promise.all(
    clients.map((client) =>
      client
        .client(tom)
        .call('placeOrder', { body: createOrderBody(product, 2, tom.email), idempotencyKey: 'once' }),
    ),
  );
  expect(new Set(placed.map(({ insertedId }) => insertedId)).size).toBe(1);
  expect(await third.client(tom).call('getProduct', { params: { id: product } })).toMatchObject({
    a_quantity: 8,
  });

  // A new role and a sign-out take effect at all processes.
  expect(await catchProblem(first.client(tom).call('listUsers', {}))).toMatchObject({ status: 403 });
  await second.client(admin).call('makeAdmin', { params: { email: tom.email } });
  expect(await third.client(tom).call('isAdmin', { params: { email: tom.email } })).toEqual({ admin: true });
  const signedOut = await second.signIn(tom.email, tom.password);
  await third.send('/api/auth/sign-out', { method: 'POST' }, signedOut);
  expect(await catchProblem(first.client(signedOut).call('listUsers', {}))).toMatchObject({ status: 401 });

  // Ten wrong passwords in total, across processes.
  const guess = async (at: number) => {
    const client = clients[at % 3] ?? first;
    const credentials = { email: tom.email, password: 'a wrong one' };
    return (
      await sendAuthRequest({ origin: fleet.origin, fetch: client.fetch }, '/sign-in/email', credentials)
    ).status;
  };
  const guesses = await Promise.all(Array.from({ length: 14 }, (_, index) => guess(index)));
  expect(guesses.toSorted()).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);

  // A change at one process invalidates the page that all have cached.
  for (const name of ['Depthing Tool', 'Bushing Reamer', 'Mainspring Winder']) {
    for (const client of clients) await (await client.send('/')).text();
    await third.client(admin).call('addReview', { body: { rating: 5, reviews: `I like the ${name}.`, img } });
    for (const client of clients)
      await expect
        .poll(async () => (await client.send('/')).text(), { interval: 20 })
        .toContain(`I like the ${name}.`);
  }
}, 60_000);

test('concurrent orders at three processes never oversell a product', async () => {
  const fleet = await makeFleet();
  const admin = await fleet.signIn('admin@example.com', 'clockwork');
  const img = await postImage(fleet, admin, pixelPng);
  const stock = 25;
  const people = await Promise.all([0, 1, 2].map((at) => fleet.processClient(at).signUp()));
  for (let round = 0; round < 3; round++) {
    const { insertedId: product } = await fleet.client(admin).call('addProduct', {
      body: {
        name: `Pivot Gauge ${round}`,
        email: admin.email,
        price: 12.5,
        o_quantity: 1,
        a_quantity: stock,
        description: 'Measures pivots.',
        img,
      },
    });
    const attempts = Array.from({ length: 45 }, (_, index) => ({ at: index % 3, pieces: 1 + (index % 4) }));
    const results = await Promise.allSettled(
      attempts.map(async ({ at, pieces }) => {
        const person = people[at] ?? expect.unreachable();
        await fleet
          .processClient(at)
          .client(person)
          .call('placeOrder', { body: createOrderBody(product, pieces, person.email) });
      }),
    );
    let sold = 0;
    let smallestRejected = stock;
    for (const [index, result] of results.entries()) {
      const { pieces } = attempts[index] ?? expect.unreachable();
      if (result.status === 'fulfilled') {
        sold += pieces;
        continue;
      }
      expect(result.reason).toBeInstanceOf(ApiError);
      expect(result.reason.problem).toMatchObject({ type: 'urn:problem:out_of_stock' });
      smallestRejected = Math.min(smallestRejected, pieces);
    }
    const { a_quantity: left } = await fleet.client(admin).call('getProduct', { params: { id: product } });
    expect(sold + left).toBe(stock);
    // Every rejected order exceeded the remaining stock.
    expect(smallestRejected).toBeGreaterThan(left);
  }
}, 60_000);
