import { describe, expect, test } from 'vitest';
import type { CallName } from '../../../contract/paths.ts';
import { engines } from '../../../tests/support/database.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { cookieHeaders, readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

describe.each(engines)('on %s', (engine) => {
  test('the same Idempotency-Key from the same user replays the first response', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann, admin] = [await shop.signUp(), await shop.signUp('Ann'), await shop.admin()];
    const product = await shop.addProduct({ price: 2, a_quantity: 10 });
    const { img } = product;
    const send = async (name: CallName, person: TestUser, body: object, key: string) => {
      const headers = { ...tokenHeaders(person), 'idempotency-key': key };
      const response = await sendCall(shop, name, { body, headers });
      if (!response.ok) return readProblem(response);
      return { status: response.status, ...(await response.json()) };
    };
    const count = async (table: 'order_line' | 'review' | 'product') =>
      (await shop.database.db.selectFrom(table).select('id').execute()).length;

    const order = { orderId: product._id, orderQuantity: 2, price: 4, user: tom.email };
    const review = { rating: 5, reviews: 'Good.', img };
    const added = {
      name: 'Vise',
      email: admin.email,
      description: 'D',
      img,
      price: 1,
      o_quantity: 1,
      a_quantity: 1,
    };
    for (const [name, person, body, other] of [
      ['placeOrder', tom, order, { ...order, phone: '1' }],
      ['addReview', tom, review, { ...review, rating: 1 }],
      ['addProduct', admin, added, { ...added, name: 'Other' }],
    ] as const) {
      const key = `key-of-${name}`;
      const first = await send(name, person, body, key);
      expect(first).toMatchObject({ status: 201, insertedId: expect.any(String) });
      expect(await send(name, person, body, key)).toEqual(first);
      // A cookie and a token of the same session identify the same user.
      const headers = { ...cookieHeaders(person), 'idempotency-key': key };
      expect(await (await sendCall(shop, name, { body, headers })).json()).toMatchObject({
        insertedId: first.insertedId,
      });
      const refused = await send(name, person, other, key);
      expect(refused).toMatchObject({ status: 422, errors: [{ field: 'Idempotency-Key' }] });
    }
    expect([await count('order_line'), await count('review'), await count('product')]).toEqual([1, 1, 2]);
    // A key belongs to one call.
    expect(await send('addReview', tom, review, 'key-of-placeOrder')).toMatchObject({ status: 422 });
    // Other users' keys are separate.
    expect(await send('addReview', ann, review, 'key-of-addReview')).toMatchObject({ status: 201 });
    expect(await count('review')).toBe(2);
    // Without a key, each request adds a review.
    for (const _ of [1, 2]) await sendCall(shop, 'addReview', { body: review, headers: tokenHeaders(ann) });
    expect(await count('review')).toBe(4);
    const { a_quantity } = await shop.client().call('getProduct', { params: { id: product._id } });
    expect(a_quantity).toBe(8);
  });

  test('ten simultaneous orders with the same key place one order, and all responses contain its id', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const product = await shop.addProduct({ price: 2, a_quantity: 100 });
    const body = { orderId: product._id, orderQuantity: 2, price: 4, user: tom.email };
    const client = shop.client(tom);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.call('placeOrder', { body, idempotencyKey: 'at-once' })),
    );
    expect(new Set(answers.map(({ insertedId }) => insertedId)).size).toBe(1);
    expect(await client.call('listOwnOrders', { query: { user: tom.email } })).toHaveLength(1);
    expect(await client.call('getProduct', { params: { id: product._id } })).toMatchObject({
      a_quantity: 98,
    });
  });

  test('a rejected request leaves its key unused; a successful one is replayed even if the stock is gone', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const product = await shop.addProduct({ price: 2, a_quantity: 2 });
    const body = { orderId: product._id, orderQuantity: 2, price: 4, user: tom.email };
    const headers = { ...tokenHeaders(tom), 'idempotency-key': 'a' };
    const wrong = await sendCall(shop, 'placeOrder', { body: { ...body, price: 3 }, headers });
    expect((await readProblem(wrong)).status).toBe(409);
    const placed = await sendCall(shop, 'placeOrder', { body, headers });
    expect(placed.status).toBe(201);
    const again = await sendCall(shop, 'placeOrder', { body, headers });
    expect(await again.json()).toEqual(await placed.json());

    for (const key of ['', ' ', 'a b', 'a'.repeat(256), 'ä']) {
      const odd = { ...tokenHeaders(tom), 'idempotency-key': key };
      const refused = await readProblem(await sendCall(shop, 'placeOrder', { body, headers: odd }));
      expect([key, refused.status]).toEqual([key, 422]);
    }
  });
});
