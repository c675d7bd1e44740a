import { expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { cookieHeaders, readAuthError, sendAuthRequest } from '../support/requests.ts';
import { startShop, type TestShop } from '../support/shop.ts';
import { turnOnTwoFactor } from '../support/two-factor.ts';

function signInFrom(shop: TestShop, address: string, form: { email: string; password: string }) {
  const headers = { origin: shop.origin, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(form) };
  return shop.fetchFromAddress(new Request(`${shop.origin}/api/auth/sign-in/email`, init), address);
}

const listAddresses = (count: number) => Array.from({ length: count }, (_, index) => `203.0.113.${index}`);

test('a compressed page does not wait for the sign-ins of forty network addresses', async () => {
  const rateLimits = { correctPasswordsPerAccount: 1000 };
  await using shop = await startShop({ fullPasswordCost: true, rateLimits, demo: true });
  const { email, password } = await shop.signUp();
  let finished = 0;
  const signIns = listAddresses(40).map(async (address) => {
    const { status } = await signInFrom(shop, address, { email, password });
    finished += 1;
    return status;
  });
  await Promise.race(signIns);
  const headers = { 'accept-encoding': 'br' };
  const page = await shop.fetchFromAddress(new Request(shop.origin, { headers }), '198.51.100.1');
  await page.arrayBuffer();
  expect([page.status, page.headers.get('content-encoding')]).toEqual([200, 'br']);
  expect(finished).toBeLessThan(20);
  expect(new Set(await Promise.all(signIns))).toEqual(new Set([200]));
});

test.each(engines)('correct passwords are limited per account and minute, on %s', async (engine) => {
  const rateLimits = { correctPasswordsPerAccount: 3, signInsPerAddressAndEmail: 4 };
  await using shop = await startShop({ engine, rateLimits });
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  // Wrong passwords, which strangers can send, do not count.
  const wrong = { email: tom.email, password: 'a guess' };
  const guesses = listAddresses(6).map((address) => signInFrom(shop, address, wrong));
  expect((await Promise.all(guesses)).map(({ status }) => status)).toEqual(Array(6).fill(401));
  // Requests without a valid form do not count, either: they would store a row for any name.
  await signInFrom(shop, '203.0.113.1', { email: 'nobody', password: 'a guess' });
  const { db } = shop.database;
  const rows = await db.selectFrom('rate_limit').select('name').execute();
  expect(rows.filter(({ name }) => name.includes('nobody'))).toEqual([]);

  const statuses = [];
  for (const address of listAddresses(2)) statuses.push((await signInFrom(shop, address, tom)).status);
  const change = { currentPassword: tom.password, newPassword: 'verge-and-foliot' };
  statuses.push((await sendAuthRequest(shop, '/change-password', change, cookieHeaders(tom))).status);
  expect(statuses).toEqual([200, 200, 200]);
  const changed = { email: tom.email, password: 'verge-and-foliot' };
  const rejected = await signInFrom(shop, '203.0.113.9', changed);
  expect([rejected.status, Number(rejected.headers.get('retry-after')) <= 60]).toEqual([429, true]);
  expect((await signInFrom(shop, '203.0.113.9', ann)).status).toBe(200);

  // As if the window of the limit had passed.
  await db.updateTable('rate_limit').set({ ends_at: Date.now() }).execute();
  expect((await signInFrom(shop, '203.0.113.9', changed)).status).toBe(200);
});

test('starting to turn on two-factor sign-in counts as a correct password, even if it is already on', async () => {
  await using shop = await startShop({ rateLimits: { correctPasswordsPerAccount: 4 } });
  const tom = await turnOnTwoFactor(shop, await shop.signUp());
  const { password } = tom;
  const enable = () => sendAuthRequest(shop, '/two-factor/enable', { password }, cookieHeaders(tom));
  const statuses = [];
  for (let index = 0; index < 4; index++) statuses.push((await enable()).status);
  expect(statuses).toEqual([400, 400, 400, 429]);
});

test('without two-factor sign-in, a request for new recovery codes hashes no password', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const path = '/two-factor/generate-backup-codes';
  // A wrong password would be reported as such if it were compared.
  const rejected = await sendAuthRequest(shop, path, { password: 'a guess' }, cookieHeaders(tom));
  expect((await readAuthError(rejected)).code).toBe('TWO_FACTOR_NOT_ENABLED');
});
