import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { placeOrder } from '../../../tests/support/payments.ts';
import { startShop } from '../../../tests/support/shop.ts';

const people = [
  ['Tom Graham', 'tom@example.com'],
  ['TOMASINA van der Graaf', 'tina@example.com'],
  ['Özlem Öztürk', 'oz@example.com'],
  ['MÜLLER', 'info@clocks.example'],
  ['50%_Off', 'a_b@example.com'],
] as const;

describe.each(engines)('on %s', (engine) => {
  test('listUsers finds users by the start of their email address or of a word of their name', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const now = new Date();
    const rows = people.map(([name, email], at) => ({
      ...{ id: `${at}`, name, email, emailVerified: false, createdAt: now, updatedAt: now },
    }));
    await shop.database.db.insertInto('user').values(rows).execute();
    const [tom, tomasina, ozlem, muller, off] = people.map(([name]) => name);
    for (const [q, expected] of [
      ['tom', [tom, tomasina]],
      [' TOM ', [tom, tomasina]],
      ['tom gra', [tom]],
      ['gra', [tom, tomasina]],
      ['van der', [tomasina]],
      ['tina@', [tomasina]],
      ['özt', [ozlem]],
      ['ÖZL', [ozlem]],
      ['mül', [muller]],
      ['Info@Clocks', [muller]],
      ['a_', [off]],
      ['%', []],
      ['_', []],
      ['ham', []],
      ['example', []],
    ] as const) {
      const found = await admin.call('listUsers', { query: { q } });
      expect([q, found.map(({ name }) => name)]).toEqual([q, expected]);
    }
    expect(await admin.call('listUsers', { query: { q: ' ' } })).toHaveLength(people.length + 1);
  });

  test('listUsers finds the customer of a purchase by its number', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const [tom, eve] = [await shop.signUp('Tom'), await shop.signUp('Eve')];
    const product = await shop.addProduct();
    const { number } = await placeOrder(shop, tom, product);
    await placeOrder(shop, eve, product);
    for (const q of [number, ` ${number.toLowerCase().replace('-', '')} `])
      expect((await admin.call('listUsers', { query: { q } })).map(({ email }) => email)).toEqual([
        tom.email,
      ]);
  });

  test.each([
    ['few', 5],
    ['too many to sort', 2100],
  ])('listUsers returns pages of the users that match, if they are %s', async (_, count) => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const now = new Date();
    const rows = Array.from({ length: count }, (_, at) => ({
      ...{
        id: String(at).padStart(5, '0'),
        name: at % 2 ? 'Mary Mudge' : 'John Mudge',
        emailVerified: false,
      },
      ...{ email: `${at}@example.com`, createdAt: now, updatedAt: now },
    }));
    await shop.database.db.insertInto('user').values(rows).execute();
    const page = (q: string, after: number) =>
      admin.list('listUsers', { query: { q, limit: 2, after: rows[after]?.id ?? '' } });
    const first = await page('mudge', 0);
    expect([first.rows.map(({ _id }) => _id), first.after]).toEqual([['00001', '00002'], '00002']);
    const second = await page('mary', 1);
    expect(second.rows.map(({ _id }) => _id)).toEqual(count > 5 ? ['00003', '00005'] : ['00003']);
    const last = await page('mudge', count - 2);
    expect([last.rows.map(({ _id }) => _id), last.after]).toEqual([[rows.at(-1)?.id], undefined]);
  });
});
