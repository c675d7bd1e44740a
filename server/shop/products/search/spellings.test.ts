import { describe, expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { insertOrders } from '../../../../tests/support/order-rows.ts';
import { startShop } from '../../../../tests/support/shop.ts';

/** Names, and searches that find them. */
const spellings: [name: string, ...searches: string[]][] = [
  ['Staking set AB-1234', 'ab1234', 'AB-1234', 'ab 1234', 'ab\u00ad1234'],
  ['Let-down keys', 'letdown', 'let-down', 'let down', 'letdow', 'letdwon'],
  ['O’Brien’s gauge', 'obriens', "o'brien", 'brien'],
  ['Lens 12½ ligne', '12.5', '12,5', '12½', '12 ½', '12.50'.slice(0, 4)],
  ['Reamer 3 ¾ mm', '3.75', '3,75mm'],
  ['Soft\u00adhyphen mandrel', 'softhyphen', 'soft\u200bhyphen'],
  ['مُحَمَّد مفتـاح', 'محمد', 'مفتاح'],
  ['می‌خواهم', 'میخواهم', 'می‌خواهم'],
  ['שָׁעוֹן קִיר', 'שעון', 'קיר'],
  ['Щётка ёлка', 'щетка', 'елка'],
  ['ԱԲԳ ҚАЗАҚ', 'աբգ', 'қазақ'],
  ['क़लम', 'कलम'],
  ['Pêché Ångström', 'peche', 'angstrom'],
];

describe.each(engines)('on %s', (engine) => {
  test('products are found without marks, invisible characters and hyphens, in every script', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client();
    for (const [name] of spellings) {
      // Stored directly, because the fields remove these characters.
      const { _id: id } = await shop.addProduct({ name: 'Tool' });
      await shop.database.db.updateTable('product').set({ name }).where('id', '=', id).execute();
    }
    for (const [name, ...searches] of spellings)
      for (const q of searches) {
        const found = await client.call('listProducts', { query: { q } });
        expect([q, found.map((product) => product.name)]).toEqual([q, [name]]);
      }
    // Ranges of numbers are not compounds, and vowels that are always written are compared.
    await shop.addProduct({ name: 'Bits 4-6, कि' });
    for (const q of ['46', 'का']) expect(await client.call('listProducts', { query: { q } })).toEqual([]);
  });

  test('orders are found by the same spellings of their products', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client(await shop.admin());
    const ids = new Map<string, string>();
    for (const [name] of spellings) {
      const { _id: product_id } = await shop.addProduct({ name });
      const number = `ZZZZ-${String(ids.size).padStart(4, 'Z')}`;
      const [id = ''] = await insertOrders(shop, [
        { product_id, product_name: name, number, created_at: ids.size },
      ]);
      ids.set(name, id);
    }
    for (const [name, ...searches] of spellings)
      for (const q of searches.filter((text) => text !== 'letdwon')) {
        const found = await client.call('listAllOrders', { query: { q } });
        expect([q, found.map(({ _id }) => _id)]).toEqual([q, [ids.get(name)]]);
      }
  });
});
