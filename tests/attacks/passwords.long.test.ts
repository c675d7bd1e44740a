import { argon2Sync, randomBytes } from 'node:crypto';
import { hashPassword as hashWithScrypt } from 'better-auth/crypto';
import { expect, test } from 'vitest';
import { describeAccount, setPassword } from '../../server/identity/accounts.ts';
import { engines } from '../support/database.ts';
import { cookieHeaders, readAuthError, sendAuthRequest, sendRequest } from '../support/requests.ts';
import { startShop } from '../support/shop.ts';

const common = ['123456', 'Password1', 'qwertyuiop', 'liverpool', 'ZXCVBNM', 'michelle1'];
const shopPasswords = ['clockwork', 'Clockwork2026!', 'hand-tools', 'handtools1'];

test('passwords that are breached or contain the name of the shop or the person are rejected', async () => {
  await using shop = await startShop();
  const person = { name: 'Barnaby Rudge', email: 'barnaby.rudge@example.com' };
  const own = ['barnaby.rudge', 'Barnaby Rudge', 'BARNABY.RUDGE@example.com'];
  for (const password of [...common, ...shopPasswords, ...own]) {
    const response = await sendAuthRequest(shop, '/sign-up/email', { ...person, password });
    expect([password, response.status]).toEqual([password, 400]);
    expect((await readAuthError(response)).code).toBe('PASSWORD_TOO_COMMON');
  }
  const tom = await shop.signUp();
  for (const newPassword of [...common, ...shopPasswords]) {
    const form = { currentPassword: tom.password, newPassword };
    const response = await sendAuthRequest(shop, '/change-password', form, cookieHeaders(tom));
    expect([newPassword, response.status]).toEqual([newPassword, 400]);
  }
});

test('any other password of 6 to 128 characters is accepted unchanged, including spaces', async () => {
  await using shop = await startShop();
  const long = 'verge and foliot, '.repeat(8).slice(0, 128);
  for (const [index, password] of ['tic-Tö', ' Глаголь 🕰 ', 'wwwxxxyyyzzz-1', long].entries()) {
    const email = `person-${index}@example.com`;
    expect((await sendAuthRequest(shop, '/sign-up/email', { name: 'A', email, password })).status).toBe(200);
    expect(await shop.signIn(email, password)).toHaveProperty('token');
    for (const other of [
      password.toUpperCase(),
      password.trim(),
      password.slice(0, 127),
      `${password} `,
    ].filter((variant) => variant !== password))
      await expect(shop.signIn(email, other)).rejects.toThrow(/40[01]/);
  }
  const longer = { name: 'A', email: 'a@example.com', password: `${long}x` };
  expect((await sendAuthRequest(shop, '/sign-up/email', longer)).status).toBe(400);
});

test.each(engines)(
  'a password works in every Unicode normalization form, also with an older hash, on %s',
  async (engine) => {
    await using shop = await startShop({ engine });
    const [composed, decomposed, wide] = ['tic-Tö-ﬁn', 'tic-To\u0308-ﬁn', 'ｔｉｃ-Tö-fin'];
    const email = 'person@example.com';
    const signsIn = async (password: string) =>
      (await sendAuthRequest(shop, '/sign-in/email', { email, password })).status === 200;
    const signUp = { name: 'A', email, password: decomposed };
    expect((await sendAuthRequest(shop, '/sign-up/email', signUp)).status).toBe(200);
    for (const password of [composed, decomposed, wide])
      expect([password, await signsIn(password)]).toEqual([password, true]);
    expect(await signsIn('tic-To-fin')).toBe(false);

    // An older hash is that of the password as it was typed, without normalization.
    const salt = randomBytes(16);
    const options = { memory: 64, passes: 1, parallelism: 1, nonce: salt, tagLength: 32 };
    for (const [typed, working] of [
      [decomposed, [decomposed]],
      [composed.normalize('NFKC'), [composed, decomposed, wide]],
    ] as const) {
      const tag = argon2Sync('argon2id', { ...options, message: typed });
      const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
      const password = `$argon2id$v=19$m=64,t=1,p=1$${saltText}$${tagText}`;
      await shop.database.db.updateTable('account').set({ password }).execute();
      for (const candidate of working)
        expect([candidate, await signsIn(candidate)]).toEqual([candidate, true]);
      expect(await signsIn('tic-To-fin')).toBe(false);
    }

    // Another encoding does not bypass the checks of a new password, either.
    for (const [password, code] of [
      ['ｐａｓｓｗｏｒｄ１', 'PASSWORD_TOO_COMMON'],
      ['o\u0308'.repeat(5), 'PASSWORD_TOO_SHORT'],
    ]) {
      const rejected = await sendAuthRequest(shop, '/sign-up/email', {
        name: 'A',
        email: 'b@example.com',
        password,
      });
      expect((await readAuthError(rejected)).code).toBe(code);
    }
  },
);

test('a password is stored as an Argon2id hash with its own salt, however it is set', async () => {
  await using shop = await startShop({ fullPasswordCost: true });
  const [tom, ann] = [await shop.signUp(), await shop.signUp('Ann')];
  const hashOf = async ({ email }: { email: string }) => {
    const account = shop.database.db.selectFrom('account').innerJoin('user', 'user.id', 'account.userId');
    const row = await account.select('password').where('email', '=', email).executeTakeFirstOrThrow();
    expect(row.password).toMatch(/^\$argon2id-nfkc\$v=19\$m=12288,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    return row.password;
  };
  expect(await hashOf(tom)).not.toBe(await hashOf(ann));
  const form = { currentPassword: tom.password, newPassword: 'verge-and-foliot' };
  expect((await sendAuthRequest(shop, '/change-password', form, cookieHeaders(tom))).status).toBe(200);
  await hashOf(tom);
  const { id } = (await describeAccount(shop.database, tom.email)) ?? expect.unreachable();
  await setPassword(shop.database, id, 'issued-password');
  await hashOf(tom);
  expect(await shop.signIn(tom.email, 'issued-password')).toHaveProperty('token');
  // A scrypt hash, Better Auth's default, still works.
  const scryptHash = await hashWithScrypt(ann.password);
  await shop.database.db.updateTable('account').set({ password: scryptHash }).execute();
  expect(await shop.signIn(ann.email, ann.password)).toHaveProperty('token');
  await expect(shop.signIn(ann.email, 'not-this-one')).rejects.toThrow(/401/);
});

test('password fields hide their value, allow pasting and are labelled for password managers', async () => {
  await using shop = await startShop();
  const tom = await shop.signUp();
  for (const [path, kinds] of [
    ['/login', ['current-password']],
    ['/signup', ['new-password']],
    ['/dashboard', ['current-password', 'new-password']],
  ] as const) {
    const page = await (
      await sendRequest(shop, 'GET', path, { headers: path === '/dashboard' ? cookieHeaders(tom) : {} })
    ).text();
    const fields = page.match(/<input[^>]*type="password"[^>]*>/g) ?? [];
    for (const kind of kinds)
      expect([
        path,
        fields.some(
          (field) => field.includes(`autoComplete="${kind}"`) || field.includes(`autocomplete="${kind}"`),
        ),
      ]).toEqual([path, true]);
    expect(fields.filter((field) => /onpaste|autocomplete="off"/i.test(field))).toEqual([]);
  }
});
