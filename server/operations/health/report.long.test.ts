import { simpleParser } from 'mailparser';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../../../contract/durations.ts';
import { engines } from '../../../tests/support/database.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { upsertFailures } from './notes.ts';

const fail = ({ database }: TestShop, at = Date.now()) =>
  upsertFailures(database.db, new Map([['it failed', { times: 1, lastAt: at, requestId: null }]]));

const listMessages = ({ database }: TestShop) =>
  database.db.selectFrom('mail').selectAll().where('kind', '=', 'health problem').execute();

/** Makes the last report `ms` older. */
const ageReports = ({ database }: TestShop, ms: number) =>
  database.db
    .updateTable('trouble_report')
    .set((eb) => ({ reported_at: eb('reported_at', '-', ms) }))
    .execute();

describe.each(engines)('on %s', (engine) => {
  test('the admins get one message about a new problem, and another if it happens again a day later', async () => {
    await using shop = await startShop({ engine });
    await shop.admin();
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toEqual([]);
    await fail(shop);
    await shop.doPeriodicWork();
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(1);
    // The problem happens again on the same day.
    await fail(shop, Date.now() + 1);
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(1);
    // The problem lasts, but does not happen again.
    await ageReports(shop, dayMs);
    await shop.database.db
      .updateTable('trouble_report')
      .set({ latest: await readLatest(shop) })
      .execute();
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(1);
    await fail(shop, Date.now() + 2);
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(2);
  });

  test('a problem that ends and comes back on the same day is not reported again', async () => {
    await using shop = await startShop({ engine });
    await shop.admin();
    const { db } = shop.database;
    const comeAndGo = async () => {
      await fail(shop);
      await shop.doPeriodicWork();
      await db.deleteFrom('error_count').execute();
      await shop.doPeriodicWork();
    };
    await comeAndGo();
    await comeAndGo();
    expect(await listMessages(shop)).toHaveLength(1);
    await ageReports(shop, dayMs);
    await shop.doPeriodicWork();
    expect(await db.selectFrom('trouble_report').selectAll().execute()).toEqual([]);
    await comeAndGo();
    expect(await listMessages(shop)).toHaveLength(2);
  });

  test('a problem that ends, comes back on the same day and then lasts is reported again a day later', async () => {
    await using shop = await startShop({ engine });
    await shop.admin();
    const at = Date.now();
    await fail(shop, at);
    await shop.doPeriodicWork();
    await shop.database.db.deleteFrom('error_count').execute();
    await shop.doPeriodicWork();
    await fail(shop, at);
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(1);
    await ageReports(shop, dayMs);
    await shop.doPeriodicWork();
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(2);
    await ageReports(shop, dayMs);
    await shop.doPeriodicWork();
    expect(await listMessages(shop)).toHaveLength(2);
  });
});

async function readLatest({ database }: TestShop): Promise<string> {
  // Failures of different hours are in different rows.
  const { last_at } = await database.db
    .selectFrom('error_count')
    .select((eb) => eb.fn.max('last_at').as('last_at'))
    .executeTakeFirstOrThrow();
  return new Date(last_at).toISOString();
}

test('the message names the problems and what to do, and mail that waits is not reported by mail', async () => {
  await using shop = await startShop();
  const admin = await shop.admin();
  await fail(shop);
  const now = Date.now();
  await shop.database.db
    .insertInto('mail')
    .values({
      id: 'waiting',
      kind: 'order paid',
      recipient: 'tom@mail.example',
      about: 'x',
      state: 'waiting',
      due_at: now + dayMs,
      give_up_at: now + dayMs,
      created_at: now - dayMs,
    })
    .execute();
  await shop.doPeriodicWork();
  const [message] = await listMessages(shop);
  expect(JSON.parse(message?.about ?? '')).toHaveLength(1);
  await shop.listen();
  const find = async () =>
    (await shop.inbox.list()).find(
      ({ recipients, raw }) => recipients === admin.email && raw.includes('Subject: A problem'),
    );
  await expect.poll(find).toBeDefined();
  const letter = await simpleParser((await find())?.raw ?? '');
  expect(letter.subject).toBe('A problem in the shop');
  expect(letter.text).toMatch(/1 error in the last day, most recently .*\.\nSee the errors below\./);
  expect(letter.text).toContain(`Open the Health page:\n${shop.origin}/dashboard/health`);
});
