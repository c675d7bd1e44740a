import { describe, expect, test } from 'vitest';
import { engines, makeDatabase } from '../../../tests/support/database.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
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

    const body = { version: 1, reason: ' Advertising. ' };
    const { call } = shop.client(ada);
    expect(await call('hideReview', { params, body })).toEqual({ modifiedCount: 1, version: 2 });
    for (const person of everyone) {
      expect(await listed(person)).toEqual(['Cuts well']);
      expect(await home(shop, person)).not.toContain('Cheap watches');
    }

    const show = { params, query: { version: 2 } };
    expect(await call('showReview', show)).toEqual({ modifiedCount: 1, version: 3 });
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

    const reason = 'Advertising.';
    for (const params of [byTom, byAnn])
      await shop.client(ada).call('hideReview', { params, body: { version: 1, reason } });
    const [tomsReview, annsReview] = [
      [byTom.id, tom.email, { reason }],
      [byAnn.id, ann.email, { reason }],
    ];
    expect(await hidden()).toEqual([]);
    expect(await hidden(tom)).toEqual([tomsReview]);
    expect(await hidden(ann)).toEqual([annsReview]);
    expect(await hidden(ada)).toEqual([annsReview, tomsReview]);
    expect(await hidden(ada, { limit: 1 })).toEqual([annsReview]);
    expect(await hidden(ada, { after: byAnn.id })).toEqual([tomsReview]);
    const page = await (await shop.send('/dashboard/review', {}, ann)).text();
    expect(page).toContain(reason);
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
    const hide = (version: number, reason: unknown, id = params.id) =>
      sendCall(shop, 'hideReview', {
        params: { id },
        body: { version, reason },
        headers: tokenHeaders(ada),
      });

    for (const [reason, message] of [
      [undefined, 'Reason is Required'],
      [' ', 'Reason is Required'],
      ['a'.repeat(301), 'Reason must be 300 characters or shorter'],
      [7, 'Reason must be text'],
    ]) {
      const { status, errors } = await readProblem(await hide(1, reason));
      expect([status, errors]).toEqual([422, [{ field: 'reason', message }]]);
    }
    expect((await readProblem(await hide(1, 'Why', 'nowhere'))).status).toBe(404);
    const show = (version: string, id = params.id) =>
      sendCall(shop, 'showReview', { params: { id }, query: { version }, headers: tokenHeaders(ada) });
    expect((await readProblem(await show('1', 'nowhere'))).status).toBe(404);

    const counts = [];
    for (const response of [
      await show('1'),
      await hide(1, 'Advertising'),
      await hide(1, 'Advertising'),
      await hide(2, 'Fraud'),
      await show('3'),
      await show('3'),
    ])
      counts.push((await response.json()).modifiedCount);
    expect(counts).toEqual([0, 1, 0, 1, 1, 0]);
    const entries = await shop.client(ada).call('listAudit', { query: { limit: 3 } });
    expect(entries.map(({ actor, action, target, name }) => [actor, action, target, name])).toEqual(
      ['showReview', 'hideReview', 'hideReview'].map((what) => [ada.email, what, params.id, tom.name]),
    );
  });

  test('a review that has changed since an admin read it is neither hidden nor shown', async () => {
    await using shop = await startShop({ engine });
    const [ada, bob, tom] = [await shop.admin(), await shop.admin('Bob'), await shop.signUp()];
    const params = await addReview(shop, tom, 'Cheap watches elsewhere');
    const edit = (reviews: string) => shop.client(tom).call('editReview', { params, body: { reviews } });
    const list = async (query = {}) =>
      (await shop.client(ada).call('listReviews', { query })).map(({ reviews, version, hidden }) => [
        reviews,
        version,
        hidden?.reason,
      ]);
    const hide = (version: number, reason: string, person = ada) =>
      shop.client(person).call('hideReview', { params, body: { version, reason } });
    const show = (version: number) => shop.client(ada).call('showReview', { params, query: { version } });
    const conflict = { status: 409, type: 'urn:problem:edit_conflict' };

    await edit('Cuts well');
    expect(await catchProblem(hide(1, 'Advertising.'))).toMatchObject(conflict);
    expect(await list()).toEqual([['Cuts well', 2, undefined]]);
    expect(await hide(2, 'Advertising.')).toEqual({ modifiedCount: 1, version: 3 });
    expect(await catchProblem(hide(2, 'Rude.', bob))).toMatchObject(conflict);
    expect(await hide(3, 'Fraud.', bob)).toEqual({ modifiedCount: 1, version: 4 });
    expect(await catchProblem(show(3))).toMatchObject(conflict);
    await edit('Cheaper watches elsewhere');
    expect(await catchProblem(show(4))).toMatchObject(conflict);
    expect(await list({ hidden: 'true' })).toEqual([['Cheaper watches elsewhere', 5, 'Fraud.']]);
    expect(await show(5)).toEqual({ modifiedCount: 1, version: 6 });
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
    await first.client(ada).call('hideReview', { params, body: { version: 1, reason: 'Advertising.' } });
    // API calls are not cached across processes.
    expect(await second.client().call('listReviews', {})).toEqual([]);
    await expect.poll(() => home(second)).not.toContain('Cheap watches');
  } finally {
    await drop();
  }
});
