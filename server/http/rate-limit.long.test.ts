import { describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import {
  cookieHeaders,
  readProblem,
  sendAuthRequest,
  sendCall,
  tokenHeaders,
} from '../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../tests/support/shop.ts';
import { recordStatements } from '../../tests/support/statements.ts';
import { createFairQueue, defaultRateLimits } from './rate-limit.ts';

test('the default limits are these', () => {
  expect(defaultRateLimits).toEqual({
    signInsPerAddressAndEmail: 10,
    signInsPerAddress: 50,
    correctPasswordsPerAccount: 30,
    signUpsPerAddress: 30,
    intentsPerUser: 30,
    uploadsPerUser: 60,
    imageBytesPerUser: 50_000_000,
    exportsPerUser: 10,
    reviewsPerUser: 20,
    reviewEditsPerUser: 60,
    reportsPerUser: 20,
    orderMessagesPerRecipient: 10,
    stockMessagesPerRecipient: 20,
    noticesPerRecipient: 3,
    linksPerRecipient: 10,
    linkRequestsPerAddress: 30,
    linkRequestsPerAddressAndMailbox: 3,
    reviewsPerAddress: 20,
    codesPerUser: 10,
    codesPerAddress: 50,
    challengesPerAddress: 100,
    contactMessagesPerSender: 5,
    contactMessagesOfUsersPerAddress: 30,
    searchedWordsPerAddress: 300,
    searchedWordsPerAddressAndSecond: 30,
    basketAdditionsPerUser: 200,
    basketAdditionsPerUserAndSecond: 0.3,
    quotedLinesPerAddress: 500,
    quotedLinesPerAddressAndSecond: 20,
    firstContactMessages: 300,
    contactMessages: 60,
  });
});

const few = { signInsPerAddressAndEmail: 3, signInsPerAddress: 5, signUpsPerAddress: 4 };
/** The tests' requests come from this machine, so it acts as the proxy. */
const behindProxy = { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,fd00::/8' };

async function signIn(shop: TestShop, email: string, password: string, from?: string) {
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  const response = await sendAuthRequest(shop, '/sign-in/email', { email, password }, headers);
  if (response.status === 429) {
    const wait = Number(response.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(600);
    expect(await response.json()).toEqual({
      code: 'TOO_MANY_ATTEMPTS',
      message: expect.stringMatching(/wait \d+ minutes/),
    });
  }
  return response.status;
}

describe.concurrent.each(engines)('on %s', (engine) => {
  test('guessing the password of one email is stopped and locks out only the guesser', async () => {
    await using shop = await startShop({ engine, rateLimits: few, settings: behindProxy });
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const [here, there] = ['203.0.113.9', '198.51.100.7'];
    for (const status of [401, 401, 401, 429, 429])
      expect(await signIn(shop, tom.email, 'a guess', here)).toBe(status);
    // Now even the right password is rejected, in whatever case the address is written.
    expect(await signIn(shop, tom.email.toUpperCase(), tom.password, here)).toBe(429);
    expect(await signIn(shop, tom.email, tom.password, there)).toBe(200);
    expect(await signIn(shop, ann.email, ann.password, here)).toBe(200);

    // The window passes.
    await shop.database.db.updateTable('rate_limit').set({ ends_at: Date.now() }).execute();
    expect(await signIn(shop, tom.email, 'a guess', here)).toBe(401);
    expect(await signIn(shop, tom.email, tom.password, here)).toBe(200);
  });

  test('guessing at many emails is stopped, too', async () => {
    await using shop = await startShop({ engine, rateLimits: few, settings: behindProxy });
    const tom = await shop.signUp();
    const from = (address: string, at: number) => signIn(shop, `nobody${at}@example.com`, 'a guess', address);
    const statuses = [];
    for (const at of [1, 2, 3, 4, 5, 6]) statuses.push(await from('203.0.113.9', at));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await signIn(shop, tom.email, tom.password, '203.0.113.9')).toBe(429);
    expect(await signIn(shop, tom.email, tom.password, '198.51.100.7')).toBe(200);

    // Attempts that this limit rejects do not use up the limit of the email.
    for (const _ of Array(4).keys())
      expect(await signIn(shop, tom.email, tom.password, '203.0.113.9')).toBe(429);
    const { db } = shop.database;
    await db
      .updateTable('rate_limit')
      .set({ ends_at: Date.now() })
      .where('name', '=', 'sign-in 203.0.113.9')
      .execute();
    expect(await signIn(shop, tom.email, tom.password, '203.0.113.9')).toBe(200);
  });

  test('a sign-in or a contact message that a limit rejects writes nothing', async () => {
    const rateLimits = { ...few, contactMessagesPerSender: 1, firstContactMessages: 2 };
    const settings = { ...behindProxy, CONTACT_EMAIL: 'owner@mail.example' };
    await using shop = await startShop({ engine, rateLimits, settings });
    const contact = (from: string) =>
      shop.send('/api/contact', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify({ email: 'tom@mail.example', message: 'Hello' }),
      });
    const countWrites = async (send: () => Promise<Response | number>) => {
      const { result, statementsOf } = await recordStatements(send);
      const writes = statementsOf(shop.database.db).filter(({ sql }) => /^(insert|update|delete)/.test(sql));
      return [typeof result === 'number' ? result : result.status, writes.length];
    };
    for (const at of [1, 2, 3, 4, 5]) await signIn(shop, `nobody${at}@example.com`, 'a guess', '203.0.113.9');
    for (const _ of [1, 2, 3]) await signIn(shop, 'tom@example.com', 'a guess', '198.51.100.7');
    for (const from of ['203.0.113.9', '198.51.100.7']) {
      expect(await countWrites(() => signIn(shop, 'tom@example.com', 'a guess', from))).toEqual([429, 0]);
      expect((await contact(from)).status).toBe(200);
      expect(await countWrites(() => contact(from))).toEqual([429, 0]);
    }
    // The limit for the first messages of all senders is used up, too.
    expect(await countWrites(() => contact('192.0.2.1'))).toEqual([429, 0]);
  });

  test('simultaneous guesses all count', async () => {
    await using shop = await startShop({ engine, rateLimits: few });
    const tom = await shop.signUp();
    const statuses = await Promise.all(Array.from({ length: 8 }, () => signIn(shop, tom.email, 'a guess')));
    expect(statuses.sort()).toEqual([401, 401, 401, 429, 429, 429, 429, 429]);
  });

  test('successful sign-ins do not count, whether sequential or simultaneous', async () => {
    await using shop = await startShop({ engine, rateLimits: { signInsPerAddress: 5 } });
    const tom = await shop.signUp();
    for (const _ of Array(6).keys()) expect(await signIn(shop, tom.email, tom.password)).toBe(200);
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => signIn(shop, tom.email, tom.password)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    // Nor do they reset the count of failures.
    const mixed = [];
    for (const password of ['a', tom.password, 'b', tom.password, 'c', 'd', 'e', tom.password])
      mixed.push(await signIn(shop, tom.email, password));
    expect(mixed).toEqual([401, 200, 401, 200, 401, 401, 401, 429]);
  });

  test('password changes from one address wait for each other', async () => {
    await using shop = await startShop({ engine, rateLimits: { signInsPerAddress: 4 } });
    const people = await Promise.all(Array.from({ length: 9 }, () => shop.signUp()));
    const changes = people.map((person) =>
      sendAuthRequest(
        shop,
        '/change-password',
        { currentPassword: person.password, newPassword: 'verge-and-foliot' },
        cookieHeaders(person),
      ),
    );
    // Each counts as a guess until it succeeds, so nine in parallel would exceed the limit.
    expect((await Promise.all(changes)).map(({ status }) => status)).toEqual(Array(9).fill(200));
  });

  test('sign-ups from one address wait for each other', async () => {
    await using shop = await startShop({ engine });
    const signUps = Array.from({ length: 12 }, () => shop.signUp());
    await Promise.race(signUps);
    const { count } = await shop.database.db
      .selectFrom('rate_limit')
      .select('count')
      .where('name', 'like', 'sign-up %')
      .executeTakeFirstOrThrow();
    expect(count).toBeLessThan(12);
    await Promise.all(signUps);
  });

  test('sign-ups are limited per address, payment intents and uploads per user', async () => {
    await using shop = await startShop({
      engine,
      settings: behindProxy,
      rateLimits: { ...few, intentsPerUser: 2, uploadsPerUser: 2 },
    });
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const signUp = async (at: number, from: string) => {
      const form = { name: 'N', email: `n${at}@example.com`, password: 'anchor-escapement' };
      return sendAuthRequest(shop, '/sign-up/email', form, { 'x-forwarded-for': from });
    };
    for (const at of [1, 2, 3, 4]) expect((await signUp(at, '203.0.113.9')).status).toBe(200);
    const rejected = await signUp(5, '203.0.113.9');
    expect([rejected.status, Number(rejected.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await signUp(6, '198.51.100.7')).status).toBe(200);

    const intent = (person: typeof tom) =>
      sendCall(shop, 'createPaymentIntent', { body: { price: 1 }, headers: tokenHeaders(person) });
    expect([(await intent(tom)).status, (await intent(tom)).status]).toEqual([409, 409]);
    const third = await intent(tom);
    expect((await readProblem(third)).status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await intent(ann)).status).toBe(409);

    const upload = (person: typeof tom) =>
      sendCall(shop, 'uploadImage', { body: new FormData(), headers: cookieHeaders(person) });
    expect([(await upload(tom)).status, (await upload(tom)).status]).toEqual([400, 400]);
    const last = await upload(tom);
    expect(await last.json()).toMatchObject({ success: false, status: 429 });
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await upload(ann)).status).toBe(400);
  });
});

