import { describe, expect, test } from 'vitest';
import { engines } from '../../../tests/support/database.ts';
import { startShop, type TestShop } from '../../../tests/support/shop.ts';

/** Lists the names of all products, page by page. */
async function listNames(
  shop: TestShop,
  query: { sort: 'name' | '-name'; category?: string; archived?: 'true' },
) {
  const client = shop.client(await shop.admin());
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.list('listProducts', {
      query: { ...query, limit: 2, ...(after ? { after } : {}) },
    });
    names.push(...page.rows.map(({ name }) => name));
    if (page.after === undefined) return names;
    after = page.after;
  }
}

const inOrder = [
  '“Aardvark” rack',
  'ÆTHER',
  'Äpfel, wood',
  'apple',
  'Arbor 2.25 mm, long',
  'Arbor 2.5 mm',
  'Arbor 9 mm',
  'Arbor 10 mm',
  'Arbor 0012 mm',
  'Ärmel',
  'Straße',
  'strata',
  'Zange',
  'Щётка',
  'щипцы',
];

describe.each(engines)('on %s', (engine) => {
  test('A to Z is dictionary order, page by page, also after a change of a name', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    for (const name of inOrder.toReversed()) await shop.addProduct({ name, category: 'All' });
    expect(await listNames(shop, { sort: 'name' })).toEqual(inOrder);
    expect(await listNames(shop, { sort: '-name' })).toEqual(inOrder.toReversed());
    expect(await listNames(shop, { sort: 'name', category: 'all' })).toEqual(inOrder);
    const [first] = await admin.call('listProducts', { query: { sort: 'name', limit: 1 } });
    const params = { id: first?._id ?? '' };
    await admin.call('editProduct', { params, body: { version: 1, name: 'Żuk' } });
    expect((await listNames(shop, { sort: 'name' })).slice(-4)).toEqual(['Zange', 'Żuk', 'Щётка', 'щипцы']);
    await admin.call('editProduct', { params, body: { version: 2, archived: true } });
    expect(await listNames(shop, { sort: 'name', archived: 'true' })).toEqual(['Żuk']);
  });

  test('categories that look the same are one category', async () => {
    await using shop = await startShop({ engine });
    const admin = shop.client(await shop.admin());
    const spellings = [
      'Öle und Fette',
      'O\u0308LE UND FETTE',
      'öle  und\u00a0fette',
      ' Öle und\u3000Fette',
      '\u200bÖle und Fe\u00adtte',
    ];
    for (const [index, category] of spellings.entries())
      await shop.addProduct({ name: `Oil ${index}`, category });
    await shop.addProduct({ name: 'Can', category: 'Ole und Fette' });
    await shop.addProduct({ name: 'Gauge', category: '10 mm' });
    const { _id: newest } = await shop.addProduct({ name: 'Gauge 2', category: '9 mm' });
    const { categories } = await admin.call('listCategories', {});
    expect(categories).toEqual(['9 mm', '10 mm', 'Ole und Fette', 'Öle und Fette']);
    for (const category of spellings) {
      const query = { category };
      expect([category, (await admin.call('listProducts', { query })).length]).toEqual([category, 5]);
      for (const searched of [query, { ...query, q: 'oil' }]) {
        const filters = await admin.call('getProductFilters', { query: searched });
        expect([searched, filters.matches]).toEqual([searched, 5]);
        expect(filters.categories).toContainEqual({ category: 'Öle und Fette', count: 5 });
      }
    }
    // The newest product decides how the category is written.
    const edit = { version: 1, category: 'OLE und FETTE' };
    await admin.call('editProduct', { params: { id: newest }, body: edit });
    expect((await admin.call('listCategories', {})).categories).toEqual([
      '10 mm',
      'OLE und FETTE',
      'Öle und Fette',
    ]);
    const { related } = await admin.call('listRelatedProducts', { params: { id: newest } });
    expect(related.map(({ name }) => name)).toEqual(['Can']);
  });
});
