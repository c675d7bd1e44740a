import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { placeOrder } from '../../../tests/support/payments.ts';
import { startShop } from '../../../tests/support/shop.ts';
import { findUserId } from './find-users.ts';

const people = [
  ['Tom Graham', 'tom@example.com'],
  ['TOMASINA van der Graaf', 'tina@example.com'],
  ['Özlem Öztürk', 'oz@example.com'],
  ['MÜLLER', 'info@clocks.example'],
  ['50%_Off', 'a_b@example.com'],
  ['Zofia Wiśniewska', 'z@example.com'],
  ["Liam O'Brien", 'l@example.com'],
  ['Ana-María de la Núñez', 'n@example.com'],
  ['Rui da Silva da Costa', 'r@example.com'],
  ['M\u0327ajel\u0327', 'm@example.com'],
  [`Hubert ${'wolfe'.repeat(9)}`, 'h@example.com'],
] as const;

describe.concurrent.each(engines)('on %s', (engine) => {
  test('listUsers finds users by the start of their email address, or by words of their name in any order', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const now = new Date();
    const rows = people.map(([name, email], index) => ({
      id: `${index}`,
      name,
      email,
      emailVerified: false,
      createdAt: now,
      updatedAt: now,
    }));
    await shop.database.db.insertInto('user').values(rows).execute();
    const [tom, tomasina, ozlem, muller, off, zofia, liam, ana, rui, marshall, hubert] = people.map(
      ([name]) => name,
    );
    for (const [q, expected] of [
      ['tom', [tom, tomasina]],
      [' TOM ', [tom, tomasina]],
      ['tom gra', [tom, tomasina]],
      ['graham tom', [tom]],
      ['gra', [tom, tomasina]],
      ['van der', [tomasina]],
      ['tina@', [tomasina]],
      ['özt', [ozlem]],
      ['ÖZL', [ozlem]],
      ['mül', [muller]],
      ['Info@Clocks', [muller]],
      ['a_b', [off]],
      ['wisn', [zofia]],
      ['ZOFIA WIŚ', [zofia]],
      ['oz', [ozlem]],
      ['muller', [muller]],
      ['Mu\u0308', [muller]],
      ['brien', [liam]],
      ["o'br", [liam]],
      ['O’Brien', [liam]],
      ["o'", [ozlem, off, liam]],
      ['obrien', [liam]],
      ['Wiśniewska Zofia', [zofia]],
      ['nunez ana-maria', [ana]],
      ['maria', [ana]],
      ['ana-m', [ana]],
      ['la nun', [ana]],
      ['der graaf', [tomasina]],
      ['da silva da', [rui]],
      ['da cost', [rui]],
      ['m\u0327', [muller, ana, marshall]],
      ['m\u0327a', [ana, marshall]],
      ['wolfewolfe', [hubert]],
      ['wolfe'.repeat(8), [hubert]],
      ['tom@gra', []],
      ['niew', []],
      ['wis nie', []],
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

  test('listUsers finds users by their current names and addresses, and no deleted users', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const admin = shop.client(await shop.admin());
    const { email } = await shop.signUp('Zoë Quare');
    const id = await findUserId(db, email);
    const find = async (q: string) =>
      (await admin.call('listUsers', { query: { q } })).map((user) => user.email);
    expect(await find('zoe')).toEqual([email]);
    await db.updateTable('user').set({ name: 'Chloé Quare' }).where('email', '=', email).execute();
    expect([await find('zoe'), await find('chloe')]).toEqual([[], [email]]);
    const changed = 'changed@example.com';
    await db.updateTable('user').set({ email: changed }).where('email', '=', email).execute();
    expect([await find('chloe'), await find('changed')]).toEqual([[changed], [changed]]);
    await db.deleteFrom('user').where('email', '=', changed).execute();
    expect([await find('chloe'), await find('changed')]).toEqual([[], []]);
    const names = db
      .selectFrom('user_word')
      .select('word')
      .where('user_id', '=', id ?? '');
    expect(await names.execute()).toEqual([]);
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
  ])('listUsers returns the matching users in pages, if they are %s', async (_, count) => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const now = new Date();
    const rows = Array.from({ length: count }, (_, index) => ({
      id: String(index).padStart(5, '0'),
      name: index % 2 ? 'Mary O’Mudgé' : 'John O’Mudgé',
      emailVerified: false,
      email: `${index}@example.com`,
      createdAt: now,
      updatedAt: now,
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
