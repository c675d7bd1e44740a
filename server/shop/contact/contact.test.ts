import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { listLetters, waitForLetter } from '../../../tests/support/letters.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import { readProblem, sendCall, type TestUser, tokenHeaders } from '../../../tests/support/requests.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

const owner = 'owner@mail.example';
const settings = { CONTACT_EMAIL: owner };

const send = (shop: TestShop, body: unknown) => sendCall(shop, 'sendContactMessage', { body });
const tom = { email: 'Tom@mail.example', message: 'Do you repair fusee chains?\nI have two.' };

test('a message goes to the contact address only, and a reply to it goes to the visitor', async () => {
  await using shop = await startShop({ settings });
  await shop.listen();
  const response = await send(shop, tom);
  expect([response.status, await response.json()]).toEqual([200, { accepted: true }]);
  const letter = await waitForLetter(shop, owner, /^Message from tom@mail\.example$/);
  expect(letter.replyTo?.value).toEqual([{ address: 'tom@mail.example', name: '' }]);
  expect(letter.from?.value[0]?.address).toBe('shop@shop.example');
  expect(letter.headers.get('auto-submitted')).toBe('auto-generated');
  expect(letter.text).toContain('\n> Do you repair fusee chains?\n> I have two.\n');
  expect(letter.html).toContain('Do you repair fusee chains?\nI have two.</blockquote>');
  expect(await listLetters(shop, 'tom@mail.example')).toEqual([]);
  expect(await shop.inbox.list()).toHaveLength(1);
});

test('without a contact address, a message is rejected with 404 and not stored', async () => {
  await using shop = await startShop();
  expect((await send(shop, tom)).status).toBe(404);
  expect(await shop.database.db.selectFrom('mail').selectAll().execute()).toEqual([]);
});

test('a message needs a valid address and a text of at most 2,000 characters', async () => {
  await using shop = await startShop({ settings });
  const readErrors = async (body: unknown) => {
    const problem = await readProblem(await send(shop, body));
    return [problem.status, ...(problem.errors ?? []).map(({ message }) => message)];
  };
  expect(await readErrors({})).toEqual([422, 'Email is Required', 'Message is Required']);
  expect(await readErrors({ ...tom, email: 'tom at mail' })).toEqual([422, 'Provide a valid Email']);
  expect(await readErrors({ ...tom, message: ' ' })).toEqual([422, 'Message is Required']);
  expect(await readErrors({ ...tom, message: 'x'.repeat(2001) })).toEqual([
    422,
    'Message must be 2000 characters or shorter',
  ]);
});

