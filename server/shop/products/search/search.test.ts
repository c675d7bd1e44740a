import fc from 'fast-check';
import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { engines } from '../../../../tests/support/database.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { recordStatements } from '../../../../tests/support/statements.ts';
import { toCategoryKey, toIndexText, toNameKey, toPhoneKey } from '../../../database/search-text.ts';
import { isOneTypo } from './corrections.ts';
import { toStem } from './stems.ts';

type Client = ReturnType<TestShop['client']>;

const search = async (client: Client, q: string) =>
  (await client.call('listProducts', { query: { q } })).map(({ name }) => name);
const searchClosely = async (client: Client, q: string, category?: string) => {
  const query = { q, partial: 'true' as const, ...(category ? { category } : {}) };
  const rows = await client.call('listProducts', { query });
  const { partial = false, matches, words } = await client.call('getProductFilters', { query });
  expect([q, rows.length]).toEqual([q, matches]);
  return { names: rows.map(({ name }) => name), partial, words };
};
const suggest = async (client: Client, q: string) => {
  const { matches, words } = await client.call('getProductFilters', { query: { q } });
  return { matches, words };
};

/** A character of an alphabet whose case mapping is stable: the engines adopt new Unicode versions at different times. */
const character = fc
  .oneof(
    ...(
      [
        [0x20, 0x24f],
        [0x300, 0x58f],
        [0x591, 0xaff],
        [0xe00, 0xe7f],
        [0x1100, 0x11ff],
        [0xac00, 0xac7f],
        [0xfe00, 0xfeff],
        [0xff00, 0xffdc],
        [0xe0020, 0xe0130],
        [0x2000, 0x2bff],
        [0x3000, 0x30ff],
        [0x4e00, 0x4fff],
        [0x1f300, 0x1f5ff],
      ] as const
    ).map(([min, max]) => fc.integer({ min, max })),
  )
  .map((code) => String.fromCodePoint(code));

/** Searches of the demo catalogue, and the products that they list first on both engines. */
const firstResults: [q: string, names: string[]][] = [
  ['winder', ['Mainspring winder']],
  ['mainsprng windr', ['Mainspring winder']],
  ['MAINSPRING', ['Mainspring winder', 'Mainspring clamps, set of three']],
  ['pring cla', ['Mainspring clamps, set of three']],
  ['tweezrs', ['Tweezers, strong points']],
  ['loupe 4x', ['Eyeglass loupe, 4×']],
  ['set of five', ['Screwdrivers, hollow-ground, set of five']],
  ['calipers', ['Truing callipers, figure of eight']],
  ['colet puler', ['Hand and collet puller']],
  ['pin vise', ['Pin vises, set of four']],
  ['3.5 mm square sockets', ['Five-armed star key']],
  ['take a hand off an arbor', ['Hand and collet puller']],
  ['remove clock hands', ['Hand and collet puller']],
  ['let down a mainspring', ['Let-down keys, set of seven']],
  ['how to oil a movement', ['Oilers on a stand, set of four']],
];

/** Descriptions in a customer's own words, and the tool that each should find first. */
const vagueDescriptions: [q: string, name: string][] = [
  ['thing to hold the clock movement while I work on it', 'Adjustable movement stand'],
  ['tiny oil can', 'Oilers on a stand, set of four'],
  ['remove clock hands without scratching the dial', 'Hand and collet puller'],
  ['magnifying glass for your eye', 'Eyeglass loupe, 4×'],
  ['stick for cleaning out small holes', 'Pegwood stick'],
  ['hammer that will not damage brass', 'Riveting hammer, brass head'],
  ['something to check if a balance wheel wobbles', 'Truing callipers, figure of eight'],
  ['holder for tiny drill bits', 'Pin vises, set of four'],
  ['wind up a clock that lost its key', 'Five-armed star key'],
  ['release the tension of the spring safely', 'Let-down keys, set of seven'],
  ['fix a worn out hole in the plate', 'Bushing set with reamers'],
  ['pick up small parts', 'Tweezers, strong points'],
  ['find the distance between two wheels', 'Depthing tool'],
  ['put the spring back into the barrel', 'Mainspring winder'],
  ['oil holder', 'Oilers on a stand, set of four'],
  ['thing to hold movement', 'Adjustable movement stand'],
  ['pin vice', 'Pin vises, set of four'],
];

