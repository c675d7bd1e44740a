import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { listLetters, readToken, waitForDelivery, waitForLetter } from '../../../tests/support/letters.ts';
import { buy, placeOrder } from '../../../tests/support/payments.ts';
import {
  cookieHeaders,
  readAuthError,
  sendAuthRequest,
  sendCall,
  sendRequest,
  type TestUser,
  tokenHeaders,
} from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { recordStatements } from '../../../tests/support/statements.ts';
import { waitUntil } from '../../../tests/support/wait.ts';
import { addMail } from '../../mail/outbox.ts';
import { findUserId } from '../../shop/users/find-users.ts';
import { lockUser } from '../session-endings.ts';
import { issueToken } from './tokens.ts';

const newEmail = 'tom@new.example';
const newPassword = 'verge-and-foliot';
const changed = /^The email address of your account was changed$/;
const undone = /^The change of your email address was undone$/;

const request = (shop: TestShop, person: TestUser, to: string, password = person.password) =>
  sendAuthRequest(shop, '/request-email-change', { newEmail: to, password }, cookieHeaders(person));
const confirm = (shop: TestShop, person: Pick<TestUser, 'cookie'>, token: string) =>
  sendAuthRequest(shop, '/confirm-email-change', { token }, cookieHeaders(person));
const undo = (shop: TestShop, token: string, password = newPassword) =>
  sendAuthRequest(shop, '/reset-password', { token, newPassword: password });

async function confirmUsers({ database: { db } }: TestShop): Promise<void> {
  await db.updateTable('user').set({ emailVerified: true }).execute();
}

/** Requests a change and returns the token in the message. */
async function getToken(shop: TestShop, person: TestUser, to: string): Promise<string> {
  expect((await request(shop, person, to)).status).toBe(200);
  return readToken(shop, to.toLowerCase(), '/change-address');
}

/** Changes the address and returns the user with the new one. */
async function change(shop: TestShop, person: TestUser, to: string): Promise<TestUser> {
  const response = await confirm(shop, person, await getToken(shop, person, to));
  expect([response.status, await response.text()]).toEqual([200, '{"status":true}']);
  return { ...person, email: to };
}

/** The addresses of the customers. */
const listUsers = async ({ database: { db } }: TestShop) => {
  const users = db.selectFrom('user').select('email').where('role', 'is', null).orderBy('email');
  return (await users.execute()).map(({ email }) => email);
};

const isSignedIn = async (shop: TestShop, person: Pick<TestUser, 'cookie'>) =>
  (await (await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(person))).json()) !== null;

