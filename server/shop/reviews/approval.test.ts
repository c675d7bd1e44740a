import { describe, expect, test, vi } from 'vitest';
import { hourMs } from '../../../contract/durations.ts';
import { engines } from '../../../tests/support/database.ts';
import type { TestUser } from '../../../tests/support/requests.ts';
import { readProblem, sendCall, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { readIdTime } from '../../database/id-range.ts';

const settings = { REVIEW_APPROVAL: 'yes' };

async function write(shop: TestShop, person: TestUser, reviews: string, product?: string): Promise<string> {
  const { img } = await shop.addProduct();
  const body = { rating: 2, reviews, img, ...(product ? { product } : {}) };
  return (await shop.client(person).call('addReview', { body })).insertedId;
}

const list = async (shop: TestShop, person?: TestUser, query = {}) =>
  (await shop.client(person).call('listReviews', { query })).map(({ reviews }) => reviews);

/** The messages to admins about reviews. */
const listMessages = ({ database: { db } }: TestShop) =>
  db
    .selectFrom('mail')
    .innerJoin('user', 'user.id', 'mail.user_id')
    .select(['user.email', 'about', 'due_at'])
    .where('kind', '=', 'new reviews')
    .execute();

describe.each(engines)('on %s', (engine) => {
  test('without the setting, a review is visible at once', async () => {
    await using shop = await startShop({ engine });
    await write(shop, await shop.signUp(), 'Bent.');
    expect(await list(shop)).toEqual(['Bent.']);
  });

  test('a review waits for approval, and only its author and admins see it', async () => {
    await using shop = await startShop({ engine, settings });
    const [ada, tom] = [await shop.admin(), await shop.signUpConfirmed()];
    const product = await shop.addProduct();
    const id = await write(shop, tom, 'Bent.', product._id);
    for (const person of [undefined, tom, ada]) expect(await list(shop, person)).toEqual([]);
    expect(await (await shop.send('/', {}, ada)).text()).not.toContain('Bent.');
    expect(await list(shop, tom, { own: 'true' })).toEqual(['Bent.']);
    expect(await list(shop, ada, { pending: 'true' })).toEqual(['Bent.']);
    const asTom = { query: { pending: 'true' }, headers: tokenHeaders(tom) };
    expect((await sendCall(shop, 'listReviews', asTom)).status).toBe(403);
    const rating = async () =>
      (await shop.client().call('getProduct', { params: { id: product._id } })).rating?.count;
    expect(await rating()).toBe(undefined);
    expect(await shop.client(ada).call('getReportedCount', {})).toEqual({ count: 0, pending: 1 });
    expect(await shop.client(ada).call('getOverview', {})).toMatchObject({ pendingReviews: 1 });

    const approve = { params: { id }, body: { version: 1 } };
    expect(await shop.client(ada).call('approveReview', approve)).toEqual({ modifiedCount: 1 });
    expect(await shop.client(ada).call('approveReview', approve)).toEqual({ modifiedCount: 0 });
    expect(await list(shop)).toEqual(['Bent.']);
    expect(await rating()).toBe(1);
    const [entry] = await shop.client(ada).call('listAudit', { query: { limit: 1 } });
    expect(entry).toMatchObject({ action: 'approveReview', target: id, name: tom.name });
  });

  test('an edited review waits for approval again, and cannot be approved unseen', async () => {
    await using shop = await startShop({ engine, settings });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    const params = { id: await write(shop, tom, 'Bent.') };
    const approve = (version: number) =>
      sendCall(shop, 'approveReview', { params, body: { version }, headers: tokenHeaders(ada) });
    await shop.client(tom).call('editReview', { params, body: { reviews: 'Buy at other.example.' } });
    const { status, type } = await readProblem(await approve(1));
    expect([status, type]).toEqual([409, 'urn:problem:edit_conflict']);
    expect(await list(shop)).toEqual([]);
    expect((await approve(2)).status).toBe(200);
    await shop.client(tom).call('editReview', { params, body: { reviews: 'Straight.' } });
    expect(await list(shop)).toEqual([]);
    expect(await list(shop, ada, { pending: 'true' })).toEqual(['Straight.']);
    // A hidden review stays hidden, and the author can delete a review that waits.
    const hide = { params, body: { version: 3, reason: 'Advertising.' } };
    await shop.client(ada).call('hideReview', hide);
    await shop.client(tom).call('editReview', { params, body: { reviews: 'True.' } });
    expect(await list(shop, ada, { pending: 'true' })).toEqual([]);
    // No admin has seen the edited text, so the review waits for approval when it is shown again.
    const shown = { modifiedCount: 1, version: 6, pending: true };
    const show = { params, query: { version: 5 } };
    expect(await shop.client(ada).call('showReview', show)).toEqual(shown);
    expect(await list(shop)).toEqual([]);
    expect(await list(shop, ada, { pending: 'true' })).toEqual(['True.']);
    await shop.client(tom).call('editReview', { params, body: { reviews: 'Bent.' } });
    expect(await shop.client(tom).call('deleteReview', { params })).toEqual({ deletedCount: 1 });
    expect((await approve(1)).status).toBe(404);
  });

  test('showing a review again changes only hidden reviews, and never publishes a review that waits', async () => {
    await using shop = await startShop({ engine, settings });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    const params = { id: await write(shop, tom, 'Bent.') };
    const { call } = shop.client(ada);
    const show = { params, query: { version: 1 } };
    expect(await call('showReview', show)).toEqual({ modifiedCount: 0, version: 1, pending: true });
    expect(await list(shop)).toEqual([]);
    await call('approveReview', { params, body: { version: 1 } });
    expect(await call('showReview', show)).toEqual({ modifiedCount: 0, version: 1 });
    expect(await list(shop)).toEqual(['Bent.']);
    const actions = await call('listAudit', { query: { limit: 1 } });
    expect(actions.map(({ action }) => action)).toEqual(['approveReview']);
  });

  test('without the setting, showing a review that waits changes nothing', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    const params = { id: await write(shop, tom, 'Bent.') };
    // It has waited since the setting was removed.
    await shop.database.db.updateTable('review').set({ state: 'pending' }).execute();
    const waits = { modifiedCount: 0, version: 1, pending: true };
    const show = { params, query: { version: 1 } };
    expect(await shop.client(ada).call('showReview', show)).toEqual(waits);
    expect(await list(shop)).toEqual([]);
  });

  test('a review that another admin has hidden in the meantime cannot be approved', async () => {
    await using shop = await startShop({ engine, settings });
    const [ada, bob, tom] = [await shop.admin(), await shop.admin('Bob'), await shop.signUp()];
    const params = { id: await write(shop, tom, 'Bent.') };
    await shop.client(ada).call('hideReview', { params, body: { version: 1, reason: 'Rude.' } });
    const approval = { params, body: { version: 1 }, headers: tokenHeaders(bob) };
    const { status, type } = await readProblem(await sendCall(shop, 'approveReview', approval));
    expect([status, type]).toEqual([409, 'urn:problem:edit_conflict']);
    expect(await list(shop)).toEqual([]);
  });

  test('an admin’s own review does not wait', async () => {
    await using shop = await startShop({ engine, settings });
    await write(shop, await shop.admin(), 'We use it ourselves.');
    expect(await list(shop)).toEqual(['We use it ourselves.']);
  });

  test('the shop answers in public; two admins do not overwrite each other', async () => {
    await using shop = await startShop({ engine });
    const [ada, bob, tom] = [await shop.admin(), await shop.admin('Bob'), await shop.signUpConfirmed()];
    const product = await shop.addProduct();
    const params = { id: await write(shop, tom, 'Bent.', product._id) };
    const answer = (person: TestUser, body: { version: number; answer: string }) =>
      sendCall(shop, 'answerReview', { params, body, headers: tokenHeaders(person) });
    expect((await answer(tom, { version: 1, answer: 'No.' })).status).toBe(403);
    const read = async () =>
      (await shop.client().call('listProductReviews', { params: { id: product._id } }))[0];
    expect(await read()).not.toHaveProperty('answer');

    const first = await answer(ada, { version: 1, answer: 'It is now packed in a tube.' });
    expect(await first.json()).toEqual({ modifiedCount: 1, version: 2 });
    const { status, type } = await readProblem(await answer(bob, { version: 1, answer: 'Sorry.' }));
    expect([status, type]).toEqual([409, 'urn:problem:edit_conflict']);
    const answered = await read();
    expect(answered?.answer?.text).toBe('It is now packed in a tube.');
    expect(answered).not.toHaveProperty('version');
    // The home page quotes only the review, which could otherwise imitate an answer within its text.
    for (const path of ['/', `/?review=${params.id}`]) {
      const page = await (await shop.send(path, {})).text();
      expect(page).toContain('Bent.');
      expect(page).not.toContain('It is now packed');
    }

    const removed = await answer(bob, { version: 2, answer: '' });
    expect(await removed.json()).toEqual({ modifiedCount: 1, version: 3 });
    expect(await read()).not.toHaveProperty('answer');
    const actions = await shop.client(ada).call('listAudit', { query: { limit: 2 } });
    expect(actions.map(({ action, details }) => [action, details])).toEqual([
      ['answerReview', 'answer:  (was It is now packed in a tube.)'],
      ['answerReview', 'answer: It is now packed in a tube. (was )'],
    ]);
  });

  test('each admin gets one message an hour about reviews that wait, however many there are', async () => {
    await using shop = await startShop({ engine, settings });
    const [ada, bob] = [await shop.admin(), await shop.admin('Bob')];
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    for (const person of [tom, ann, tom]) await write(shop, person, 'Bent.');
    const messages = await listMessages(shop);
    for (const admin of [ada, bob]) {
      const hours = messages.filter(({ email }) => email === admin.email).map(({ about }) => about);
      expect(hours.length).toBeGreaterThan(0);
      // There are two if an hour has ended meanwhile.
      expect(new Set(hours).size).toBe(hours.length);
    }
    for (const { about, due_at } of messages) expect(due_at).toBe(Number(about) + 3_660_000);
  });

  test('the admins get no message about reviews that do not wait', async () => {
    {
      await using shop = await startShop({ engine });
      await shop.admin();
      await write(shop, await shop.signUp(), 'Bent.');
      expect(await listMessages(shop)).toEqual([]);
    }
    await using shop = await startShop({ engine, settings });
    const [ada, tom] = [await shop.admin(), await shop.signUp()];
    await write(shop, ada, 'We use it ourselves.');
    expect(await listMessages(shop)).toEqual([]);
    const params = { id: await write(shop, tom, 'Bent.') };
    await shop.client(ada).call('hideReview', { params, body: { version: 1, reason: 'Rude.' } });
    await shop.database.db.deleteFrom('mail').execute();
    await shop.client(tom).call('editReview', { params, body: { reviews: 'Straight.' } });
    expect(await listMessages(shop)).toEqual([]);
  });

  test('the message of an hour lists the reviews whose ids were made in that hour', async () => {
    await using shop = await startShop({ engine, settings });
    await shop.admin();
    const tom = await shop.signUp();
    const { img } = await shop.addProduct();
    const end = Math.ceil(Date.now() / hourMs) * hourMs;
    const hour = end - hourMs;
    const { transaction } = shop.database;
    // The hour ends between the call's first line and its transaction.
    shop.database.transaction = (work) => {
      vi.setSystemTime(end + 100);
      return transaction(work);
    };
    vi.setSystemTime(end - 1);
    try {
      const body = { rating: 2, reviews: 'Bent.', img };
      const { insertedId } = await shop.client(tom).call('addReview', { body });
      expect(readIdTime(insertedId)).toBeLessThan(end);
      const messages = await listMessages(shop);
      expect(new Set(messages.map(({ about }) => about))).toEqual(new Set([`${hour}`]));
    } finally {
      vi.useRealTimers();
    }
  });
});
