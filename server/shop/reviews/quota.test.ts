import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const hour = 60 * 60 * 1000;

async function prepare(shop: TestShop) {
  const { img } = await shop.addProduct();
  const body = { rating: 5, reviews: 'Good.', img };
  const send = (person: TestUser, change: object = {}, key: string = randomUUID()) =>
    sendCall(shop, 'addReview', {
      body: { ...body, ...change },
      headers: { ...tokenHeaders(person), 'idempotency-key': key },
    });
  const statuses = async (sent: Promise<Response>[]) =>
    (await Promise.all(sent)).map(({ status }) => status).sort();
  return { send, statuses };
}

describe.each(engines)('on %s', (engine) => {
  test('POST /review accepts 20 reviews per user and day, then returns 429', async () => {
    await using shop = await startShop({ engine });
    const { send } = await prepare(shop);
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    for (let count = 0; count < 20; count++) expect((await send(tom)).status).toBe(201);

    const rejected = await send(tom);
    const retryAfter = Number(rejected.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan((23 * hour) / 1000);
    expect(retryAfter).toBeLessThanOrEqual((24 * hour) / 1000);
    expect(await readProblem(rejected)).toMatchObject({
      status: 429,
      detail: 'You can write 20 reviews a day: wait 24 hours and try again.',
    });
    expect(await shop.client().call('listReviews', {})).toHaveLength(20);
    expect((await send(ann)).status).toBe(201);

    // The periodic work must not end the day early.
    await shop.doPeriodicWork();
    expect((await send(tom)).status).toBe(429);
    await shop.database.db.updateTable('rate_limit').set({ ends_at: Date.now() }).execute();
    expect((await send(tom)).status).toBe(201);
  });

  test('rejected reviews and idempotent replays do not count', async () => {
    await using shop = await startShop({ engine, rateLimits: { reviewsPerUser: 2 } });
    const { send } = await prepare(shop);
    const tom = await shop.signUp();
    for (const change of [{ rating: 6 }, { img: `/images/${'0'.repeat(64)}-960.webp` }])
      expect((await send(tom, change)).status).toBe(422);
    for (let count = 0; count < 3; count++) expect((await send(tom, {}, 'first')).status).toBe(201);
    expect((await send(tom, {}, 'second')).status).toBe(201);
    expect((await send(tom, {}, 'third')).status).toBe(429);
    // A replay is answered even when the quota is used up, and a rejected key is not used up.
    expect((await send(tom, {}, 'first')).status).toBe(201);
    await shop.database.db.updateTable('rate_limit').set({ ends_at: Date.now() }).execute();
    expect((await send(tom, {}, 'third')).status).toBe(201);
    expect(await shop.client().call('listReviews', {})).toHaveLength(3);
  });

  test('PATCH /reviews/{id} accepts 60 edits per user and day, then returns 429 and changes nothing', async () => {
    await using shop = await startShop({ engine });
    const { img } = await shop.addProduct();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const { insertedId: id } = await shop
      .client(tom)
      .call('addReview', { body: { rating: 5, reviews: 'Good.', img } });
    const edit = (body: object, person = tom) =>
      sendCall(shop, 'editReview', { params: { id }, body, headers: tokenHeaders(person) });
    // Invalid edits, empty edits and edits of somebody else's review do not count.
    expect((await edit({ rating: 6 })).status).toBe(422);
    expect((await edit({ img: `/images/${'0'.repeat(64)}-960.webp` })).status).toBe(422);
    expect((await edit({})).status).toBe(200);
    expect((await edit({ rating: 1 }, ann)).status).toBe(404);
    const edits = Array.from({ length: 65 }, () => edit({ rating: 4 }).then(({ status }) => status));
    expect((await Promise.all(edits)).sort()).toEqual([...Array(60).fill(200), ...Array(5).fill(429)]);
    const rejected = await edit({ rating: 1, reviews: 'Bad.' });
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan((23 * hour) / 1000);
    expect((await readProblem(rejected)).detail).toBe(
      'You can edit reviews 60 times a day: wait 24 hours and try again.',
    );
    expect(await shop.client().call('listReviews', {})).toMatchObject([{ rating: 4, reviews: 'Good.' }]);
    expect(
      (await sendCall(shop, 'deleteReview', { params: { id }, headers: tokenHeaders(tom) })).status,
    ).toBe(200);
  });

  test('simultaneous requests do not exceed the quota', async () => {
    await using shop = await startShop({ engine, rateLimits: { reviewsPerUser: 3 } });
    const { send, statuses } = await prepare(shop);
    const tom = await shop.signUp();
    expect(await statuses(Array.from({ length: 8 }, () => send(tom)))).toEqual([
      ...Array(3).fill(201),
      ...Array(5).fill(429),
    ]);
    expect(await shop.client().call('listReviews', {})).toHaveLength(3);
  });
});
