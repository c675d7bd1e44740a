import { describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { startShop } from '../../tests/support/shop.ts';
import { interruptBefore } from '../../tests/support/statements.ts';

/** A shop with an old failure, which a late step deletes, and whose periodic work has never succeeded. */
async function openShop(engine: (typeof engines)[number]) {
  const shop = await startShop({ engine, allowErrorLogs: true });
  const { db } = shop.database;
  const failure = { hour: 1, what: 'it failed', times: 1, last_at: 1, request_id: null };
  await db.insertInto('failure').values(failure).execute();
  await db.deleteFrom('last_time').where('name', '=', 'periodic work').execute();
  return {
    ...{ shop, db },
    hasOldFailure: async () =>
      (await db.selectFrom('failure').select('what').where('hour', '=', 1).execute()).length > 0,
    hasSucceeded: async () =>
      (await db.selectFrom('last_time').select('at').where('name', '=', 'periodic work').execute()).length >
      0,
    [Symbol.asyncDispose]: shop.close,
  };
}

const timeout = Object.assign(new Error('The database did not respond.'), { code: 'ETIMEDOUT' });

describe.each(engines)('on %s', (engine) => {
  test.each([new TypeError('a bug'), timeout])(
    'the steps after one that failed are done, and the work counts as failed: %s',
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
