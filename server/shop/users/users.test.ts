import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { catchProblem } from '../../../tests/support/problem.ts';
import {
  cookieHeaders,
  readProblem,
  sendAuthRequest,
  sendCall,
  tokenHeaders,
} from '../../../tests/support/requests.ts';
import { startShop } from '../../../tests/support/shop.ts';

const profile = { address: '1 Mill Lane', phone: '+44 1', education: 'Guild', linkedIn: 'in/tom' };

describe.concurrent.each(engines)('on %s', (engine) => {
  test('saveUser stores the trimmed profile and ignores other fields', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const params = { email: tom.email };
    const client = shop.client(tom);
    const saved = await client.call('saveUser', { params, body: { ...profile, address: ' 1 Mill Lane ' } });
    expect(saved).toEqual({ token: tom.token, modifiedCount: 1 });
    const people = await shop.client(admin).call('listUsers', {});
    expect(people.find(({ email }) => email === tom.email)).toMatchObject({ ...profile, name: tom.name });
    // The sign-in form sends only the email, which changes nothing.
    const signedIn = await client.call('saveUser', { params, body: { email: tom.email } });
    expect(signedIn).toEqual({ token: tom.token, modifiedCount: 0 });
    const more = { email: tom.email, name: 'Eve', role: 'admin' };
    const ignored = await sendCall(shop, 'saveUser', { params, body: more, headers: tokenHeaders(tom) });
    expect([ignored.status, await ignored.json()]).toEqual([200, signedIn]);
    const session = await sendAuthRequest(shop, '/get-session', undefined, cookieHeaders(tom));
    expect(await session.json()).toMatchObject({ user: profile });
  });

  test('saveUser reports each missing or invalid field', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const params = { email: tom.email };
    const send = (body: object) => sendCall(shop, 'saveUser', { params, body, headers: tokenHeaders(tom) });
    const all = [
      'address: Address is Required',
      'phone: Phone is Required',
      'education: Education is Required',
      'linkedIn: LinkedIn is Required',
    ];
    const empty = { address: '', phone: ' ', education: null, user: tom.email };
    for (const [body, messages] of [
      [{}, all],
      [empty, all],
      [{ email: tom.email, phone: '1' }, [all[0], all[2], all[3]]],
      [{ ...profile, phone: undefined }, [all[1]]],
      [{ ...profile, address: 'a'.repeat(301) }, ['address: Address must be 300 characters or shorter']],
      [{ ...profile, phone: 5 }, ['phone: Phone must be text']],
      [{ ...profile, phone: 'a\0' }, ['phone: Phone has characters that cannot be printed']],
    ] as const) {
      const { status, errors = [] } = await readProblem(await send(body));
      expect([body, status, errors.map(({ field, message }) => `${field}: ${message}`)]).toEqual([
        body,
        422,
        messages,
      ]);
    }
    expect((await send({ ...profile, linkedIn: 'a'.repeat(300) })).status).toBe(200);
  });

  test('LinkedIn must be a handle or an https URL at linkedin.com, unless the value is unchanged and older than this rule', async () => {
    await using shop = await startShop({ engine });
    const tom = await shop.signUp();
    const params = { email: tom.email };
    const save = async (linkedIn: string) =>
      (
        await sendCall(shop, 'saveUser', {
          params,
          body: { ...profile, linkedIn },
          headers: tokenHeaders(tom),
        })
      ).status;
    for (const valid of [
      'tom',
      'tom-graham-1',
      '@tom',
      'in/tom',
      '/in/tom/',
      'in/jürgen',
      'https://www.linkedin.com/in/tom',
      'linkedin.com/in/tom',
      'HTTPS://UK.LinkedIn.com/in/tom/?a=b',
    ])
      expect([valid, await save(valid)]).toEqual([valid, 200]);
    const { db } = shop.database;
    const { linkedIn } = await db
      .selectFrom('user')
      .select('linkedIn')
      .where('email', '=', tom.email)
      .executeTakeFirstOrThrow();
    expect(linkedIn).toBe('HTTPS://UK.LinkedIn.com/in/tom/?a=b');
    const invalid = [
      'http://www.linkedin.com/in/tom',
      'https://evil.example/in/tom',
      'https://linkedin.com.evil.example/',
      'https://evil.example/?linkedin.com/in/tom',
      'https://evil@linkedin.com/in/tom',
      'Tom Graham',
      'javascript:alert(1)',
      'javascript:alert(1)//linkedin.com/',
      'data:text/html,x',
      '//linkedin.com/in/tom',
    ];
    for (const value of invalid) expect([value, await save(value)]).toEqual([value, 422]);
    await db.updateTable('user').set({ linkedIn: 'Tom Graham' }).where('email', '=', tom.email).execute();
    expect(await save('Tom Graham')).toBe(200);
    expect(await save('Tom R. Graham')).toBe(422);
  });

  test('makeAdmin promotes a user once and returns whether the role changed', async () => {
    await using shop = await startShop({ engine });
    const [tom, ann, admin] = [await shop.signUp(), await shop.signUp('Ann'), await shop.admin()];
    const promote = (email: string, by = admin) =>
      sendCall(shop, 'makeAdmin', { params: { email }, headers: tokenHeaders(by) });
    expect((await readProblem(await promote(tom.email, tom))).status).toBe(403);
    const both = await Promise.all([promote(tom.email.toUpperCase()), promote(tom.email)]);
    const counts = await Promise.all(both.map((response) => response.json()));
    expect(counts.map(({ modifiedCount }) => modifiedCount).sort()).toEqual([0, 1]);
    expect(await (await promote(admin.email)).json()).toEqual({ modifiedCount: 0 });
    expect((await readProblem(await promote('nobody@example.com'))).status).toBe(404);
    // The new admin can promote others.
    expect(await (await promote(ann.email, tom)).json()).toEqual({ modifiedCount: 1 });

    const isAdmin = async (email: string) =>
      (await sendCall(shop, 'isAdmin', { params: { email }, headers: tokenHeaders(admin) })).json();
    expect(await isAdmin(tom.email.toUpperCase())).toEqual({ admin: true });
    expect(await isAdmin('nobody@example.com')).toEqual({ admin: false });
  });

  test('signOutUser ends all sessions of a user and is audited if there were any', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const sessions = [tom, await shop.signIn(tom.email, tom.password)];
    const signOut = (email: string) => shop.client(admin).call('signOutUser', { params: { email } });
    const readStatuses = () =>
      Promise.all(
        sessions.flatMap((session) =>
          [tokenHeaders(session), cookieHeaders(session)].map(async (headers) => {
            const { status } = await sendCall(shop, 'isAdmin', { params: { email: tom.email }, headers });
            return status;
          }),
        ),
      );
    expect(await readStatuses()).toEqual([200, 200, 200, 200]);
    expect(await signOut(tom.email.toUpperCase())).toEqual({ deletedCount: 2 });
    expect(await readStatuses()).toEqual([401, 401, 401, 401]);
    expect(await signOut(tom.email)).toEqual({ deletedCount: 0 });
    expect(await catchProblem(signOut('nobody@example.com'))).toMatchObject({ status: 404 });
    const entries = await shop.client(admin).call('listAudit', {});
    expect(entries.map(({ action, target, name }) => [action, target, name])).toEqual([
      ['signOutUser', tom.email, tom.name],
    ]);
    // The user can sign in again.
    const again = await shop.signIn(tom.email, tom.password);
    expect(await shop.client(again).call('isAdmin', { params: { email: tom.email } })).toEqual({
      admin: false,
    });
  });

  test('listUsers returns when each user signed up and how they sign in', async () => {
    await using shop = await startShop({ engine });
    const [tom, admin] = [await shop.signUp(), await shop.admin()];
    const people = await shop.client(admin).call('listUsers', {});
    expect(people.map(({ email }) => email)).toEqual([tom.email, admin.email]);
    for (const person of people) {
      expect(person.signsInWith).toEqual(['password']);
      expect(Date.now() - Date.parse(person.createdAt)).toBeLessThan(60_000);
    }
    expect(people.map(({ role }) => role)).toEqual([undefined, 'admin']);
    const text = JSON.stringify(people);
    for (const secret of [tom.token, tom.password, 'password"', 'hash'])
      expect(text.replaceAll('["password"]', '')).not.toContain(secret);
  });
});