describe.each(engines)('on %s', (engine) => {
  test('a link to the new address changes it once, in everything that belongs to the user', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    await confirmUsers(shop);
    const product = await shop.addProduct();
    const { order } = await buy(shop, tom, product);
    await placeOrder(shop, tom, product);
    await placeOrder(shop, ann, product);
    await shop.client(tom).call('addReview', { body: { rating: 5, reviews: 'Good.', img: product.img } });
    await shop.client(tom).call('setBasketLine', { params: { id: product._id }, body: { quantity: 1 } });
    const elsewhere = await shop.signIn(tom.email, tom.password);
    const token = await getToken(shop, tom, newEmail.toUpperCase());
    // Neither the request nor the message, nor a scanner that opens the link, has changed anything.
    expect(
      (await sendRequest(shop, 'GET', `/change-address?token=${token}`, { headers: cookieHeaders(tom) }))
        .status,
    ).toBe(200);
    expect(await listUsers(shop)).toEqual([ann.email, tom.email].sort());

    const responses = await Promise.all([1, 2, 3].map(() => confirm(shop, tom, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await listUsers(shop)).toEqual([ann.email, newEmail].sort());
    expect([await isSignedIn(shop, tom), await isSignedIn(shop, elsewhere)]).toEqual([true, false]);
    const moved = { ...tom, email: newEmail };
    const query = { user: newEmail };
    const orders = await shop.client(moved).call('listOwnOrders', { query });
    expect(orders.map(({ user }) => user)).toEqual([newEmail, newEmail]);
    expect(await shop.client(moved).call('getPurchase', { params: { id: order.purchase } })).toMatchObject({
      number: order.number,
    });
    expect((await shop.client(moved).call('getBasket', {})).lines).toHaveLength(1);
    expect(await shop.client(ann).call('listOwnOrders', { query: { user: ann.email } })).toHaveLength(1);
    await expect(shop.signIn(tom.email, tom.password)).rejects.toThrow(/401/);
    expect(await shop.signIn(newEmail, tom.password)).toHaveProperty('token');
    // The next messages go to the new address.
    await buy(shop, moved, product);
    await waitForLetter(shop, newEmail, /^Receipt|receipt|paid/i);
    const notice = await waitForLetter(shop, tom.email, changed);
    expect(`${notice.text}${notice.html}`).not.toContain(newEmail);
    expect(await readAuthError(await confirm(shop, tom, token))).toEqual({
      code: 'INVALID_TOKEN',
      message: 'This link has expired or has already been used.',
    });
  });

  test('a waiting message goes to the new address; messages sent to the former address are exported and deleted with the account', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    await shop.listen();
    const tom = await shop.signUp();
    await readToken(shop, tom.email, '/confirm-address');
    await confirmUsers(shop);
    const order = await placeOrder(shop, tom, await shop.addProduct());
    await waitForLetter(shop, tom.email, /^Your order/);
    const token = await getToken(shop, tom, newEmail);
    await addMail(db, [
      {
        id: 'waiting',
        kind: 'hold ending',
        userId: (await findUserId(db, tom.email)) ?? expect.unreachable(),
        about: order.purchase,
        dueAt: Date.now() + 3_600_000,
      },
    ]);
    expect((await confirm(shop, tom, token)).status).toBe(200);
    const moved = { ...tom, email: newEmail };
    await db.updateTable('mail').set({ due_at: Date.now() }).where('id', '=', 'waiting').execute();
    await waitForDelivery(shop);
    const subjects = async (email: string) => (await listLetters(shop, email)).map(({ subject }) => subject);
    expect(await subjects(newEmail)).toContainEqual(expect.stringMatching(/is waiting for payment/));
    expect(await subjects(tom.email)).not.toContainEqual(expect.stringMatching(/is waiting for payment/));

    const exported = await sendCall(shop, 'exportUser', {
      params: { email: newEmail },
      headers: tokenHeaders(moved),
    });
    const { messages }: { messages: { kind: string; recipient: string }[] } = await exported.json();
    expect(messages).toContainEqual(
      expect.objectContaining({ kind: 'confirm address', recipient: tom.email }),
    );
    expect(messages).toContainEqual(expect.objectContaining({ kind: 'hold ending', recipient: newEmail }));
    const [params, body] = [{ email: newEmail }, { password: tom.password }];
    await shop.client(moved).call('deleteUser', { params, body });
    await waitForDelivery(shop);
    expect(await db.selectFrom('mail').selectAll().where('user_id', 'is not', null).execute()).toEqual([]);
    const rows = await db.selectFrom('mail').select(['kind', 'recipient']).execute();
    expect(rows.filter(({ recipient }) => [tom.email, newEmail].includes(recipient))).toEqual([]);
  });

  test('the former address can undo the change once, which ends all sessions and sets a new password', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    await confirmUsers(shop);
    const product = await shop.addProduct();
    const { order } = await buy(shop, tom, product);
    // An intruder with a stolen session and the password changes the address twice.
    const first = await change(shop, tom, 'eve@mail.example');
    const token = await readToken(shop, tom.email, '/reset-password');
    const second = await change(shop, first, 'eve2@mail.example');
    const tokenOfFirst = await readToken(shop, first.email, '/reset-password');
    expect((await undo(shop, token, 'short')).status).toBe(400);
    const responses = await Promise.all([1, 2, 3].map(() => undo(shop, token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await listUsers(shop)).toEqual([tom.email]);
    expect(await isSignedIn(shop, second)).toBe(false);
    for (const email of [first.email, second.email])
      await expect(shop.signIn(email, tom.password)).rejects.toThrow(/401/);
    await expect(shop.signIn(tom.email, tom.password)).rejects.toThrow(/401/);
    const back = { ...tom, ...(await shop.signIn(tom.email, newPassword)), password: newPassword };
    expect(await shop.client(back).call('listOwnOrders', { query: { user: tom.email } })).toMatchObject([
      { _id: order._id },
    ]);
    // The intruder cannot reverse this.
    expect((await undo(shop, tokenOfFirst)).status).toBe(400);
    const notice = await waitForLetter(shop, second.email, undone);
    expect(notice.text).toContain('that change was undone');
    expect(notice.text).not.toContain('token=');
    expect(notice.text).not.toContain(tom.email);
    const reset = await waitForLetter(shop, tom.email, /^Your password was changed$/);
    expect(reset.text).toContain('your passkeys were removed, too');
  });

  test('undoing a second change does not invalidate the link that undoes the first', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    await confirmUsers(shop);
    const first = await change(shop, tom, 'eve@mail.example');
    const token = await readToken(shop, tom.email, '/reset-password');
    const second = await change(shop, first, 'eve2@mail.example');
    expect((await undo(shop, await readToken(shop, first.email, '/reset-password'))).status).toBe(200);
    expect(await listUsers(shop)).toEqual([first.email]);
    const form = { name: 'Eve', email: tom.email, password: 'anchor-escapement' };
    expect((await sendAuthRequest(shop, '/sign-up/email', form)).status).toBe(422);
    expect((await undo(shop, token, 'pallet-and-impulse')).status).toBe(200);
    expect(await listUsers(shop)).toEqual([tom.email]);
    for (const email of [first.email, second.email])
      await expect(shop.signIn(email, newPassword)).rejects.toThrow(/401/);
    expect(await shop.signIn(tom.email, 'pallet-and-impulse')).toHaveProperty('token');
  });

  test('of two users who change to the same address at once, one gets a clear error', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const tokens = [await getToken(shop, tom, newEmail), await getToken(shop, ann, newEmail)] as const;
    const responses = await Promise.all([confirm(shop, tom, tokens[0]), confirm(shop, ann, tokens[1])]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = responses.find(({ status }) => status === 409) ?? expect.unreachable();
    expect(await readAuthError(refused)).toEqual({
      code: 'CONFLICT',
      message: 'There is already an account with this email address. Nothing was changed.',
    });
    expect((await listUsers(shop)).filter((email) => email === newEmail)).toHaveLength(1);
  });

  test('the response does not reveal whether an address is taken; only the message to it does', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    const read = async (response: Response) => [
      response.status,
      await response.text(),
      [...response.headers].filter(([name]) => name !== 'x-request-id'),
    ];
    const free = await recordStatements(() => request(shop, tom, newEmail));
    const taken = await recordStatements(() => request(shop, tom, ann.email));
    expect(await read(taken.result)).toEqual(await read(free.result));
    const [forFree, forTaken] = [free, taken].map(({ statementsOf }) =>
      statementsOf(shop.database.db).map(({ sql }) => sql),
    );
    expect(forTaken).toEqual(forFree);
    const letter = await waitForLetter(shop, ann.email, /^This address can’t be used/);
    expect(letter.text).not.toContain('token=');
    expect(`${letter.text}${letter.html}`).not.toContain(tom.email);
    await waitForLetter(shop, newEmail, /^Confirm your new email address$/);
  });

  test('another user can have the former address only once the change can no longer be undone', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
    await confirmUsers(shop);
    const moved = await change(shop, tom, newEmail);
    const token = await readToken(shop, tom.email, '/reset-password');
    const form = { name: 'Eve', email: tom.email.toUpperCase(), password: 'anchor-escapement' };
    const taken = await sendAuthRequest(shop, '/sign-up/email', { ...form, email: newEmail });
    const reserved = await sendAuthRequest(shop, '/sign-up/email', form);
    expect([reserved.status, await reserved.json()]).toEqual([taken.status, await taken.json()]);
    expect((await request(shop, ann, tom.email)).status).toBe(200);
    await waitForLetter(shop, tom.email, /^This address can’t be used/);
    // The user can change back to the former address.
    const back = await change(shop, moved, tom.email);
    // The address is in use again, so there is nothing to undo.
    expect((await undo(shop, token)).status).toBe(400);
    await change(shop, back, 'tom@third.example');
    const { db } = shop.database;
    await db
      .updateTable('verification')
      .set({ expiresAt: new Date(Date.now() - 1) })
      .where('id', '=', `undo address change ${tom.email}`)
      .execute();
    expect((await undo(shop, await readToken(shop, tom.email, '/reset-password'))).status).toBe(400);
    expect((await sendAuthRequest(shop, '/sign-up/email', form)).status).toBe(200);
  });

  test('deleting the account deletes the links, and messages to former and requested addresses', async () => {
    await using shop = await startShop({ engine });
    await shop.listen();
    const tom = await shop.signUp();
    await confirmUsers(shop);
    const moved = await change(shop, tom, newEmail);
    const undoToken = await readToken(shop, tom.email, '/reset-password');
    const pending = await getToken(shop, moved, 'tom@third.example');
    const params = { email: newEmail };
    const file = await sendCall(shop, 'exportUser', { params, headers: tokenHeaders(moved) });
    const { messages, otherAddresses }: { messages: { recipient: string }[]; otherAddresses: unknown } =
      await file.json();
    expect(new Set(messages.map(({ recipient }) => recipient))).toEqual(
      new Set([newEmail, tom.email, 'tom@third.example']),
    );
    expect(otherAddresses).toMatchObject([
      { email: 'tom@third.example', kind: 'requested' },
      { email: tom.email, kind: 'former' },
    ]);
    const body = { password: tom.password };
    const headers = tokenHeaders(moved);
    expect((await sendCall(shop, 'deleteUser', { params, body, headers })).status).toBe(200);
    for (const address of [newEmail, tom.email])
      await waitForLetter(shop, address, /^Your account was deleted$/);
    await waitForDelivery(shop);
    const { db } = shop.database;
    expect(await db.selectFrom('verification').selectAll().execute()).toEqual([]);
    await expect.poll(() => db.selectFrom('mail').select('kind').execute()).toEqual([]);
    expect((await undo(shop, undoToken)).status).toBe(400);
    expect((await confirm(shop, moved, pending)).status).toBe(401);
  });
});

