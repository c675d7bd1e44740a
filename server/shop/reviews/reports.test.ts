import { describe, expect, test, vi } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { readProblem, sendCall, type TestUser, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

async function addReview(shop: TestShop, person: TestUser): Promise<{ id: string }> {
  const { _id: product, img } = await shop.addProduct();
  const body = { product, rating: 1, reviews: 'Cheap watches elsewhere', img };
  return { id: (await shop.client(person).call('addReview', { body })).insertedId };
}

describe.each(engines)('on %s', (engine) => {
  test('readers report a review once each; an admin sees the reasons, dismisses them or hides the review', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, ann] = [
      await shop.admin(),
      await shop.signUpConfirmed('Tom Tompion'),
      await shop.signUpConfirmed('Ann'),
    ];
    const [first, second] = [await addReview(shop, tom), await addReview(shop, tom)];
    const report = (person: TestUser, params: { id: string }, reason: string) =>
      shop.client(person).call('reportReview', { params, body: { reason } });
    const admin = shop.client(ada);
    const reported = async (query = {}) =>
      (await admin.call('listReviews', { query: { reported: 'true', ...query } })).map(({ _id, reports }) => [
        _id,
        reports?.count,
        reports?.reasons,
      ]);
    expect(await reported()).toEqual([]);
    expect(await report(ann, first, ' Advertising. ')).toEqual({ modifiedCount: 1 });
    expect(await report(ann, first, 'Again.')).toEqual({ modifiedCount: 0 });
    for (const at of [1, 2, 3, 4, 5])
      await report(await shop.signUpConfirmed(`Person ${at}`), first, `Reason ${at}`);
    await report(ann, second, 'Rude.');
    const reasons = [5, 4, 3, 2, 1].map((at) => `Reason ${at}`);
    expect(await reported()).toEqual([
      [second.id, 1, ['Rude.']],
      [first.id, 6, reasons],
    ]);
    expect(await admin.call('getReportedCount', {})).toEqual({ count: 2, pending: 0 });
    expect(await reported({ limit: 1 })).toEqual([[second.id, 1, ['Rude.']]]);
    expect(await reported({ after: second.id })).toEqual([[first.id, 6, reasons]]);
    // Reports change nothing for readers.
    expect(await shop.client(ann).call('listReviews', {})).toHaveLength(2);

    const seen = { params: first, query: { until: new Date().toISOString() } };
    expect(await admin.call('dismissReports', seen)).toEqual({ deletedCount: 6 });
    expect(await admin.call('dismissReports', seen)).toEqual({ deletedCount: 0 });
    await admin.call('hideReview', { params: second, body: { version: 1, reason: 'Rude.' } });
    expect(await reported()).toEqual([]);
    expect(await admin.call('getReportedCount', {})).toEqual({ count: 0, pending: 0 });
    const entries = await admin.call('listAudit', { query: { limit: 2 } });
    expect(entries.map(({ actor, action, target, name }) => [actor, action, target, name])).toEqual([
      [ada.email, 'hideReview', second.id, tom.name],
      [ada.email, 'dismissReports', first.id, tom.name],
    ]);
  });

  test('a report made after an admin has read the reports of a review is not dismissed', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, ann] = [
      await shop.admin(),
      await shop.signUpConfirmed(),
      await shop.signUpConfirmed('Ann'),
    ];
    const params = await addReview(shop, tom);
    const report = (person: TestUser, reason: string) =>
      shop.client(person).call('reportReview', { params, body: { reason } });
    const list = async () =>
      (await shop.client(ada).call('listReviews', { query: { reported: 'true' } })).map(
        ({ reports }) => reports,
      );
    await report(tom, 'A mistake.');
    const [seen] = await list();
    vi.setSystemTime(Date.now() + 1000);
    await report(ann, 'Fraud.').finally(() => vi.useRealTimers());
    const dismiss = async (until = '') =>
      (await shop.client(ada).call('dismissReports', { params, query: { until } })).deletedCount;
    expect(await dismiss(seen?.newestAt)).toBe(1);
    const [later] = await list();
    expect(later).toMatchObject({ count: 1, reasons: ['Fraud.'] });
    expect(await dismiss(later?.newestAt)).toBe(1);
    expect(await list()).toEqual([]);
  });

  test('a report needs a visible review and a reason; only admins see reports', async () => {
    await using shop = await startShop({ engine });
    const [ada, tom, ann] = [
      await shop.admin(),
      await shop.signUpConfirmed(),
      await shop.signUpConfirmed('Ann'),
    ];
    const params = await addReview(shop, tom);
    const send = (body: unknown, id = params.id) =>
      sendCall(shop, 'reportReview', { params: { id }, body, headers: tokenHeaders(ann) });
    for (const [reason, message] of [
      [undefined, 'Reason is Required'],
      [' ', 'Reason is Required'],
      ['a'.repeat(301), 'Reason must be 300 characters or shorter'],
    ]) {
      const { status, errors } = await readProblem(await send({ reason }));
      expect([status, errors]).toEqual([422, [{ field: 'reason', message }]]);
    }
    expect((await readProblem(await send({ reason: 'Rude.' }, 'nowhere'))).status).toBe(404);
    await shop.client(ada).call('hideReview', { params, body: { version: 1, reason: 'Advertising.' } });
    expect((await readProblem(await send({ reason: 'Rude.' }))).status).toBe(404);
    await shop.client(ada).call('showReview', { params, query: { version: 2 } });
    await send({ reason: 'Rude.' });
    for (const [person, status] of [
      [undefined, 401],
      [tom, 403],
    ] as const) {
      const headers = person ? tokenHeaders(person) : {};
      const response = await sendCall(shop, 'listReviews', { query: { reported: 'true' }, headers });
      expect((await readProblem(response)).status).toBe(status);
    }
    const listed = [
      ...(await shop.client(ada).call('listReviews', {})),
      ...(await shop.client(tom).call('listReviews', { query: { own: 'true' } })),
    ];
    expect(listed).toHaveLength(2);
    expect(listed.some((review) => 'reports' in review)).toBe(false);
  });

  test('deleting a review or an account deletes its reports', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann] = [await shop.signUpConfirmed(), await shop.signUpConfirmed('Ann')];
    const reviews = [await addReview(shop, tom), await addReview(shop, tom)];
    for (const params of reviews)
      await shop.client(ann).call('reportReview', { params, body: { reason: 'Rude.' } });
    const count = async () =>
      (await shop.database.db.selectFrom('review_report').selectAll().execute()).length;
    expect(await count()).toBe(2);
    await shop.client(tom).call('deleteReview', { params: reviews[0] ?? { id: '' } });
    expect(await count()).toBe(1);
    const params = { email: ann.email };
    await shop.client(ann).call('deleteUser', { params, body: { password: ann.password } });
    expect(await count()).toBe(0);
  });

  test('a user reports at most 20 reviews a day', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann] = [await shop.signUpConfirmed(), await shop.signUpConfirmed('Ann')];
    const params = await addReview(shop, tom);
    const send = () =>
      sendCall(shop, 'reportReview', { params, body: { reason: 'Rude.' }, headers: tokenHeaders(ann) });
    for (let index = 0; index < 20; index++) expect((await send()).status).toBe(200);
    const rejected = await send();
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(86_000);
    const { status, detail } = await readProblem(rejected);
    expect([status, detail]).toEqual([429, 'You can report 20 reviews a day: wait 24 hours and try again.']);
  });
});
