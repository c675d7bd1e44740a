import { hashPassword as hashWithScrypt } from 'better-auth/crypto';
import { expect, test } from 'vitest';
import { describeAccount, setPassword } from '../../server/identity/accounts.ts';
import { askIdentity, byCookie, readRefusal } from '../support/ask.ts';
import { startShop } from '../support/shop.ts';

const common = ['123456', 'Password1', 'qwertyuiop', 'liverpool', 'ZXCVBNM', 'michelle1'];
const ours = ['clockwork', 'Clockwork2026!', 'hand-tools', 'handtools1'];

test('a password that is guessed first is not taken: of breaches, of the shop, of the person', async () => {
  await using shop = await startShop();
  const person = { name: 'Barnaby Rudge', email: 'barnaby.rudge@example.com' };
  const own = ['barnaby.rudge', 'Barnaby Rudge', 'BARNABY.RUDGE@example.com'];
  for (const password of [...common, ...ours, ...own]) {
    const refused = await askIdentity(shop, '/sign-up/email', { ...person, password });
    expect([password, refused.status]).toEqual([password, 400]);
    expect((await readRefusal(refused)).code).toBe('PASSWORD_TOO_COMMON');
  }
  const tom = await shop.signUp();
  for (const newPassword of [...common, ...ours]) {
    const form = { currentPassword: tom.password, newPassword };
    const refused = await askIdentity(shop, '/change-password', form, byCookie(tom));
    expect([newPassword, refused.status]).toEqual([newPassword, 400]);
  }
});

test('any other one is taken as it is: 6 signs or 128, of any kind, with spaces, and never cut', async () => {
  await using shop = await startShop();
  const long = 'verge and foliot, '.repeat(8).slice(0, 128);
  for (const [at, password] of ['tic-Tö', ' Глаголь 🕰 ', 'wwwxxxyyyzzz-1', long].entries()) {
    const email = `person-${at}@example.com`;
    expect((await askIdentity(shop, '/sign-up/email', { name: 'A', email, password })).status).toBe(200);
    expect(await shop.signIn(email, password)).toHaveProperty('token');
    for (const other of [
      password.toUpperCase(),
      password.trim(),
      password.slice(0, 127),
      `${password} `,
    ].filter((each) => each !== password))
      await expect(shop.signIn(email, other)).rejects.toThrow(/40[01]/);
  }
  const longer = { name: 'A', email: 'a@example.com', password: `${long}x` };
  expect((await askIdentity(shop, '/sign-up/email', longer)).status).toBe(400);
});

test('a session ends after 30 days, however often it is used', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  const read = () => shop.database.db.selectFrom('session').select('expiresAt').executeTakeFirstOrThrow();
  const day = 24 * 60 * 60 * 1000;
  const soon = new Date(Math.floor(Date.now() / 1000) * 1000 + day);
  await shop.database.db.updateTable('session').set({ expiresAt: soon }).execute();
  const response = await askIdentity(shop, '/get-session', undefined, byCookie(tom));
  expect(await response.json()).toMatchObject({ user: { email: tom.email } });
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(new Date((await read()).expiresAt).getTime()).toBe(soon.getTime());
});

test('what is kept of a password is an Argon2id hash with a salt of its own, however it was set', async () => {
  await using shop = await startShop();
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const hashOf = async ({ email }: { email: string }) => {
    const account = shop.database.db.selectFrom('account').innerJoin('user', 'user.id', 'account.userId');
    const row = await account.select('password').where('email', '=', email).executeTakeFirstOrThrow();
    expect(row.password).toMatch(/^\$argon2id\$v=19\$m=12288,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    return row.password;
  };
  expect(await hashOf(tom)).not.toBe(await hashOf(ann));
  const form = { currentPassword: tom.password, newPassword: 'verge-and-foliot' };
  expect((await askIdentity(shop, '/change-password', form, byCookie(tom))).status).toBe(200);
  await hashOf(tom);
  const { id } = (await describeAccount(shop.database, tom.email)) ?? expect.unreachable();
  await setPassword(shop.database, id, 'told-this-once');
  await hashOf(tom);
  expect(await shop.signIn(tom.email, 'told-this-once')).toHaveProperty('token');
  // One that was made with scrypt, as Better Auth does by itself, goes on opening its account.
  const older = await hashWithScrypt(ann.password);
  await shop.database.db.updateTable('account').set({ password: older }).execute();
  expect(await shop.signIn(ann.email, ann.password)).toHaveProperty('token');
  await expect(shop.signIn(ann.email, 'not-this-one')).rejects.toThrow(/401/);
});