test('deleting an account while its address changes also deletes the data that moved to the new address', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  await shop.listen();
  const tom = await shop.signUp();
  await placeOrder(shop, tom, await shop.addProduct());
  const token = await getToken(shop, tom, newEmail);
  const { db } = shop.database;
  const isWaiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const waitUntilBlocked = (count: number) =>
    expect.poll(async () => (await isWaiting.execute(db)).rows.length).toBe(count);
  // Both requests have read the session, and with it the former address, before either gets the lock.
  const responses = await shop.database.transaction(async (tx) => {
    await tx.selectFrom('user').select('id').where('email', '=', tom.email).forUpdate().execute();
    const confirming = confirm(shop, tom, token);
    await waitUntilBlocked(1);
    const [params, body] = [{ email: tom.email }, { password: tom.password }];
    const deleting = sendCall(shop, 'deleteUser', { params, body, headers: tokenHeaders(tom) });
    await waitUntilBlocked(2);
    return [confirming, deleting];
  });
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);
  expect(await db.selectFrom('order_line').select('id').execute()).toEqual([]);
});

test('confirming a change locks the user before the link', async () => {
  await using shop = await startShop({ engine: 'postgres' });
  const tom = await shop.signUp();
  const { db } = shop.database;
  const { id: key } = await db.selectFrom('user').select('id').executeTakeFirstOrThrow();
  const token = await issueToken(shop.database, 'change address', newEmail, { key });
  const isWaiting = sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const [confirming] = await shop.database.transaction(async (tx) => {
    await lockUser(shop.database, tx, key);
    const confirming = confirm(shop, tom, token);
    await waitUntil(async () => expect((await isWaiting.execute(db)).rows).toHaveLength(1));
    // Fails if another transaction has locked the row.
    await tx.selectFrom('verification').select('id').forUpdate().noWait().execute();
    return [confirming];
  });
  expect((await confirming).status).toBe(200);
});

