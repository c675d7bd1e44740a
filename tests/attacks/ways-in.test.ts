import { expect, test } from 'vitest';
import { describeAccount, setPassword } from '../../server/identity/accounts.ts';
import { askIdentity, byCookie, byToken } from '../support/ask.ts';
import { engines } from '../support/database.ts';
import { startShop } from '../support/shop.ts';

// The password that make-admin and reset-password set: somebody else may have made the account and prepared it.
test.each(engines)('a password that the shopkeeper sets is the only way in, on %s', async (engine) => {
  await using shop = await startShop({ engine });
  const person = await shop.signUp();
  const { id } = (await describeAccount(shop.database, person.email)) ?? expect.unreachable();
  const now = new Date();
  await shop.database.db
    .insertInto('account')
    .values({
      id: 'linked',
      accountId: '1',
      providerId: 'google',
      userId: id,
      createdAt: now,
      updatedAt: now,
    })
    .execute();
  await setPassword(shop.database, id, 'told-this-once');
  const after = await describeAccount(shop.database, person.email);
  expect(after?.description).toContain('signs in with a password.');
  await expect(shop.signIn(person.email, person.password)).rejects.toThrow('401');
  expect(await shop.signIn(person.email, 'told-this-once')).toHaveProperty('token');
});

test('whoever has got hold of a session cannot guess its password without end', async () => {
  await using shop = await startShop({ limits: { signInsForAddressAndEmail: 3 } });
  const person = await shop.signUp();
  const change = async (currentPassword: string, headers: Record<string, string>) => {
    const form = { currentPassword, newPassword: 'verge-and-foliot' };
    return (await askIdentity(shop, '/change-password', form, headers)).status;
  };
  expect(await change('wrong-1', byCookie(person))).toBe(400);
  expect(await change('wrong-2', byToken(person))).toBe(400);
  expect(await change('wrong-3', byCookie(person))).toBe(400);
  expect(await change('wrong-4', byToken(person))).toBe(429);
  // It is the same guessing as at the door.
  await expect(shop.signIn(person.email, person.password)).rejects.toThrow('429');
  const other = await shop.signUp();
  expect(await change(other.password, byCookie(other))).toBe(200);
});
