import { describe, expect, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

async function addReview(shop: TestShop, person: TestUser, reviews: string): Promise<{ id: string }> {
  const { img } = await shop.addProduct();
  const { insertedId } = await shop.client(person).call('addReview', { body: { rating: 1, reviews, img } });
  return { id: insertedId };
}

const home = async (shop: TestShop, person?: TestUser) => (await shop.send('/', {}, person)).text();

describe.each(engines)('on %s', (engine) => {
  test('a hidden review disappears for everyone immediately, and returns when it is shown again', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, ann] = [await shop.admin(), await shop.signUp(), await shop.signUp('Ann')];
    const params = await addReview(shop, tom, 'Cheap watches elsewhere');
    await addReview(shop, ann, 'Cuts well');
    const everyone = [undefined, tom, ann, ada];
    const listed = async (person?: TestUser) =>
      (await shop.client(person).call('listReviews', {})).map(({ reviews }) => reviews);
    const all = ['Cuts well', 'Cheap watches elsewhere'];
    for (const person of everyone) {
      expect(await listed(person)).toEqual(all);
      expect(await home(shop, person)).toContain('Cheap watches');
    }

    const body = { reason: ' Advertising. ' };
    const { call } = shop.client(ada);
    expect(await call('hideReview', { params, body })).toEqual({ modifiedCount: 1 });
    for (const person of everyone) {
      expect(await listed(person)).toEqual(['Cuts well']);
      expect(await home(shop, person)).not.toContain('Cheap watches');
    }

    expect(await call('showReview', { params })).toEqual({ modifiedCount: 1 });
    for (const person of everyone) {
      expect(await listed(person)).toEqual(all);
      expect(await home(shop, person)).toContain('Cheap watches');
    }
  });

  test('the author and admins see a hidden review and the reason, others do not', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, ann] = [await shop.admin(), await shop.signUp(), await shop.signUp('Ann')];
    const hidden = async (person?: TestUser, page = {}) =>
      (await shop.client(person).call('listReviews', { query: { hidden: 'true', ...page } })).map(
        ({ _id, email, hidden }) => [_id, email, hidden],
      );
    const byTom = await addReview(shop, tom, 'Cheap watches elsewhere');
    const byAnn = await addReview(shop, ann, 'Cuts well');
    for (const person of [undefined, tom, ann, ada]) expect(await hidden(person)).toEqual([]);

    const body = { reason: 'Advertising.' };
    for (const params of [byTom, byAnn]) await shop.client(ada).call('hideReview', { params, body });
    const [tomsReview, annsReview] = [
      [byTom.id, tom.email, body],
      [byAnn.id, ann.email, body],
    ];
    expect(await hidden()).toEqual([]);
    expect(await hidden(tom)).toEqual([tomsReview]);
    expect(await hidden(ann)).toEqual([annsReview]);
    expect(await hidden(ada)).toEqual([annsReview, tomsReview]);
    expect(await hidden(ada, { limit: 1 })).toEqual([annsReview]);
    expect(await hidden(ada, { after: byAnn.id })).toEqual([tomsReview]);
    const page = await (await shop.send('/dashboard/review', {}, ann)).text();
    expect(page).toContain(body.reason);
    expect(page).not.toContain('Cheap watches');
    const wrong = await sendCall(shop, 'listReviews', {
      query: { hidden: 'yes' },
      headers: tokenHeaders(ada),
    });
    expect((await readProblem(wrong)).errors).toEqual([
      { field: 'hidden', message: 'Hidden must be true or false' },
    ]);
  });

  test('hiding needs a reason and an existing review; changes are audited, repetitions are not', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom] = [await shop.admin(), await shop.signUp('Tom Tompion')];
    const params = await addReview(shop, tom, 'Cheap watches elsewhere');
    const hide = (body: unknown, id = params.id) =>
      sendCall(shop, 'hideReview', { params: { id }, body, headers: tokenHeaders(ada) });

    for (const [reason, message] of [
      [undefined, 'Reason is Required'],
      [' ', 'Reason is Required'],
      ['a'.repeat(301), 'Reason must be 300 characters or shorter'],
      [7, 'Reason must be text'],
    ]) {
      const { status, errors } = await readProblem(await hide({ reason }));
      expect([status, errors]).toEqual([422, [{ field: 'reason', message }]]);
    }
    expect((await readProblem(await hide({ reason: 'Why' }, 'nowhere'))).status).toBe(404);
    const show = (id: string) => sendCall(shop, 'showReview', { params: { id }, headers: tokenHeaders(ada) });
    expect((await readProblem(await show('nowhere'))).status).toBe(404);

    const counts = [];
    for (const response of [
      await show(params.id),
      await hide({ reason: 'Advertising' }),
      await hide({ reason: 'Advertising' }),
      await hide({ reason: 'Fraud' }),
      await show(params.id),
      await show(params.id),
    ])
      counts.push((await response.json()).modifiedCount);
    expect(counts).toEqual([0, 1, 0, 1, 1, 0]);
    const entries = await shop.client(ada).call('listAudit', { query: { limit: 3 } });
    expect(entries.map(({ actor, action, target, name }) => [actor, action, target, name])).toEqual(
      ['showReview', 'hideReview', 'hideReview'].map((what) => [ada.email, what, params.id, tom.name]),
    );
  });
});

test('a review hidden by one process disappears from the pages cached by another', async () => {
  const { place, drop } = await makeDatabase('postgres');
  try {
    await using first = await startShop({ place });
    await using second = await startShop({ place });
    const ada = await first.admin();
    expect(await home(second)).not.toContain('Cheap watches');
    const params = await addReview(first, ada, 'Cheap watches elsewhere');
    await expect.poll(() => home(second)).toContain('Cheap watches');
    await first.client(ada).call('hideReview', { params, body: { reason: 'Advertising.' } });
    // API calls are not cached across processes.
    expect(await second.client().call('listReviews', {})).toEqual([]);
    await expect.poll(() => home(second)).not.toContain('Cheap watches');
  } finally {
    await drop();
  }
});