test('requesting a change needs a session and the password, and another address', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const send = async (body: object, headers = cookieHeaders(tom)) => {
    const response = await sendAuthRequest(shop, '/request-email-change', body, headers);
    return [response.status, (await readAuthError(response)).message];
  };
  const { password } = tom;
  expect(await send({ newEmail, password }, { cookie: '' })).toEqual([401, 'Sign in and try again.']);
  expect(await send({ newEmail })).toEqual([422, 'Password is Required']);
  expect(await send({ newEmail, password: 'wrong' })).toEqual([422, 'Invalid password']);
  expect(await send({ newEmail: tom.email.toUpperCase(), password })).toEqual([
    422,
    'This is already the email address of your account.',
  ]);
  for (const wrong of ['', 'tom', `${newEmail}\r\nBcc: eve@mail.example`, `${newEmail}, eve@mail.example`])
    expect([wrong, (await send({ newEmail: wrong, password }))[0]]).toEqual([wrong, 400]);
  const { db } = shop.database;
  const requested = db.selectFrom('mail').select('id').where('kind', '=', 'change address');
  expect(await requested.execute()).toEqual([]);
});

test('attempts to guess the password are limited', async () => {
  await using shop = await startShop({ rateLimits: { signInsPerAddressAndEmail: 3 } });
  const tom = await shop.signUp();
  for (let attempt = 1; attempt <= 3; attempt++)
    expect((await request(shop, tom, newEmail, `guess ${attempt}`)).status).toBe(422);
  expect((await request(shop, tom, newEmail)).status).toBe(429);
});

