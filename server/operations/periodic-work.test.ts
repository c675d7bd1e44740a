import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../../contract/durations.ts';
import { engines } from '../../tests/support/database.ts';
import { startShop } from '../../tests/support/shop.ts';
import { interruptBefore, recordStatements } from '../../tests/support/statements.ts';
import { firstIdAt } from '../database/id-range.ts';
import type { Db } from '../database/schema.ts';

/** A shop with an old failure, which a late step deletes, and whose periodic work has never succeeded. */
async function openShop(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine, allowErrorLogs: true });
  const { db } = shop.database;
  const failure = { hour: 1, what: 'it failed', times: 1, last_at: 1, request_id: null };
  await db.insertInto('error_count').values(failure).execute();
  await db.deleteFrom('last_time').where('name', '=', 'periodic work').execute();
  return {
    shop,
    db,
    hasOldFailure: async () =>
      (await db.selectFrom('error_count').select('what').where('hour', '=', 1).execute()).length > 0,
    hasSucceeded: async () =>
      (await db.selectFrom('last_time').select('at').where('name', '=', 'periodic work').execute()).length >
      0,
    [Symbol.asyncDispose]: shop.close,
  };
}

const expiringTables = [
  'rate_limit',
  'idempotency_key',
  'session',
  'verification',
  'mail',
  'contact_message',
] as const;

/** Adds one row per time to each table. The row expires at this time or, if the table's rows expire by age, was created then. */
async function insertRows(db: Db, userId: string, times: number[]): Promise<void> {
  const rows = times.map((time) => {
    const id = firstIdAt(time).slice(0, -12) + randomUUID().slice(-12);
    return { id, time, date: new Date(time) };
  });
  const dates = rows.map(({ id, date }) => ({ id, expiresAt: date, createdAt: date, updatedAt: date }));
  await db
    .insertInto('rate_limit')
    .values(rows.map(({ id, time }) => ({ name: id, count: 1, ends_at: time })))
    .execute();
  await db
    .insertInto('idempotency_key')
    .values(
      rows.map(({ id, time }) => ({ scope: id, key: id, request: '', inserted_id: '', created_at: time })),
    )
    .execute();
  await db
    .insertInto('session')
    .values(dates.map((row) => ({ ...row, token: row.id, userId })))
    .execute();
  await db
    .insertInto('verification')
    .values(dates.map((row) => ({ ...row, identifier: row.id, value: '' })))
    .execute();
  const mail = { kind: 'order placed', recipient: 'tom@mail.example', about: '', state: 'sent' } as const;
  await db
    .insertInto('mail')
    .values(rows.map(({ id, time }) => ({ ...mail, id, due_at: time, give_up_at: time, created_at: time })))
    .execute();
  await db
    .insertInto('contact_message')
    .values(rows.map(({ id, time }) => ({ id, email: 'tom@mail.example', text: '', created_at: time })))
    .execute();
}

const timeout = Object.assign(new Error('The database did not respond.'), { code: 'ETIMEDOUT' });

describe.each(engines)('on %s', (engine) => {
  test.each([new TypeError('a bug'), timeout])(
    'after a step that fails, the other steps are still done, and the work counts as failed: %s',
    async (error) => {
      await using opened = await openShop(engine);
      const { shop, db, hasOldFailure, hasSucceeded } = opened;
      interruptBefore(db, /^delete from "rate_limit"/, () => Promise.reject(error));
      await expect(shop.doPeriodicWork()).rejects.toThrow('These steps failed: rate limits.');
      expect([await hasOldFailure(), await hasSucceeded()]).toEqual([false, false]);
      expect(shop.logged).toContainEqual(
        expect.objectContaining({
          msg: 'a step of the periodic work failed: rate limits',
          error: expect.objectContaining({ message: error.message }),
        }),
      );
      await shop.doPeriodicWork();
      expect(await hasSucceeded()).toBe(true);
    },
  );

  test('expired rows are deleted in batches of 500, and others stay', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    await shop.signUp();
    const userId = (await db.selectFrom('user').select('id').executeTakeFirstOrThrow()).id;
    for (const table of expiringTables) await db.deleteFrom(table).execute();
    const [old, recent] = [Date.now() - 100 * dayMs, Date.now() + dayMs];
    for (const times of [
      [recent],
      ...Array.from({ length: 3 }, () => Array.from({ length: 400 }, () => old)),
    ])
      await insertRows(db, userId, times);

    const { statementsOf } = await recordStatements(() => shop.doPeriodicWork());
    for (const table of expiringTables) {
      const deletions = statementsOf(db).filter(({ sql }) => sql.startsWith(`delete from "${table}"`));
      const { count } = await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      expect([table, deletions.length, Number(count)]).toEqual([table, 3, 1]);
    }
  });

  test('an outage of the database ends the run', async () => {
    await using opened = await openShop(engine);
    const { shop, db, hasOldFailure } = opened;
    interruptBefore(db, /^delete from "rate_limit"/, () => {
      interruptBefore(db, /^update "lease"/, () => Promise.reject(timeout));
      return Promise.reject(timeout);
    });
    await expect(shop.doPeriodicWork()).rejects.toThrow(timeout);
    expect(await hasOldFailure()).toBe(true);
  });
});
