import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { engines, makeFolder, makeTestDatabase } from '../../../tests/support/database.ts';
import { readToken, waitForLetter } from '../../../tests/support/letters.ts';
import { placeOrder } from '../../../tests/support/payments.ts';
import { cookieHeaders, sendAuthRequest, type TestUser } from '../../../tests/support/requests.ts';
import { runCommand } from '../../../tests/support/server.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';
import { turnOnTwoFactor } from '../../../tests/support/two-factor.ts';
import { waitUntil } from '../../../tests/support/wait.ts';
import type { Engine } from '../../database/schema.ts';

const newEmail = 'tom@new.example';

/** A shop, its commands and a user. */
async function openShop(engine: Engine) {
  const place = await makeTestDatabase(engine, 'migrated');
  const shop = await startShop({ place });
  onTestFinished(() => shop[Symbol.asyncDispose]());
  await shop.listen();
  const DATA_DIR = 'file' in place ? dirname(place.file) : makeFolder();
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const run = (command: string, ...args: string[]) =>
    runCommand([`server/operations/commands/${command}.ts`, ...args], {
      DATA_DIR,
      ...('url' in place ? { DATABASE_URL: place.url } : {}),
    }).ended;
  return { shop, run, tom: await shop.signUp() };
}

/** Opens a shop and changes its user's address. `token` undoes the change. */
async function changeAddress(engine: Engine) {
  const { shop, run, tom } = await openShop(engine);
  await shop.database.db.updateTable('user').set({ emailVerified: true }).execute();
  await placeOrder(shop, tom, await shop.addProduct());
  const form = { newEmail, password: tom.password };
  await sendAuthRequest(shop, '/request-email-change', form, cookieHeaders(tom));
  const confirmation = { token: await readToken(shop, newEmail, '/change-address') };
  const { status } = await sendAuthRequest(shop, '/confirm-email-change', confirmation, cookieHeaders(tom));
  expect(status).toBe(200);
  return {
    shop,
    run,
    tom,
    moved: { ...tom, email: newEmail },
    token: await readToken(shop, tom.email, '/reset-password'),
  };
}

const undo = async (shop: TestShop, token: string) => {
  const form = { token, newPassword: 'verge-and-foliot' };
  return (await sendAuthRequest(shop, '/reset-password', form)).status;
};
const findPassword = (out: string) => /shown only once: (\S+)/.exec(out)?.[1] ?? expect.unreachable(out);
const listOrders = (shop: TestShop, person: TestUser) =>
  shop.client(person).call('listOwnOrders', { query: { user: person.email } });

describe.each(engines)('on %s', (engine) => {
  test('commands change nothing while a change of address can be undone', async () => {
    const { shop, run, tom, token } = await changeAddress(engine);
    const commands = [
      ['reset-password', newEmail],
      ['reset-2fa', newEmail],
      ['make-admin', newEmail],
      ['make-admin', newEmail, '--keep'],
      ['reset-2fa', tom.email],
      ['make-admin', tom.email],
    ] as const;
    for (const [command, ...args] of commands) {
      const { code, out, err } = await run(command, ...args);
      expect([command, code, out]).toEqual([command, 1, '']);
      expect(err).toContain(
        args[0] === newEmail ? `${newEmail} --no-undo.` : `reset-password -- ${tom.email}`,
      );
    }
    expect(await undo(shop, token)).toBe(200);
  });

  test('reset-password --no-undo for the new address makes the change final', async () => {
    const { shop, run, moved, tom, token } = await changeAddress(engine);
    const { code, err, out } = await run('reset-password', newEmail, '--no-undo');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`It can no longer be given back to ${tom.email}.`);
    expect(await undo(shop, token)).toBe(400);
    const again = await shop.signIn(newEmail, findPassword(out));
    expect(await listOrders(shop, { ...moved, ...again })).toHaveLength(1);
    expect(await run('reset-2fa', newEmail)).toMatchObject({ code: 0, err: '' });
  });

  test('reset-password for the former address restores it and ends the access of the new one', async () => {
    const { shop, run, moved, tom, token } = await changeAddress(engine);
    await sendAuthRequest(shop, '/request-password-reset', { email: newEmail });
    const reset = await readToken(shop, newEmail, '/reset-password');
    const { code, err, out } = await run('reset-password', tom.email);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`The account of ${newEmail} has the address ${tom.email} again.`);
    expect([await undo(shop, token), await undo(shop, reset)]).toEqual([400, 400]);
    await expect(listOrders(shop, moved)).rejects.toThrow();
    await expect(shop.signIn(newEmail, tom.password)).rejects.toThrow('401');
    const again = await shop.signIn(tom.email, findPassword(out));
    expect(await listOrders(shop, { ...tom, ...again })).toHaveLength(1);
    const notice = await waitForLetter(shop, newEmail, /^The change of your email address was undone$/);
    expect(notice.text).not.toContain('token=');
    await waitForLetter(shop, tom.email, /^Your password was changed$/);
  });
});

test.each([
  ['reset-password', []],
  ['reset-password', ['--no-undo']],
  ['make-admin', []],
  ['make-admin', ['--keep']],
  ['reset-2fa', []],
])('%s %j changes nothing if the account’s address changes meanwhile', async (command, options) => {
  const { shop, run, tom } = await openShop('postgres');
  await turnOnTwoFactor(shop, tom, 0);
  const { db } = shop.database;
  const readAccount = () =>
    db
      .selectFrom('user')
      .innerJoin('account', 'account.userId', 'user.id')
      .innerJoin('session', 'session.userId', 'user.id')
      .select(['user.role', 'user.twoFactorEnabled', 'account.password', 'session.id'])
      .orderBy('session.id')
      .execute();
  const before = await readAccount();
  const isWaiting = sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
  const [ended] = await shop.database.transaction(async (tx) => {
    await tx.selectFrom('user').select('id').where('email', '=', tom.email).forUpdate().execute();
    const running = run(command, tom.email, ...options);
    // The command has read the account.
    await waitUntil(async () => expect((await isWaiting.execute(db)).rows).toHaveLength(1));
    await tx.updateTable('user').set({ email: newEmail }).execute();
    return [running];
  });
  expect(await ended).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`There is no account with ${tom.email}.`),
  });
  expect(await readAccount()).toEqual(before);
});