test('a client cannot set its own address with headers', async () => {
  await using shop = await startShop({ rateLimits: few });
  const tom = await shop.signUp();
  const statuses = [];
  for (const at of [1, 2, 3, 4]) {
    const claims = Object.fromEntries(
      ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'x-client-ip', 'x-shop-address'].map(
        (name) => [name, `203.0.113.${at}`],
      ),
    );
    const form = { email: tom.email, password: 'a guess' };
    statuses.push((await sendAuthRequest(shop, '/sign-in/email', form, claims)).status);
  }
  expect(statuses).toEqual([401, 401, 401, 429]);
});

test('behind a proxy only the address that the proxy saw counts', async () => {
  await using shop = await startShop({ rateLimits: few, settings: behindProxy });
  const tom = await shop.signUp();
  const statuses = [];
  for (const claimed of ['192.0.2.1, ', '192.0.2.2,192.0.2.3,', 'unknown, ', ''])
    statuses.push(await signIn(shop, tom.email, 'a guess', `${claimed}203.0.113.9`));
  expect(statuses).toEqual([401, 401, 401, 429]);
  // A chain of two trusted proxies is skipped.
  expect(await signIn(shop, tom.email, 'a guess', '203.0.113.9, 10.1.2.3')).toBe(429);
  expect(await signIn(shop, tom.email, 'a guess', '203.0.113.9, fd00::1')).toBe(429);
  expect(await signIn(shop, tom.email, tom.password, '203.0.113.9, 192.0.2.1')).toBe(200);
  for (const odd of ['unknown', ',', ' , ,', '::1', '[::1]:80', '203.0.113.1:4711', 'x'.repeat(5000), "'"])
    expect([odd, await signIn(shop, tom.email, tom.password, odd)]).toEqual([odd, 200]);
});

