import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../tests/support/database.ts';
import { addPasskey } from '../../../tests/support/passkeys.ts';
import { runCommand } from '../../../tests/support/server.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { turnOnTwoFactor } from '../../../tests/support/two-factor.ts';

let DATA_DIR: string;
beforeEach(() => {
  DATA_DIR = makeFolder();
});
afterEach(() => rmSync(DATA_DIR, { recursive: true, force: true }));

const makeAdmin = (...args: string[]) =>
  runCommand(['server/operations/commands/make-admin.ts', ...args], { DATA_DIR }).ended;
const openShop = () => startShop({ place: { file: join(DATA_DIR, 'shop.db') } });

const findPassword = (out: string) => /shown only once: (\S+)/.exec(out)?.[1] ?? expect.unreachable(out);

test('make-admin creates an account and shows its password; running it again replaces the password', async () => {
  const first = await makeAdmin('Ada@Example.com');
  expect(first).toMatchObject({ code: 0, err: '', out: expect.stringContaining('is a new account') });
  const second = await makeAdmin('ada@example.com');
  expect(second).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('The account was created on'),
  });
  await using shop = await openShop();
  await expect(shop.signIn('ada@example.com', findPassword(first.out))).rejects.toThrow('401');
  const ada = await shop.signIn('ada@example.com', findPassword(second.out));
  const params = { email: ada.email };
  expect(await shop.client(ada).call('isAdmin', { params })).toEqual({ admin: true });
  const entries = await shop.client(ada).call('listAudit', {});
  const actor = 'the command line';
  const target = { target: 'ada@example.com', name: 'ada' };
  expect(entries).toMatchObject([
    { actor, action: 'resetPassword', ...target },
    { actor, action: 'makeAdmin', ...target },
  ]);
});

test('make-admin and reset-2fa remove passkeys, even without two-factor sign-in', async () => {
  await using shop = await openShop();
  const { db } = shop.database;
  const listPasskeys = () => db.selectFrom('passkey').select('id').execute();
  const tom = await shop.signUp();
  expect((await addPasskey(shop, tom)).status).toBe(200);
  const reset = () => runCommand(['server/operations/commands/reset-2fa.ts', tom.email], { DATA_DIR }).ended;
  expect((await reset()).out).toContain('passkeys were removed');
  expect(await listPasskeys()).toEqual([]);
  await expect(shop.client(tom).call('listAudit', {})).rejects.toThrow('Sign in');
  expect((await reset()).out).toContain('Nothing was changed');

  const again = { ...tom, ...(await shop.signIn(tom.email, tom.password)) };
  expect((await addPasskey(shop, again)).status).toBe(200);
  expect((await makeAdmin(tom.email)).code).toBe(0);
  expect(await listPasskeys()).toEqual([]);
});

test('make-admin --keep leaves the password and sessions; a mistyped option changes nothing', async () => {
  await using shop = await openShop();
  const tom = await shop.signUp();
  const params = { email: tom.email };
  for (const args of [['--kep'], ['--kep', tom.email], [tom.email, '--kep'], [tom.email, 'x'], []]) {
    const { code, out, err } = await makeAdmin(...args);
    expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
    expect(err).toMatch(/^Name one email address: .*optionally followed by --keep\.\n$/);
  }
  expect(await shop.client(tom).call('isAdmin', { params })).toEqual({ admin: false });
  await addPasskey(shop, tom);
  expect(await makeAdmin('--keep', tom.email)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining(
      'signs in with a password and passkeys. Its password and sessions were kept.',
    ),
  });
  expect(await shop.client(tom).call('isAdmin', { params })).toEqual({ admin: true });
  expect(await shop.client(tom).call('listAudit', {})).toMatchObject([
    { action: 'makeAdmin', target: tom.email },
  ]);
});

test('a command that creates a new shop says so, even if it fails', async () => {
  const args = ['server/operations/commands/reset-2fa.ts', 'nobody@example.com'];
  expect((await runCommand(args, { DATA_DIR }).ended).err).toBe(
    `There is no account with nobody@example.com.\nThis command has created a new shop in ${join(DATA_DIR, 'shop.db')}.\n`,
  );
});

test('reset-2fa turns two-factor sign-in off, ends the sessions and is audited', async () => {
  await using shop = await openShop();
  const ada = await turnOnTwoFactor(shop, await shop.admin(), 0);
  const reset = (...args: string[]) =>
    runCommand(['server/operations/commands/reset-2fa.ts', ...args], { DATA_DIR }).ended;
  expect(await reset('nobody@example.com')).toMatchObject({
    code: 1,
    out: '',
    err: 'There is no account with nobody@example.com.\n',
  });
  expect(await reset(ada.email)).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringContaining('is off'),
  });
  await expect(shop.client(ada).call('listAudit', {})).rejects.toThrow();
  // The password alone is enough again.
  const again = await shop.signIn(ada.email, ada.password);
  expect(await shop.client(again).call('listAudit', {})).toMatchObject([
    { actor: 'the command line', action: 'resetTwoFactor', target: ada.email, name: ada.name },
  ]);
  expect(await shop.database.db.selectFrom('twoFactor').select('id').execute()).toEqual([]);
  const messages = shop.database.db
    .selectFrom('mail')
    .select('recipient')
    .where('kind', '=', 'two-factor off');
  expect(await messages.execute()).toEqual([{ recipient: ada.email }]);
  expect(await reset(ada.email)).toMatchObject({
    code: 0,
    out: expect.stringContaining('neither two-factor sign-in nor passkeys'),
  });
});