test('a former address that was never confirmed is notified of the change, but cannot undo it', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  await change(shop, tom, newEmail);
  const notice = await waitForLetter(shop, tom.email, changed);
  expect(notice.text).not.toContain('token=');
  // Another user can have the former address immediately.
  const form = { name: 'Ann', email: tom.email, password: 'anchor-escapement' };
  expect((await sendAuthRequest(shop, '/sign-up/email', form)).status).toBe(200);
});

test('a network address can request three of these messages per hour for an email address, and thirty in total', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  for (const status of [200, 200, 200, 429, 429])
    expect((await request(shop, tom, newEmail)).status).toBe(status);
  await waitForDelivery(shop);
  expect(await listLetters(shop, newEmail)).toHaveLength(3);
  for (let count = 6; count <= 30; count++)
    expect((await request(shop, tom, `tom-${count}@new.example`)).status).toBe(200);
  expect((await request(shop, tom, 'ann@new.example')).status).toBe(429);
});

test('a user who signs in with Google must have signed in recently, and keeps Google sign-in', async () => {
  await using shop = await startShop();
  await shop.listen();
  const tom = await shop.signUp();
  const { db } = shop.database;
  await db.updateTable('account').set({ providerId: 'google', accountId: 'tom-1', password: null }).execute();
  await confirmUsers(shop);
  await db
    .updateTable('session')
    .set({ createdAt: new Date(Date.now() - 11 * 60_000) })
    .execute();
  expect((await request(shop, tom, newEmail)).status).toBe(403);
  await db.updateTable('session').set({ createdAt: new Date() }).execute();
  await change(shop, tom, newEmail);
  const accounts = db.selectFrom('account').select(['providerId', 'accountId']);
  expect(await accounts.execute()).toEqual([{ providerId: 'google', accountId: 'tom-1' }]);
});

test('an admin stays an admin, and the audit log has the change', async () => {
  await using shop = await startShop();
  await shop.listen();
  const admin = await shop.admin();
  const moved = await change(shop, admin, 'ada@new.example');
  const [entry] = await shop.client(moved).call('listAudit', {});
  expect(entry).toMatchObject({
    actor: admin.email,
    action: 'changeEmail',
    target: moved.email,
    details: `email: ${moved.email} (was ${admin.email})`,
  });
});
