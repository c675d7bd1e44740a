import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { MailKind } from '../../../contract/mail.ts';
import { engines } from '../../../tests/support/database.ts';
import { addPasskey, createDevice, signInWith, startPasskey } from '../../../tests/support/passkeys.ts';
import {
  cookieHeaders,
  readAuthError,
  readSetCookies,
  sendAuthRequest,
  sendCall,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { interruptBefore } from '../../../tests/support/statements.ts';
import { turnOnTwoFactor } from '../../../tests/support/two-factor.ts';
import { waitUntil } from '../../../tests/support/wait.ts';
import { issueToken } from '../recovery/tokens.ts';
import { endAccess } from '../session-endings.ts';
import { deletePasskeys } from './passkeys.ts';

const readCode = async (response: Response) => [response.status, (await readAuthError(response)).code];

async function readEmail(shop: TestShop, cookie: string): Promise<string | undefined> {
  const response = await sendAuthRequest(shop, '/get-session', undefined, { cookie });
  return (await response.json())?.user.email;
}

async function listNotices({ database: { db } }: TestShop, kind: MailKind): Promise<string[]> {
  const rows = await db.selectFrom('mail').select('recipient').where('kind', '=', kind).execute();
  return rows.map(({ recipient }) => recipient);
}

const listPasskeys = ({ database: { db } }: TestShop) =>
  db.selectFrom('passkey').select(['id', 'name', 'userId', 'credentialID']).execute();

const finishAdding = (shop: TestShop, headers: { cookie: string }, response: unknown) =>
  sendAuthRequest(shop, '/passkey/verify-registration', { name: 'Phone', response }, headers);

const finishSignIn = (shop: TestShop, headers: { cookie: string }, response: unknown) =>
  sendAuthRequest(shop, '/passkey/verify-authentication', { response }, headers);

describe.each(engines)('on %s', (engine) => {
  test('a passkey signs in without a password, and ends the session of another user in the same browser', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann] = [await shop.signUp(), await shop.signUp()];
    const device = createDevice();
    const added = await addPasskey(shop, tom, device);
    expect([added.status, (await added.json()).name]).toEqual([200, 'Phone']);
    expect(await listNotices(shop, 'passkey added')).toEqual([tom.email]);
    // The device counts its uses. The second sign-in replaces another user's session.
    for (const person of [undefined, ann]) {
      const used = await signInWith(shop, device, person);
      expect(used.status).toBe(200);
      expect(await readEmail(shop, readSetCookies(used))).toBe(tom.email);
    }
    expect(await readEmail(shop, ann.cookie)).toBeUndefined();
  });

  test('a challenge works once, for its own step and origin only', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const device = createDevice();
    await addPasskey(shop, tom, device);
    const send = (response: unknown, headers: Record<string, string>) =>
      sendAuthRequest(shop, '/passkey/verify-authentication', { response }, headers);

    const { challenge, headers } = await startPasskey(shop, 'authenticate');
    const response = device.get(challenge, shop.origin);
    expect(await readCode(await send(response, {}))).toEqual([400, 'CHALLENGE_NOT_FOUND']);
    expect((await send(response, headers)).status).toBe(200);
    expect(await readCode(await send(response, headers))).toEqual([400, 'CHALLENGE_NOT_FOUND']);

    const other = await startPasskey(shop, 'authenticate');
    const elsewhere = device.get(other.challenge, 'https://evil.example');
    expect(await readCode(await send(elsewhere, other.headers))).toEqual([400, 'AUTHENTICATION_FAILED']);

    const forAdding = await startPasskey(shop, 'register', tom);
    const misused = device.get(forAdding.challenge, shop.origin);
    expect(await readCode(await send(misused, forAdding.headers))).toEqual([400, 'CHALLENGE_NOT_FOUND']);

    // A forger signs with another key, under the id of a passkey whose counter is still 0.
    const unused = createDevice();
    await addPasskey(shop, tom, unused);
    const forger = createDevice({ id: Buffer.from(unused.id, 'base64url') });
    expect(await readCode(await signInWith(shop, forger))).toEqual([401, 'AUTHENTICATION_FAILED']);
    expect(await readCode(await signInWith(shop, createDevice()))).toEqual([401, 'PASSKEY_NOT_FOUND']);
  });

  test('a passkey that is already stored cannot be added again, not even by another user', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve] = [await shop.signUp(), await shop.signUp()];
    const device = createDevice();
    await addPasskey(shop, tom, device);
    const forger = createDevice({ id: Buffer.from(device.id, 'base64url') });
    for (const person of [eve, tom])
      expect(await readCode(await addPasskey(shop, person, forger))).toEqual([
        400,
        'FAILED_TO_VERIFY_REGISTRATION',
      ]);
    const used = await signInWith(shop, device);
    expect(await readEmail(shop, readSetCookies(used))).toBe(tom.email);
  });

  test('adding a passkey requires the password, and a user has at most ten', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve] = [await shop.signUp(), await shop.signUp()];
    const start = (body: object, headers = cookieHeaders(tom)) =>
      sendAuthRequest(shop, '/passkey/generate-register-options', body, headers);
    expect((await readAuthError(await start({}))).message).toMatch('Password is Required');
    expect((await start({ password: 'not-the-password' })).status).toBe(422);
    expect((await start({ password: tom.password }, { cookie: '' })).status).toBe(401);
    expect(await listPasskeys(shop)).toEqual([]);

    // The challenge belongs to another user.
    const { challenge, headers } = await startPasskey(shop, 'register', eve);
    const cookie = `${tom.cookie}; ${headers.cookie.split('; ').at(-1)}`;
    const device = createDevice();
    const stolen = await sendAuthRequest(
      shop,
      '/passkey/verify-registration',
      { name: 'Phone', response: device.create(challenge, shop.origin) },
      { cookie },
    );
    expect(stolen.status).toBe(401);

    const started = [];
    while (started.length < 13) started.push(await startPasskey(shop, 'register', tom));
    const added = await Promise.all(
      started.map(({ challenge, headers }) =>
        finishAdding(shop, headers, createDevice().create(challenge, shop.origin)),
      ),
    );
    const count = (wanted: number) => added.filter(({ status }) => status === wanted).length;
    expect([count(200), count(409)]).toEqual([10, 3]);
    expect(await listPasskeys(shop)).toHaveLength(10);
    expect((await start({ password: tom.password })).status).toBe(409);
  });

  test('an account without a password needs a sign-in within ten minutes to add or remove a passkey', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const { db } = shop.database;
    await db.updateTable('account').set({ providerId: 'google', password: null }).execute();
    const start = () => sendAuthRequest(shop, '/passkey/generate-register-options', {}, cookieHeaders(tom));
    expect((await start()).status).toBe(200);
    const { id }: { id: string } = await (await addPasskey(shop, tom)).json();
    await db
      .updateTable('session')
      .set({ createdAt: new Date(Date.now() - 11 * 60_000) })
      .execute();
    expect((await start()).status).toBe(403);
    const removed = await sendAuthRequest(shop, '/passkey/delete-passkey', { id }, cookieHeaders(tom));
    expect(removed.status).toBe(403);
    expect(await listPasskeys(shop)).toHaveLength(1);
  });

  test('a signed response works once, even in simultaneous requests', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const device = createDevice();
    const adding = await startPasskey(shop, 'register', tom);
    const created = device.create(adding.challenge, shop.origin);
    const times = Array.from({ length: 5 });
    const added = await Promise.all(times.map(() => finishAdding(shop, adding.headers, created)));
    expect(added.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    const { challenge, headers } = await startPasskey(shop, 'authenticate');
    const response = device.get(challenge, shop.origin);
    const used = await Promise.all(times.map(() => finishSignIn(shop, headers, response)));
    expect(used.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect(await shop.database.db.selectFrom('session').select('id').execute()).toHaveLength(2);
  });

  test('a passkey with a lower counter than before, which may be a copy, is rejected', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const device = createDevice({ counter: 9 });
    await addPasskey(shop, tom, device);
    const { challenge, headers } = await startPasskey(shop, 'authenticate');
    const copied = device.get(challenge, shop.origin);
    expect((await signInWith(shop, device)).status).toBe(200);
    // The copied response has the count ten. The shop has accepted eleven since.
    expect(await readCode(await finishSignIn(shop, headers, copied))).toEqual([400, 'AUTHENTICATION_FAILED']);
    expect((await signInWith(shop, device)).status).toBe(200);
  });

  test('a failure after the verification is a 503 and is logged as an error', async () => {
    await using shop = await startShop({ engine, allowErrorLogs: true });
    const tom = await shop.signUp();
    const device = createDevice();
    const { db } = shop.database;
    const fail = () => Promise.reject(new Error('broken'));
    const listErrors = () => shop.logged.filter(({ level }) => level === 50);
    interruptBefore(db, /^insert into "passkey"/, fail);
    expect((await addPasskey(shop, tom, device)).status).toBe(503);
    expect(await listNotices(shop, 'passkey added')).toEqual([]);
    expect(listErrors()).toMatchObject([{ identity: '/passkey/verify-registration' }]);
    expect((await addPasskey(shop, tom, device)).status).toBe(200);
    interruptBefore(db, /^update "passkey"/, fail);
    expect((await signInWith(shop, device)).status).toBe(503);
    expect(listErrors()).toMatchObject([{}, { identity: '/passkey/verify-authentication' }]);
    expect((await signInWith(shop, device)).status).toBe(200);
  });

  test('the options for signing in name no passkeys, even to a signed-in user', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    await addPasskey(shop, tom);
    const options = await sendAuthRequest(
      shop,
      '/passkey/generate-authenticate-options',
      {},
      cookieHeaders(tom),
    );
    expect(await options.json()).not.toHaveProperty('allowCredentials');
  });

  test('the cookie of a sign-in that waits for a code is rejected as a challenge', async () => {
    await using shop = await startShop({ engine });
    const tom = await turnOnTwoFactor(shop, await shop.signUp(), 0);
    const { email, password } = tom;
    const entered = await sendAuthRequest(shop, '/sign-in/email', { email, password });
    const cookie = readSetCookies(entered).replace('shop.two_factor=', 'shop.passkey=');
    const response = createDevice().get('AAAA', shop.origin);
    expect(await readCode(await finishSignIn(shop, { cookie }, response))).toEqual([
      400,
      'CHALLENGE_NOT_FOUND',
    ]);
    const created = createDevice().create('AAAA', shop.origin);
    const headers = { cookie: `${tom.cookie}; ${cookie}` };
    expect((await finishAdding(shop, headers, created)).status).toBe(400);
  });

  test('a session older than a day can add a passkey with the password', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const long = new Date(Date.now() - 20 * 24 * 60 * 60 * 1000);
    await shop.database.db.updateTable('session').set({ createdAt: long }).execute();
    expect((await addPasskey(shop, tom)).status).toBe(200);
  });

  test('a passkey that does not verify its user is rejected; one that does needs no code', async () => {
    await using shop = await startShop({ engine, settings: { REQUIRE_ADMIN_2FA: 'yes' } });
    const ada = await turnOnTwoFactor(shop, await shop.admin(), 0);
    const careless = createDevice({ verifiesUser: false });
    expect(await readCode(await addPasskey(shop, ada, careless))).toEqual([401, 'USER_NOT_VERIFIED']);

    const device = createDevice();
    await addPasskey(shop, ada, device);
    const cookie = readSetCookies(await signInWith(shop, device));
    expect((await sendCall(shop, 'listUsers', { headers: { cookie } })).status).toBe(200);

    const options = await sendAuthRequest(shop, '/passkey/generate-authenticate-options', {});
    expect(await options.json()).toMatchObject({ userVerification: 'required', rpId: 'localhost' });
    const next = await startPasskey(shop, 'authenticate');
    const unverified = device.get(next.challenge, shop.origin, false);
    const sent = await finishSignIn(shop, next.headers, unverified);
    expect(await readCode(sent)).toEqual([401, 'USER_NOT_VERIFIED']);
  });

  test('with REQUIRE_ADMIN_2FA, a passkey cannot be added with an admin’s password alone', async () => {
    await using shop = await startShop({ engine, settings: { REQUIRE_ADMIN_2FA: 'yes' } });
    const ada = await shop.admin();
    const { password } = ada;
    const start = () =>
      sendAuthRequest(shop, '/passkey/generate-register-options', { password }, cookieHeaders(ada));
    expect((await start()).status).toBe(403);
  });

  test('a session that has not passed the second step cannot add a passkey to an admin’s account', async () => {
    await using shop = await startShop({ engine, settings: { REQUIRE_ADMIN_2FA: 'yes' } });
    const ada = await turnOnTwoFactor(shop, await shop.admin(), 0);
    // The session is now like one after a sign-in with Google.
    await shop.database.db.updateTable('session').set({ secondFactor: false }).execute();
    const { password } = ada;
    const started = await sendAuthRequest(
      shop,
      '/passkey/generate-register-options',
      { password },
      cookieHeaders(ada),
    );
    expect(started.status).toBe(403);
  });

  test('removing a passkey requires the password, sends one message and ends its use; users can remove only their own', async () => {
    await using shop = await startShop({ engine });
    const [tom, eve] = [await shop.signUp(), await shop.signUp()];
    const device = createDevice();
    const { id }: { id: string } = await (await addPasskey(shop, tom, device)).json();
    const remove = async (person: typeof tom, form: object = { password: person.password }) =>
      (await sendAuthRequest(shop, '/passkey/delete-passkey', { id, ...form }, cookieHeaders(person))).status;
    expect([await remove(tom, {}), await remove(tom, { password: 'not-the-password' })]).toEqual([422, 422]);
    expect(await remove(eve)).toBe(404);
    expect(await listPasskeys(shop)).toHaveLength(1);
    expect((await Promise.all([remove(tom), remove(tom)])).sort()).toEqual([200, 404]);
    expect(await listNotices(shop, 'passkey removed')).toEqual([tom.email]);
    expect(await readCode(await signInWith(shop, device))).toEqual([401, 'PASSKEY_NOT_FOUND']);
  });

  test('resetting the password removes every passkey, which an intruder may have added', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const device = createDevice();
    await addPasskey(shop, tom, device);
    const token = await issueToken(shop.database, 'reset password', tom.email);
    const reset = await sendAuthRequest(shop, '/reset-password', { token, newPassword: 'verge-and-foliot' });
    expect(reset.status).toBe(200);
    expect(await listPasskeys(shop)).toEqual([]);
    expect((await signInWith(shop, device)).status).toBe(401);
  });

  test('a passkey that a page of another site has used or created in a frame is rejected', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const device = createDevice();
    const embeddings = [{ crossOrigin: true }, { crossOrigin: false, topOrigin: 'https://evil.example' }];
    for (const embedding of embeddings) {
      device.embed(embedding);
      expect(await readCode(await addPasskey(shop, tom, device))).toEqual([400, 'INVALID_RESPONSE']);
    }
    device.embed({ crossOrigin: false });
    expect((await addPasskey(shop, tom, device)).status).toBe(200);
    for (const embedding of embeddings) {
      device.embed(embedding);
      const rejected = await signInWith(shop, device);
      expect(rejected.headers.getSetCookie()).toEqual([]);
      expect(await readCode(rejected)).toEqual([400, 'INVALID_RESPONSE']);
    }
    device.embed({ crossOrigin: false });
    expect((await signInWith(shop, device)).status).toBe(200);
  });

  test('malformed passkeys are rejected, and certificates are never read', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const device = createDevice();
    const { challenge, headers } = await startPasskey(shop, 'register', tom);
    const valid = device.create(challenge, shop.origin);
    const renamed = createDevice({ sentId: Buffer.from('another') }).create(challenge, shop.origin);
    // The format `apple`, whose certificates SimpleWebAuthn would check by fetching an address in them.
    const apple = device.create(
      challenge,
      shop.origin,
      'a363666d74656170706c656761747453746d74a068617574684461746158',
    );
    const change = (response: object) => ({ ...valid, response: { ...valid.response, ...response } });
    for (const response of [
      'text',
      null,
      {},
      apple,
      { ...valid, id: 'A'.repeat(1400) },
      { ...valid, id: 'a\0b' },
      change({ attestationObject: `${valid.response.attestationObject}${'A'.repeat(7000)}` }),
      change({ clientDataJSON: 'A'.repeat(5000) }),
      change({ transports: ['internal,usb'] }),
      change({ transports: Array(11).fill('usb') }),
    ]) {
      const sent = await finishAdding(shop, headers, response);
      expect(await readCode(sent)).toEqual([400, 'INVALID_RESPONSE']);
    }
    const broken = change({ attestationObject: `${valid.response.attestationObject.slice(0, 60)}` });
    for (const response of [renamed, broken]) {
      const sent = await finishAdding(shop, (await startPasskey(shop, 'register', tom)).headers, response);
      expect(await readCode(sent)).toEqual([400, 'FAILED_TO_VERIFY_REGISTRATION']);
    }
    const named = await sendAuthRequest(
      shop,
      '/passkey/verify-registration',
      { name: 'Phone\nBcc: eve@evil.example', response: valid },
      headers,
    );
    expect(await readCode(named)).toEqual([400, 'INVALID_NAME']);
    expect(await listPasskeys(shop)).toEqual([]);
  });

  test('starting to sign in is limited by network address, and rejected from other sites', async () => {
    await using shop = await startShop({ engine, rateLimits: { challengesPerAddress: 2 } });
    const start = (headers = {}) =>
      sendAuthRequest(shop, '/passkey/generate-authenticate-options', {}, headers);
    expect((await start({ origin: 'https://evil.example' })).status).toBe(403);
    expect([(await start()).status, (await start()).status, (await start()).status]).toEqual([200, 200, 429]);
  });
});