function begin(enqueue: ReturnType<typeof createFairQueue>, key: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const result = enqueue(key, () => promise).then(
    () => 'done',
    (error: unknown) => String(error),
  );
  return { result, end: resolve };
}

test('when too many jobs wait, the newest job of the key with the most waiting jobs is rejected', async () => {
  const enqueue = createFairQueue(1, 3);
  const first = ['a', 'a', 'a', 'a'].map((key) => begin(enqueue, key));
  const last = ['b', 'b'].map((key) => begin(enqueue, key));
  expect(await first.at(-1)?.result).toContain('Too many requests are waiting');
  for (const { end } of [...first, ...last]) end();
  expect(await Promise.all(first.slice(0, -1).map(({ result }) => result))).toEqual(['done', 'done', 'done']);
  expect(await Promise.all(last.map(({ result }) => result))).toEqual(['done', 'done']);
});

test('a waiting job whose signal aborts is dropped and no longer counts as waiting', async () => {
  const enqueue = createFairQueue(1, 1);
  const first = begin(enqueue, 'a');
  const client = new AbortController();
  const gone = enqueue('a', () => expect.unreachable(), client.signal);
  client.abort();
  await expect(gone).rejects.toThrow('interrupted');
  const next = begin(enqueue, 'a');
  for (const { end } of [first, next]) end();
  expect(await Promise.all([first.result, next.result])).toEqual(['done', 'done']);
  await expect(enqueue('a', () => expect.unreachable(), client.signal)).rejects.toThrow('interrupted');
});

test('a job that has started no longer counts as waiting', async () => {
  const enqueue = createFairQueue(1, 1);
  for (let round = 0; round < 3; round++) {
    const works = [begin(enqueue, 'a'), begin(enqueue, 'a')];
    for (const { end } of works) end();
    for (const { result } of works) expect(await result).toBe('done');
  }
});