describe.each(engines)('on %s', (engine) => {
  test('a search of the demo catalogue lists the same products first on both engines', async () => {
    await using shop = await startShop({ engine, demo: true });
    const client = shop.client();
    for (const [q, names] of firstResults)
      expect([q, (await search(client, q)).slice(0, names.length)]).toEqual([q, names]);
    expect(await suggest(client, 'mainsprng windr')).toEqual({ matches: 2, words: ['mainspring', 'winder'] });
    expect(await suggest(client, 'tweezers winder')).toEqual({ matches: 0, words: ['tweezers', 'winder'] });
    expect(await suggest(client, 'mainframe')).toMatchObject({
      matches: 0,
      words: ['mainspring', expect.anything(), expect.anything()],
    });
    expect(await search(client, 'mainframe')).toEqual([]);
  });

  test('a vague description finds the right tool of the demo catalogue first', async () => {
    await using shop = await startShop({ engine, demo: true });
    const client = shop.client();
    for (const [q, name] of vagueDescriptions)
      expect([q, (await searchClosely(client, q)).names[0]]).toEqual([q, name]);
  });

  test('if no product has all words, `partial` finds those with the most and the rarest words', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client();
    const add = (name: string, description: string, category: string) =>
      shop.addProduct({ name, description, category });
    await add('Oiler', 'Holds a drop. Made of brass.', 'Oiling');
    await add('Rack', 'For holding a file. Brass.', 'Racks');
    await add('Clip', 'Brass.', 'Racks');
    for (const [q, names, partial] of [
      ['oiler files', ['Oiler', 'Rack'], true],
      ['the thing for my files and oilers', ['Oiler', 'Rack'], true],
      ['drop holder', ['Oiler', 'Rack'], true],
      ['made of brass holder', ['Rack', 'Oiler', 'Clip'], true],
      ['unknownword oiler', ['Oiler'], true],
      ['oilre unknownword', ['Oiler'], true],
      ['oiler holds', ['Oiler'], false],
      ['oilre holds', ['Oiler'], false],
      ['unknownword', [], false],
      ['the thing for my', [], false],
      ['x 1', [], false],
      ['%', [], false],
    ] as const) {
      const found = await searchClosely(client, q);
      expect([q, found.names, found.partial]).toEqual([q, names, partial]);
      if (partial) expect([q, await search(client, q)]).toEqual([q, []]);
    }
    expect((await searchClosely(client, 'the oiler holder')).words.toSorted()).toEqual(['hold', 'oiler']);
    // The counts by category match the lists.
    expect((await searchClosely(client, 'oiler files', 'Racks')).names).toEqual(['Rack']);
    expect((await searchClosely(client, 'oiler holds', 'Racks')).names).toEqual([]);
  });

  test('the counts of a search in a category match its list, which may correct more words', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client();
    for (const name of ['Clamps, brass', 'Clamps, steel', 'Clamps, wood'])
      await shop.addProduct({ name, category: 'Holding' });
    await shop.addProduct({ name: 'Clamp', category: 'Setting' });
    const close = await searchClosely(client, 'clamps', 'Setting');
    expect([close.names, close.words]).toEqual([['Clamp'], ['clamp']]);
    const query = { q: 'clamps', category: 'Setting' };
    expect((await client.call('getProductFilters', { query })).categories).toEqual([
      { category: 'Holding', count: 3 },
      { category: 'Setting', count: 1 },
    ]);
  });

  test('long searches and repeated words do not add statements', async () => {
    await using shop = await startShop({ engine, demo: true });
    const client = shop.client();
    const count = async (q: string) => {
      const list = () => client.call('listProducts', { query: { q, partial: 'true' } });
      const { result, statementsOf } = await recordStatements(list);
      return { found: result.length > 0, statements: statementsOf(shop.database.db).length };
    };
    // The first request also reads the delivery rates.
    await client.call('listProducts', {});
    expect(await count('tweezers '.repeat(5))).toEqual({ found: true, statements: 4 });
    expect(await count('tweezers windr')).toEqual({ found: true, statements: 6 });
    const q = 'tweezers windr hammer pegwood loupe oilers callipers broaches vises';
    expect(await count(q)).toEqual({ found: true, statements: 6 });
  });

  test('a misspelled word is corrected before it is complete, and to words that continue it', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client();
    for (const name of ['Mainspring winder', 'Screwdrivers', 'Clamp', 'Clamps, set', 'Nuts and bolts, the'])
      await shop.addProduct({ name });
    for (const [q, names] of [
      ['mainsprn', ['Mainspring winder']],
      ['mainpsrin', ['Mainspring winder']],
      ['winder mainsp', ['Mainspring winder']],
      ['scredriver', ['Screwdrivers']],
      ['screwwdriv', ['Screwdrivers']],
      ['skrewd', ['Screwdrivers']],
      ['clmap', ['Clamp', 'Clamps, set']],
      // A misspelled prefix needs at least five letters, the first one correct.
      ['kcrewd', []],
      ['scrw', []],
      // A function word is not a correction of a single word.
      ['theo', []],
      ['nuts adn bolts', ['Nuts and bolts, the']],
    ] as const)
      expect([q, await search(client, q)]).toEqual([q, names]);
    expect(await suggest(client, 'scrudrivr')).toEqual({ matches: 0, words: ['screwdrivers'] });
  });

  test('words that only archived or deleted products have are not suggested to visitors', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client();
    const admin = shop.client(await shop.admin());
    const hidden = await shop.addProduct({ name: 'Zyxoprototype winder', description: 'Secretmodel.' });
    await shop.addProduct({ name: 'Zyxograph' });
    const suggestions = async () => [
      ...(await suggest(client, 'zyxoprototype compass')).words,
      ...(await suggest(client, 'zyxoprotatyqe')).words,
      ...(await suggest(client, 'secretgadget')).words,
    ];
    expect(await suggestions()).toEqual(['zyxoprototype', 'zyxoprototype', 'zyxograph', 'secretmodel']);
    const params = { id: hidden._id };
    await admin.call('editProduct', { params, body: { version: 1, archived: true } });
    expect(await suggestions()).toEqual(['zyxograph']);
    // Such words do not correct a misspelled word either, if listed products match another word.
    const close = await searchClosely(client, 'secretmodl zyxograph');
    expect([close.names, close.words]).toEqual([['Zyxograph'], ['secretmodl', 'zyxograph']]);
    const archived = { q: 'secretmodel gauge', archived: 'true' } as const;
    expect(await admin.call('getProductFilters', { query: archived })).toMatchObject({
      words: ['secretmodel'],
    });
    await admin.call('deleteProduct', { params });
    expect(await suggestions()).toEqual(['zyxograph']);
  });

  test('both engines split and fold text alike', async () => {
    await using shop = await startShop({ engine });
    const texts = [
      'Théo’s ŒUVRE, “Straße” 3,5mm–4.25 MM × 12½" №7 İstanbul ΟΔΟΣ Щётка Łódź Ørsted',
      '12½ 3 ¾ mm ⅛',
      'AB-1234 let-down 4-in-1 3-4 o’clock_x -a- b--c',
      '007 12.50 0000000000000000000012 0.10 1.2.3',
      'Ӓ Қазақ ҰЛТ ԱԲԳ ΟΔΌΣ Σ',
      'שָׁלוֹם־ב مُحَمَّـــد قُرْآن क़ि',
      'a\u00adb\u200bc\u3164d\u2800',
      '  Ｆull\u2003Ünder  x ',
      '+48 (0)601 234-567',
      '٠١٧١٢٣٤ ۰۱۲',
      '০১৭১-২৩৪৫৬৭',
      '０１２３ ４५६',
      '0117',
      '12 34 5',
      '1,000.5 3mm. 4x10 a1b2 2nd',
      '时钟 工具。😀x',
      '% _ " OR * ^ \\ \' -',
      ' \t\n ',
      ...fc.sample(fc.string({ unit: character, maxLength: 40 }), 300),
    ];
    const functions = {
      index_text: toIndexText,
      phone_key: toPhoneKey,
      to_name_key: toNameKey,
      to_category_key: toCategoryKey,
    };
    const names = Object.keys(functions);
    for (const text of texts) {
      const calls = names.map((name) => sql`${sql.raw(name)}(${text}) as ${sql.ref(name)}`);
      const { rows } = await sql`select ${sql.join(calls)}`.execute(shop.database.db);
      const computed = Object.entries(functions).map(([name, compute]) => [name, compute(text)]);
      expect([text, rows[0]]).toEqual([text, Object.fromEntries(computed)]);
    }
  });

  test('names rank above descriptions, all words must match, and accents, case and commas do not matter', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client(await shop.admin());
    await shop.addProduct({ name: 'Théo’s Öler 3,5 mm', description: 'Oils a pivot.' });
    await shop.addProduct({ name: 'Pivot file', description: 'For steel.' });
    await shop.addProduct({
      name: 'Steel rule',
      description: 'Measures in mm, 3.5 cm wide.',
      category: 'Längen',
    });
    for (const [q, names] of [
      ['pivot', ['Pivot file', 'Théo’s Öler 3,5 mm']],
      ['steel', ['Steel rule', 'Pivot file']],
      ['THEO', ['Théo’s Öler 3,5 mm']],
      ['théo öler', ['Théo’s Öler 3,5 mm']],
      ['3.5 mm', ['Théo’s Öler 3,5 mm', 'Steel rule']],
      ['3,5MM', ['Théo’s Öler 3,5 mm', 'Steel rule']],
      ['langen', ['Steel rule']],
      ['steel pivot', ['Pivot file']],
      ['theo steel', []],
      ['eel', ['Steel rule', 'Pivot file']],
    ] as const)
      expect([q, await search(client, q)]).toEqual([q, names]);
  });

  test('a word also finds its synonyms, as soon as an admin has saved them', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client();
    for (const name of ['Loupe, 4×', 'Let-down keys', 'Magnifier stand']) await shop.addProduct({ name });
    const listFound = async () => {
      const searches = ['magnifier', 'unwinder', 'unwinder keys', 'unwinder stand', 'wheel'];
      return Promise.all(searches.map((q) => search(client, q)));
    };
    expect(await listFound()).toEqual([['Magnifier stand'], [], [], [], []]);
    const synonyms = 'Magnifier = loupe, eyeglass\n\nunwinder = let-down\nwheel = wheelcutter';
    const body = { version: 0, name: 'Shop', synonyms };
    await shop.client(await shop.admin()).call('saveShopDetails', { body });
    const keys = ['Let-down keys'];
    expect(await listFound()).toEqual([['Magnifier stand', 'Loupe, 4×'], keys, keys, [], []]);
    const filters = await client.call('getProductFilters', { query: { q: 'unwinder' } });
    expect(filters).toMatchObject({ matches: 1, words: ['let', 'down'] });
  });

  test('the index follows every change of a product', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client(await shop.admin());
    const { _id: id } = await shop.addProduct({ name: 'Pin vise', description: 'Holds pins.' });
    const edit = (
      version: number,
      body: { name?: string; description?: string; category?: string; archived?: boolean },
    ) => client.call('editProduct', { params: { id }, body: { version, ...body } });
    await edit(1, { name: 'Chuck' });
    await edit(2, { description: 'Grips wires.', category: 'Lathes' });
    const found = async (...words: string[]) => {
      const lists = await Promise.all(words.map(async (q) => (await search(client, q)).length));
      return lists.join(' ');
    };
    expect(await found('vise', 'pins', 'chuck', 'wires', 'lathes')).toBe('0 0 1 1 1');
    await edit(3, { archived: true });
    expect(await found('chuck')).toBe('0');
    expect(await client.call('listProducts', { query: { q: 'chuck', archived: 'true' } })).toHaveLength(1);
    await client.call('deleteProduct', { params: { id } });
    for (const table of ['search_text', 'search_entry'] as const)
      expect(await shop.database.db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  test('pages of a search stay complete while products are added, in every sort order', async () => {
    await using shop = await startShop({ engine });
    const client = shop.client(await shop.admin());
    const add = (name: string, price: number) =>
      shop.database.db
        .insertInto('product')
        .values({
          id: uuidv7(),
          name,
          price,
          image: '/images/none',
          description: 'Cuts.',
          minimum: 1,
          available: 1,
          created_at: 0,
        })
        .execute();
    for (let index = 0; index < 6; index++) await add(`Broach ${'x'.repeat(index + 1)}`, 10 - index);
    for (const sort of ['best', 'added', 'name', 'price', '-price'] as const) {
      const whole = await client.call('listProducts', { query: { q: 'broach', sort } });
      const ids: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await client.list('listProducts', {
          query: { q: 'broach', sort, limit: 2, ...(after ? { after } : {}) },
        });
        ids.push(...page.rows.map(({ _id }) => _id));
        if (page.after === undefined) break;
        after = page.after;
        await add('Broach', 100);
      }
      const old = ids.filter((id) => whole.some(({ _id }) => _id === id));
      expect([sort, old, new Set(ids).size]).toEqual([sort, whole.map(({ _id }) => _id), ids.length]);
    }
  });

  test('any text is searched literally', async () => {
    await using shop = await startShop({ engine });
    await shop.addProduct({ name: 'Tool 100%_*', description: '时钟工具 😀' });
    const client = shop.client();
    for (const [q, count] of [
      ['100%', 1],
      ['%', 0],
      ['_*', 0],
      ['tool AND NOT tool', 1],
      ['"tool', 1],
      ['tool*', 1],
      ['name:tool', 0],
      ['工具', 1],
      ['时钟', 1],
      ['😀', 1],
      ['😁', 0],
      ["') --", 0],
      ['a b c d e f g h i j', 0],
      ['x'.repeat(100), 0],
    ] as [string, number][])
      expect([q, (await search(client, q)).length]).toEqual([q, count]);
  });
});

test('one typo is one letter missing, added, replaced or swapped', () => {
  for (const other of ['winder', 'widner', 'winer', 'windder', 'wander', 'inder', 'winders'])
    expect([other, isOneTypo('winder', other)]).toEqual([other, true]);
  for (const other of ['wn', 'window', 'wdiner', 'wendir', 'winderss'])
    expect([other, isOneTypo('winder', other)]).toEqual([other, false]);
});

test('all forms of a word have the same stem', () => {
  for (const [stem, ...forms] of [
    ['clean', 'clean', 'cleans', 'cleaner', 'cleaners', 'cleaning', 'cleaned'],
    ['grip', 'grip', 'grips', 'gripper', 'gripping', 'gripped'],
    ['remov', 'remove', 'removes', 'remover', 'removing'],
    ['watch', 'watch', 'watches'],
    ['oil', 'oil', 'oiling'],
    ['pull', 'pull', 'puller', 'pulling'],
    ['spring', 'spring', 'springs'],
    ['hole', 'hole', 'holes'],
    ['3.5', '3.5'],
  ] as const)
    for (const form of forms) expect([form, toStem(form)]).toEqual([form, stem]);
});