test('a passkey in flight waits for a transaction that ends the sessions, and is not added', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const { database } = shop;
  const tom = await shop.signUp();
  const { id } = await database.db.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const { challenge, headers } = await startPasskey(shop, 'register', tom);
  const isWaiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const [adding] = await database.transaction(async (tx) => {
    await endAccess(database, tx, id);
    await deletePasskeys(tx, id);
    const sent = finishAdding(shop, headers, createDevice().create(challenge, shop.origin));
    await waitUntil(async () => expect((await isWaiting.execute(database.db)).rows).toHaveLength(1));
    return [sent];
  });
  expect((await adding).status).toBe(401);
  expect(await listPasskeys(shop)).toEqual([]);
  expect(await listNotices(shop, 'passkey added')).toEqual([]);
});

test('a passkey that another account adds at the same moment is rejected like one that is already stored', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const { database } = shop;
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const device = createDevice();
  const { challenge, headers } = await startPasskey(shop, 'register', tom);
  const isWaiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const [adding] = await database.transaction(async (tx) => {
    const other = tx.selectFrom('user').select('id').where('email', '=', ann.email);
    const { id: userId } = await other.executeTakeFirstOrThrow();
    await tx
      .insertInto('passkey')
      .values({
        id: 'anns',
        name: 'Phone',
        publicKey: '',
        userId,
        credentialID: device.id,
        counter: 0,
        deviceType: 'singleDevice',
        backedUp: false,
        createdAt: new Date(),
        aaguid: '',
      })
      .execute();
    const sent = finishAdding(shop, headers, device.create(challenge, shop.origin));
    await waitUntil(async () => expect((await isWaiting.execute(database.db)).rows).toHaveLength(1));
    return [sent];
  });
  expect(await readCode(await adding)).toEqual([400, 'FAILED_TO_VERIFY_REGISTRATION']);
  expect(await listPasskeys(shop)).toHaveLength(1);
  expect(await listNotices(shop, 'passkey added')).toEqual([]);
});