describe.each(engines)('on %s', (engine) => {
  test('admins list the messages, and mark them as answered and as not answered, which is audited', async () => {
    await using shop = await startShop({ engine, settings });
    const ada = await shop.admin();
    const admin = shop.client(ada);
    for (const message of ['First', 'Second']) await send(shop, { ...tom, message });
    const list = async (query = {}) =>
      (await admin.call('listContactMessages', { query })).map(({ message, email, answeredAt }) => [
        message,
        email,
        answeredAt !== undefined,
      ]);
    const ids = (await admin.call('listContactMessages', {})).map(({ _id }) => _id);
    const [newest = ''] = ids;
    const both = ['Second', 'First'].map((message) => [message, 'tom@mail.example', false]);
    expect(await list()).toEqual(both);
    const mark = (ids: string[], answered: boolean) =>
      admin.call('markContactMessages', { body: { ids, answered } });
    const answer = () => mark([newest], true);
    // Two admins at once: one of them is told that nothing has changed.
    const counts = await Promise.all([answer(), answer()]);
    expect(counts.map(({ modifiedCount }) => modifiedCount).sort()).toEqual([0, 1]);
    expect(await list()).toEqual([both[1]]);
    expect(await list({ answered: 'true' })).toEqual([['Second', 'tom@mail.example', true]]);
    expect(await mark([newest], false)).toEqual({ modifiedCount: 1 });
    expect(await list()).toEqual(both);
    expect(await list({ limit: 1, after: newest })).toEqual([both[1]]);
    // A message that arrives later stays unanswered.
    await send(shop, { ...tom, message: 'Third' });
    expect(await mark([...ids, 'unknown'], true)).toEqual({ modifiedCount: 2 });
    expect(await list()).toEqual([['Third', 'tom@mail.example', false]]);
    expect(await list({ answered: 'true' })).toHaveLength(2);
    const audit = await admin.call('listAudit', {});
    expect(audit.map(({ action, name, actor }) => [action, name, actor])).toEqual([
      ['answerMessage', '2 contact messages', ada.email],
      ['reopenMessage', 'Contact message', ada.email],
      ['answerMessage', 'Contact message', ada.email],
    ]);
    expect(audit[1]?.target).toBe(newest);
    const visitor = shop.client(await shop.signUp());
    expect(await catchProblem(visitor.call('listContactMessages', {}))).toMatchObject({ status: 403 });
  });

  test('users with confirmed addresses share a limit at each network address', async () => {
    const rateLimits = { contactMessagesOfUsersPerAddress: 2 };
    await using shop = await startShop({ engine, settings, rateLimits });
    const sendFrom = async (address: string) => {
      const user = await shop.signUp();
      await shop.database.db.updateTable('user').set({ emailVerified: true }).execute();
      const request = new Request(`${shop.origin}/api/contact`, {
        method: 'POST',
        headers: { ...tokenHeaders(user), 'content-type': 'application/json' },
        body: JSON.stringify(tom),
      });
      return (await shop.fetchFromAddress(request, address)).status;
    };
    for (const status of [200, 200, 429]) expect(await sendFrom('192.0.2.1')).toBe(status);
    expect(await sendFrom('192.0.2.2')).toBe(200);
  });

  test('users with confirmed addresses share total limits that other senders cannot use up', async () => {
    const rateLimits = { firstContactMessages: 2, contactMessages: 1 };
    await using shop = await startShop({ engine, settings, rateLimits });
    const users = [await shop.signUpConfirmed(), await shop.signUpConfirmed(), await shop.signUpConfirmed()];
    const sendAs = async (user?: TestUser) =>
      (await sendCall(shop, 'sendContactMessage', { body: tom, headers: user ? tokenHeaders(user) : {} }))
        .status;
    const statuses = [];
    for (const user of [users[0], users[0], users[1], users[1], users[2]]) statuses.push(await sendAs(user));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await sendAs()).toBe(200);
  });

  test('in a flood of messages, only answered messages are deleted, and the form accepts no more once it is full', async () => {
    await using shop = await startShop({ engine, settings });
    const { db } = shop.database;
    const now = Date.now();
    const insert = async (count: number, answered_at: number | null) => {
      const ids = Array.from({ length: count }, () => uuidv7()).sort();
      const rows = ids.map((id) => ({
        id,
        email: 'eve@mail.example',
        text: 'x',
        created_at: now,
        answered_at,
      }));
      for (let index = 0; index < count; index += 500)
        await db
          .insertInto('contact_message')
          .values(rows.slice(index, index + 500))
          .execute();
      return ids;
    };
    const unanswered = await insert(9999, null);
    const answered = await insert(10_002, now);
    await shop.doPeriodicWork();
    const list = async (isAnswered: boolean) => {
      const messages = db.selectFrom('contact_message').select('id').orderBy('id');
      const rows = await messages.where('answered_at', isAnswered ? 'is not' : 'is', null).execute();
      return rows.map(({ id }) => id);
    };
    expect(await list(false)).toEqual(unanswered);
    expect(await list(true)).toEqual(answered.slice(2));
    const admin = shop.client(await shop.admin());
    const isFull = async () => (await admin.call('getHealth', {})).facts.contact.isFull;
    expect(await isFull()).toBe(false);
    expect((await send(shop, tom)).status).toBe(200);
    expect(await isFull()).toBe(true);
    const full = await readProblem(await send(shop, tom));
    expect([full.status, full.detail]).toEqual([409, 'This shop cannot receive more messages right now.']);
    const form = { method: 'POST', body: new URLSearchParams({ ...tom, message: 'About my chains' }) };
    const page = await (await shop.send('/contact', form)).text();
    expect(page).toContain('This shop cannot receive more messages right now.');
    expect(page).toContain('About my chains</textarea>');
    const body = { ids: unanswered.slice(0, 1), answered: true };
    await admin.call('markContactMessages', { body });
    expect(await isFull()).toBe(false);
    expect((await send(shop, tom)).status).toBe(200);
    await shop.doPeriodicWork();
    expect((await list(false)).length).toBe(10_000);
  });

  test('messages are limited per network address and in total, and deleted after three months', async () => {
    const rateLimits = { contactMessagesPerSender: 2, firstContactMessages: 2, contactMessages: 1 };
    await using shop = await startShop({ engine, settings, rateLimits });
    const sendFrom = async (address: string) => {
      const request = new Request(`${shop.origin}/api/contact`, {
        method: 'POST',
        headers: { origin: shop.origin, 'content-type': 'application/json' },
        body: JSON.stringify(tom),
      });
      const response = await shop.fetchFromAddress(request, address);
      return [response.status, response.headers.has('retry-after')];
    };
    expect(await sendFrom('192.0.2.1')).toEqual([200, false]);
    expect(await sendFrom('192.0.2.1')).toEqual([200, false]);
    expect(await sendFrom('192.0.2.1')).toEqual([429, true]);
    expect(await sendFrom('192.0.2.2')).toEqual([200, false]);
    expect(await sendFrom('192.0.2.2')).toEqual([429, true]);
    expect(await sendFrom('192.0.2.3')).toEqual([429, true]);
    const { db } = shop.database;
    const list = () => db.selectFrom('contact_message').select('email').execute();
    await shop.doPeriodicWork();
    expect(await list()).toHaveLength(3);
    await db.deleteFrom('contact_message').execute();
    await db
      .insertInto('contact_message')
      .values({
        id: '018bcfe5-6800-7000-8000-000000000000',
        email: 'tom@mail.example',
        text: 'x',
        created_at: 1,
      })
      .execute();
    await shop.doPeriodicWork();
    expect(await list()).toEqual([]);
  });
});
