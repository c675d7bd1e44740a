import { expect, onTestFinished, test } from 'vitest';
import { ApiError } from '../../web/client/client.ts';
import { askIdentity } from '../support/ask.ts';
import { makeDatabase } from '../support/database.ts';
import { refusal } from '../support/refusal.ts';
import { startFleet } from './fleet.ts';
import { pixel, upload } from './pictures.ts';

async function makeFleet() {
  const { place, drop } = await makeDatabase('postgres');
  onTestFinished(drop);
  return startFleet('url' in place ? place.url : expect.unreachable());
}

/** Pieces of a product at 12.50 each. */
const bodyOf = (product: string, pieces: number, user: string) => ({
  orderId: product,
  orderQuantity: pieces,
  price: 12.5 * pieces,
  user,
});

test('what one process changes holds for all: people, orders, pictures, roles, limits and cached pages', async () => {
  const fleet = await makeFleet();
  const doors = [fleet.door(0), fleet.door(1), fleet.door(2)] as const;
  const [first, second, third] = doors;

  // Signed up at one, at home at each.
  const tom = await first.signUp();
  const admin = await second.signIn('admin@example.com', 'clockwork');
  for (const door of doors) {
    const page = await (await door.send('/dashboard', {}, tom)).text();
    expect(page).toContain(tom.email);
  }

  // Uploaded at one, read at another.
  const img = await upload(third, admin, pixel);
  const picture = await first.send(new URL(img, fleet.origin).pathname);
  expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
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

  // The same key at two processes is one order.
  const placed = await Promise.all(
    doors.map((door) =>
      door.client(tom).call('placeOrder', { body: bodyOf(product, 2, tom.email), idempotencyKey: 'once' }),
    ),
  );
  expect(new Set(placed.map(({ insertedId }) => insertedId)).size).toBe(1);
  expect(await third.client(tom).call('getProduct', { params: { id: product } })).toMatchObject({
    a_quantity: 8,
  });

  // A role counts at the next call, wherever that is; so does a sign-out.
  expect(await refusal(first.client(tom).call('listUsers', {}))).toMatchObject({ status: 403 });
  await second.client(admin).call('makeAdmin', { params: { email: tom.email } });
  expect(await third.client(tom).call('isAdmin', { params: { email: tom.email } })).toEqual({ admin: true });
  const signedOut = await second.signIn(tom.email, tom.password);
  await third.send('/api/auth/sign-out', { method: 'POST' }, signedOut);
  expect(await refusal(first.client(signedOut).call('listUsers', {}))).toMatchObject({ status: 401 });

  // Ten wrong passwords, wherever they are tried.
  const guess = async (at: number) => {
    const door = doors[at % 3] ?? first;
    const given = { email: tom.email, password: 'a wrong one' };
    return (await askIdentity({ origin: fleet.origin, fetch: door.fetch }, '/sign-in/email', given)).status;
  };
  const guesses = await Promise.all(Array.from({ length: 14 }, (_, at) => guess(at)));
  expect(guesses.toSorted()).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);

  // A page that all keep for visitors, and a change made through one of them.
  for (const name of ['Depthing Tool', 'Bushing Reamer', 'Mainspring Winder']) {
    for (const door of doors) await (await door.send('/')).text();
    await third.client(admin).call('addReview', { body: { rating: 5, reviews: `I like the ${name}.`, img } });
    for (const door of doors)
      await expect
        .poll(async () => (await door.send('/')).text(), { interval: 20 })
        .toContain(`I like the ${name}.`);
  }
}, 60_000);

test('the last pieces, wanted by many at three processes at once, are sold once each', async () => {
  const fleet = await makeFleet();
  const admin = await fleet.signIn('admin@example.com', 'clockwork');
  const img = await upload(fleet, admin, pixel);
  const stock = 25;
  const people = await Promise.all([0, 1, 2].map((at) => fleet.door(at).signUp()));
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
    const wishes = Array.from({ length: 45 }, (_, at) => ({ at: at % 3, pieces: 1 + (at % 4) }));
    const answers = await Promise.allSettled(
      wishes.map(async ({ at, pieces }) => {
        const person = people[at] ?? expect.unreachable();
        await fleet
          .door(at)
          .client(person)
          .call('placeOrder', { body: bodyOf(product, pieces, person.email) });
      }),
    );
    let sold = 0;
    let fewestRefused = stock;
    for (const [at, answer] of answers.entries()) {
      const { pieces } = wishes[at] ?? expect.unreachable();
      if (answer.status === 'fulfilled') {
        sold += pieces;
        continue;
      }
      expect(answer.reason).toBeInstanceOf(ApiError);
      expect(answer.reason.problem).toMatchObject({ type: 'urn:problem:out_of_stock' });
      fewestRefused = Math.min(fewestRefused, pieces);
    }
    const { a_quantity: left } = await fleet.client(admin).call('getProduct', { params: { id: product } });
    expect(sold + left).toBe(stock);
    // Nobody was refused what is still there.
    expect(fewestRefused).toBeGreaterThan(left);
  }
}, 60_000);
