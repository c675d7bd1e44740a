import { describe, expect, test } from 'vitest';
import type { NewReview } from '../../../contract/catalogue/reviews.ts';
import { engines } from '../../../tests/support/database.ts';
import { liveSettings } from '../../../tests/support/live-settings.ts';
import { buy, placeOrder, refundOrder } from '../../../tests/support/payments.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, type TestUser, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const write = async (shop: TestShop, person: TestUser, body: NewReview) =>
  (await shop.client(person).call('addReview', { body })).insertedId;

async function readRating(shop: TestShop, id: string, person?: TestUser) {
  const { rating, ratings } = await shop.client(person).call('getProduct', { params: { id } });
  return [rating?.average, rating?.count, ratings];
}

describe.each(engines)('on %s', (engine) => {
  test('a product’s rating follows its visible reviews, and lists have the average and the count', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, ann] = [
      await shop.admin(),
      await shop.signUpConfirmed(),
      await shop.signUpConfirmed('Ann'),
    ];
    const { _id: product, img } = await shop.addProduct();
    const other = await shop.addProduct();
    const admin = shop.client(ada);
    const read = () => readRating(shop, product);
    expect(await read()).toEqual([undefined, undefined, undefined]);

    const review = await write(shop, tom, { product, rating: 5, reviews: 'True.', img });
    expect(await read()).toEqual([5, 1, [0, 0, 0, 0, 1]]);
    const params = { id: await write(shop, ann, { product, rating: 2, reviews: 'Bent.', img }) };
    await write(shop, ann, { rating: 1, reviews: 'Slow delivery.', img });
    expect(await read()).toEqual([3.5, 2, [0, 1, 0, 0, 1]]);
    const listed = await shop.client().call('listProducts', {});
    expect(listed.map(({ rating }) => rating)).toEqual([{ average: 3.5, count: 2 }, undefined]);
    expect(listed.some((one) => 'ratings' in one)).toBe(false);

    await shop.client(ann).call('editReview', { params, body: { rating: 3 } });
    expect(await read()).toEqual([4, 2, [0, 0, 1, 0, 1]]);
    await shop.client(ann).call('editReview', { params, body: { reviews: 'Bent, then straightened.' } });
    expect(await read()).toEqual([4, 2, [0, 0, 1, 0, 1]]);
    const reason = 'Advertising.';
    for (const _ of [1, 2]) await admin.call('hideReview', { params, body: { version: 3, reason } });
    expect(await read()).toEqual([5, 1, [0, 0, 0, 0, 1]]);
    await shop.client(ann).call('editReview', { params, body: { rating: 1 } });
    expect(await read()).toEqual([5, 1, [0, 0, 0, 0, 1]]);
    for (const _ of [1, 2]) await admin.call('showReview', { params, query: { version: 5 } });
    expect(await read()).toEqual([3, 2, [1, 0, 0, 0, 1]]);
    await shop.client(ann).call('deleteReview', { params });
    expect(await read()).toEqual([5, 1, [0, 0, 0, 0, 1]]);

    await shop.client(tom).call('deleteUser', {
      params: { email: tom.email },
      body: { password: tom.password },
    });
    expect(await read()).toEqual([5, 1, [0, 0, 0, 0, 1]]);
    await admin.call('hideReview', { params: { id: review }, body: { version: 1, reason } });
    expect(await read()).toEqual([undefined, undefined, undefined]);
    expect(await readRating(shop, other._id, ada)).toEqual([undefined, undefined, undefined]);
  });

  test('a product’s reviews are listed newest, best or worst first, in pages that continue after an id', async () => {
    await using shop = await startShop({ engine });
    const { _id: product, img } = await shop.addProduct();
    const { _id: other } = await shop.addProduct();
    const ratings = [3, 5, 1, 5, 1] as const;
    const ids: string[] = [];
    for (const [index, rating] of ratings.entries()) {
      const person = await shop.signUpConfirmed(`Person ${index}`);
      ids.push(await write(shop, person, { product, rating, reviews: `Number ${index}`, img }));
      await write(shop, person, { product: other, rating, reviews: 'Elsewhere', img });
      await write(shop, person, { rating, reviews: 'In general', img });
    }
    const { list } = shop.client();
    async function readPages(sort: 'newest' | 'best' | 'worst' | undefined): Promise<number[]> {
      const found: number[] = [];
      let after: string | undefined;
      do {
        const query = { limit: 2, after, ...(sort ? { sort } : {}) };
        const page = await list('listProductReviews', { params: { id: product }, query });
        found.push(...page.rows.map(({ _id }) => ids.indexOf(_id)));
        after = page.after;
      } while (after);
      return found;
    }
    expect(await readPages(undefined)).toEqual([4, 3, 2, 1, 0]);
    expect(await readPages('newest')).toEqual([4, 3, 2, 1, 0]);
    expect(await readPages('best')).toEqual([3, 1, 0, 4, 2]);
    expect(await readPages('worst')).toEqual([4, 2, 0, 3, 1]);

    const ada = await shop.admin();
    const hidden = { params: { id: ids[3] ?? '' }, body: { version: 1, reason: 'Advertising.' } };
    await shop.client(ada).call('hideReview', hidden);
    expect(await readPages('best')).toEqual([1, 0, 4, 2]);
    const send = async (query: Record<string, string>, id = product) => {
      const response = await sendCall(shop, 'listProductReviews', { params: { id }, query });
      return [response.status, (await response.json()).length];
    };
    expect(await send({ sort: 'oldest' })).toEqual([422, undefined]);
    expect(await send({ sort: 'best', after: 'nowhere' })).toEqual([422, undefined]);
    expect(await send({}, 'nowhere')).toEqual([404, undefined]);
  });

  test('a user reviews a product once, and the product must exist', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann] = [await shop.signUpConfirmed(), await shop.signUpConfirmed('Ann')];
    const { _id: product, name, img } = await shop.addProduct();
    const body = { product, rating: 4, reviews: 'True.', img };
    const send = (person: TestUser, change: object = {}) =>
      sendCall(shop, 'addReview', { body: { ...body, ...change }, headers: tokenHeaders(person) });
    const first = await write(shop, tom, body);
    const { type, status, data } = await readProblem(await send(tom));
    expect([type, status, data]).toEqual(['urn:problem:already_reviewed', 409, { review: first }]);
    expect((await send(ann)).status).toBe(201);
    expect((await send(tom, { product: undefined })).status).toBe(201);
    expect((await readProblem(await send(tom, { product: 'nowhere' }))).status).toBe(404);
    expect((await readProblem(await send(tom, { product: 7 }))).status).toBe(422);

    // Repeating the request with its key returns the first response, even though the review exists.
    const keyed = { body: { ...body, product: (await shop.addProduct())._id }, idempotencyKey: 'once' };
    const client = shop.client(tom);
    const { insertedId } = await client.call('addReview', keyed);
    expect(await client.call('addReview', keyed)).toEqual({ insertedId });

    await client.call('deleteReview', { params: { id: first } });
    expect(await write(shop, tom, body)).not.toBe(first);
    const simultaneous = await Promise.all(
      [1, 2, 3].map(async () => (await send(await shop.signUpConfirmed())).status),
    );
    expect(simultaneous).toEqual([201, 201, 201]);
    const eve = await shop.signUpConfirmed('Eve');
    const statuses = await Promise.all([1, 2, 3].map(async () => (await send(eve)).status));
    expect(statuses.sort()).toEqual([201, 409, 409]);

    const { db } = shop.database;
    await db.updateTable('product').set({ name: 'Renamed' }).where('id', '=', product).execute();
    const find = async () =>
      (await shop.client().call('listReviews', {})).find(({ _id }) => _id === insertedId);
    expect(await find()).toMatchObject({ product: keyed.body.product, productName: name });
    await shop.client(await shop.admin()).call('deleteProduct', { params: { id: keyed.body.product } });
    expect(await find()).toMatchObject({ productName: name });
    expect(await find()).not.toHaveProperty('product');
    const [newest] = await shop.client().call('listProductReviews', { params: { id: product } });
    expect(newest).toMatchObject({ product, productName: 'Renamed' });
  });

  test('a review is verified if its author has a paid order for the product that is not refunded in full or charged back', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann] = [await shop.signUpConfirmed(), await shop.signUpConfirmed('Ann')];
    const product = await shop.addProduct({ a_quantity: 50 });
    const other = await shop.addProduct({ name: 'Reamer' });
    const { _id: id, img } = product;
    const list = async () =>
      (await shop.client(tom).call('listProductReviews', { params: { id } })).map(({ name, verified }) => [
        name,
        verified,
      ]);
    const reviewable = (person: TestUser) => shop.client(person).call('listReviewableProducts', {});
    await placeOrder(shop, tom, product);
    await buy(shop, tom, other);
    expect(await reviewable(tom)).toEqual([{ _id: other._id, name: 'Reamer' }]);
    for (const person of [tom, ann])
      await write(shop, person, { product: id, rating: 4, reviews: 'True.', img });
    expect(await list()).toEqual([
      ['Ann', undefined],
      [tom.name, undefined],
    ]);
    const { order } = await buy(shop, ann, product);
    expect(await shop.client(tom).call('listProductReviews', { params: { id } })).toMatchObject([
      { name: 'Ann', verified: true },
      { name: tom.name },
    ]);
    expect(await reviewable(ann)).toEqual([]);
    const admin = shop.client(await shop.admin());
    const params = { id: order._id };
    await refundOrder(admin, { params, body: { amount: 1, quantity: 0, reason: 'other' } });
    const chargeBack = (flag: 0 | 1) =>
      shop.database.db.updateTable('order_line').set({ is_charged_back: flag }).execute();
    await chargeBack(1);
    expect((await list())[0]).toEqual(['Ann', undefined]);
    await chargeBack(0);
    expect(await list()).toEqual([
      ['Ann', true],
      [tom.name, undefined],
    ]);
    await refundOrder(admin, { params, body: { reason: 'other', restock: 1 } });
    expect((await list())[0]).toEqual(['Ann', undefined]);
    await shop.client(ann).call('deleteUser', {
      params: { email: ann.email },
      body: { password: ann.password },
    });
    expect(await list()).toEqual([
      ['Former customer', undefined],
      [tom.name, undefined],
    ]);
  });

  test('a user with an unconfirmed address can review the shop, but a product only after confirming the address', async () => {
    await using shop = await startShop({ engine, rateLimits: { reviewsPerUser: 2 } });
    const tom = await shop.signUp();
    const { _id: product, img } = await shop.addProduct();
    const body = { rating: 1, reviews: 'Bent.', img };
    for (const _ of [1, 2, 3])
      expect(await catchProblem(write(shop, tom, { ...body, product }))).toMatchObject({
        status: 409,
        type: 'urn:problem:address_unconfirmed',
      });
    expect(await readRating(shop, product)).toEqual([undefined, undefined, undefined]);
    // The rejected reviews do not count towards the day's limit.
    await write(shop, tom, body);
    await shop.database.db.updateTable('user').set({ emailVerified: true }).execute();
    await write(shop, tom, { ...body, product });
    expect(await readRating(shop, product)).toEqual([1, 1, [1, 0, 0, 0, 0]]);
  });

  test('in a shop that sends no mail, where nobody can confirm an address, every user can review products', async () => {
    await using provider = await startShop();
    await provider.listen();
    await using shop = await startShop({ engine, settings: liveSettings(provider) });
    const { _id: product, img } = await shop.addProduct();
    await write(shop, await shop.signUp(), { product, rating: 5, reviews: 'True.', img });
    expect(await readRating(shop, product)).toEqual([5, 1, [0, 0, 0, 0, 1]]);
  });

  test('only the author edits and deletes a review; for everyone else it does not exist', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann, ada] = [
      await shop.signUpConfirmed(),
      await shop.signUpConfirmed('Ann'),
      await shop.admin(),
    ];
    const { _id: product, img } = await shop.addProduct();
    const params = { id: await write(shop, tom, { product, rating: 4, reviews: 'True.', img }) };
    for (const person of [ann, ada])
      for (const name of ['editReview', 'deleteReview'] as const) {
        const options = { params, body: { rating: 1 }, headers: tokenHeaders(person) };
        expect((await readProblem(await sendCall(shop, name, options))).status).toBe(404);
      }
    const { call } = shop.client(tom);
    expect(await call('editReview', { params, body: {} })).toEqual({ modifiedCount: 0 });
    const wrong = { params, body: { rating: 9, reviews: '' }, headers: tokenHeaders(tom) };
    const { errors = [] } = await readProblem(await sendCall(shop, 'editReview', wrong));
    expect(errors.map(({ message }) => message)).toEqual([
      'Rating must be at most 5',
      'Comments is Required',
    ]);
    const body = { rating: 2, reviews: ' Bent. ', product: 'elsewhere', name: 'Eve' };
    expect(await call('editReview', { params, body })).toEqual({ modifiedCount: 1 });
    const own = { query: { own: 'true' as const } };
    expect(await call('listReviews', own)).toMatchObject([
      { _id: params.id, name: tom.name, rating: 2, reviews: 'Bent.', img, product },
    ]);
    await shop.client(ada).call('hideReview', { params, body: { version: 2, reason: 'Advertising.' } });
    expect(await call('listReviews', own)).toMatchObject([{ hidden: { reason: 'Advertising.' } }]);
    expect(await shop.client(ada).call('listReviews', own)).toEqual([]);
    // Otherwise the author could post the hidden text again.
    expect(await catchProblem(call('deleteReview', { params }))).toMatchObject({
      status: 409,
      type: 'urn:problem:conflict',
    });
    await shop.client(ada).call('showReview', { params, query: { version: 3 } });
    expect(await call('deleteReview', { params })).toEqual({ deletedCount: 1 });
    expect(await call('listReviews', own)).toEqual([]);
    expect((await sendCall(shop, 'listReviews', { query: { own: 'true' } })).status).toBe(401);
  });
});
