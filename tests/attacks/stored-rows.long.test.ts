import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { startFakeGoogle } from '../support/google.ts';
import { sendAuthRequest, sendCall, tokenHeaders } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';

/** Counts responses by status. */
async function sendAll(
  shop: TestShop,
  path: string,
  bodies: readonly object[],
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  for (const body of bodies) {
    const { status } = await sendAuthRequest(shop, path, body);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

const countSessions = ({ database }: TestShop) =>
  sql<{ email: string; count: number }>`select email, cast(count(*) as bigint) as count
    from session join "user" on "user".id = "userId" group by email order by 2 desc`.execute(database.db);

const numbers = Array.from({ length: 12 }, (_, index) => index);

describe.each(engines)('on %s', (engine) => {
  test('starting a sign-in with Google stores a limited number of rows per network address', async () => {
    await using google = await startFakeGoogle();
    const { DATA_DIR: _, ...settings } = google.settings;
    await using shop = await startShop({ engine, settings, rateLimits: { challengesPerAddress: 3 } });
    const bodies = numbers.map((number) => ({
      provider: 'google',
      callbackURL: `/${number}${'a'.repeat(990)}`,
      errorCallbackURL: `/${'b'.repeat(990)}`,
    }));
    expect(await sendAll(shop, '/sign-in/social', bodies)).toEqual({ 200: 3, 429: 9 });
    expect(await shop.database.db.selectFrom('verification').select('id').execute()).toHaveLength(3);
  });

  test('a path to return to from Google has at most 1,000 ASCII characters, which every index holds', async () => {
    await using google = await startFakeGoogle();
    const { DATA_DIR: _, ...settings } = google.settings;
    await using shop = await startShop({ engine, settings });
    // The path is random, because PostgreSQL compresses the rows of an index.
    const longest = `/${randomBytes(1000).toString('base64url').slice(1, 1000)}`;
    for (const field of ['callbackURL', 'errorCallbackURL'])
      for (const [path, status] of [
        [longest, 200],
        [`${longest}a`, 400],
        ['/ü', 400],
      ] as const) {
        const body = { provider: 'google', callbackURL: longest, errorCallbackURL: longest, [field]: path };
        expect([field, path.length, await sendAll(shop, '/sign-in/social', [body])]).toEqual([
          field,
          path.length,
          { [status]: 1 },
        ]);
      }
  });

  test('rejected sign-ins store no rows beyond the limit, whatever addresses they name', async () => {
    await using shop = await startShop({ engine, rateLimits: { signInsPerAddress: 3 } });
    const countRows = async () =>
      (await shop.database.db.selectFrom('rate_limit').select('name').execute()).length;
    const invalid = numbers.map((number) => ({ email: `not-an-address-${number}`, password: 'guess' }));
    expect(await sendAll(shop, '/sign-in/email', invalid)).toEqual({ 400: 12 });
    expect(await countRows()).toBe(0);
    const wrong = numbers.map((number) => ({ email: `person-${number}@example.com`, password: 'guess' }));
    expect(await sendAll(shop, '/sign-in/email', wrong)).toEqual({ 401: 3, 429: 9 });
    // There is one row for the network address, and one for each email address of a counted guess.
    expect(await countRows()).toBe(4);
  });

  test('a user has at most 100 sessions: each sign-in beyond them ends the oldest', async () => {
    await using shop = await startShop({ engine, rateLimits: { correctPasswordsPerAccount: 1000 } });
    const [tom, ann] = [await shop.signUp(), await shop.signUp()];
    const credentials = { email: tom.email, password: tom.password };
    const bodies = Array.from({ length: 101 }, () => credentials);
    expect(await sendAll(shop, '/sign-in/email', bodies)).toEqual({ 200: 101 });
    const { rows } = await countSessions(shop);
    expect(rows).toEqual([
      { email: tom.email, count: 100 },
      { email: ann.email, count: 1 },
    ]);
    // The first session was that of the sign-up.
    expect((await sendCall(shop, 'getBasket', { headers: tokenHeaders(tom) })).status).toBe(401);
    expect((await sendCall(shop, 'getBasket', { headers: tokenHeaders(ann) })).status).toBe(200);
  });

  test('adding to the basket stores a limited number of idempotency keys per user', async () => {
    const rateLimits = { basketAdditionsPerUser: 3, basketAdditionsPerUserAndSecond: 0.001 };
    await using shop = await startShop({ engine, rateLimits });
    const [tom, ann] = [await shop.signUp(), await shop.signUp()];
    const { _id: id } = await shop.addProduct({ a_quantity: 1000, o_quantity: 1 });
    const add = (person: typeof tom, key: string) =>
      sendCall(shop, 'addToBasket', {
        params: { id },
        body: { quantity: 1 },
        headers: { ...tokenHeaders(person), 'idempotency-key': key },
      });
    const statuses: number[] = [];
    for (const number of numbers) statuses.push((await add(tom, `key-${number}`)).status);
    expect(statuses).toEqual([200, 200, 200, ...Array(9).fill(429)]);
    expect(await shop.database.db.selectFrom('idempotency_key').select('key').execute()).toHaveLength(3);
    expect((await add(ann, 'key')).status).toBe(200);
  });
});
