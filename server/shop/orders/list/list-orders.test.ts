import { describe, expect, test } from 'vitest';
import type { OrderFilter, OrderList, OrderSort } from '../../../../contract/orders/order-list.ts';
import { engines } from '../../../../tests/support/database.ts';
import { insertOrders, type OrderSeed } from '../../../../tests/support/order-rows.ts';
import { placeOrder } from '../../../../tests/support/payments.ts';
import { catchProblem } from '../../../../tests/support/problem.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { recordStatements } from '../../../../tests/support/statements.ts';

const people = [
  {
    name: 'Tom Graham',
    email: 'tom@example.com',
    address: "12 King's Escapement Row, Coventry CV1 5FB",
    phone: '(024) 7655 0148',
  },
  { name: 'Nora van der Meer', email: 'nora@clocks.example', address: '', phone: '' },
  { name: 'Özlem Öztürk', email: 'oz@example.com', address: '中山路, Łódź', phone: '+48 601 234 567' },
];
const tools = ['Pivot Gauge', 'Large Brass Movement Holder', 'Mainspring winder'];
const statuses = ['', 'paid', 'sipping', 'expired'] as const;
const day = (number: number) => Date.UTC(2026, 2, number);

/** Totals and times repeat, so that the id breaks ties. */
const totalOf = (at: number) => 100 * (1 + ((at * 7) % 10));

/** One order for each status, customer and product, some refunded or disputed, on ten days in March. */
const seeds = statuses.flatMap((status) =>
  people.flatMap(({ email, ...contact }) =>
    tools.map((tool) => ({ ...contact, status, user_id: email, product_id: tool, product_name: tool })),
  ),
);
const orders: (OrderSeed & { total: number; created_at: number; number: string })[] = seeds.map(
  (seed, index) => ({
    ...seed,
    total: totalOf(index),
    created_at: day(1 + (index % 10)) + (index % 3) * 28_799_999,
    refunded: /paid|sipping/.test(seed.status) ? ([0, totalOf(index), 0, 50][index % 4] ?? 0) : 0,
    disputed: seed.status === 'sipping' && index % 4 === 0,
    tracking_number: seed.status === 'sipping' ? `${index % 2 ? '1Z999AA1' : 'RR12345678'}${index}GB` : null,
    number: `${index % 2 ? 'K7QD' : 'M2AB'}-${String(index).padStart(4, '0')}`,
  }),
);

async function fill(shop: TestShop): Promise<string[]> {
  const now = new Date();
  const user = { emailVerified: false, createdAt: now, updatedAt: now };
  const product = { price: 1, image: '', description: '', minimum: 1, available: 1, created_at: 1 };
  await shop.database.db
    .insertInto('user')
    .values(people.map(({ name, email }) => ({ ...user, id: email, name, email })))
    .execute();
  await shop.database.db
    .insertInto('product')
    .values(tools.map((name) => ({ ...product, id: name, name })))
    .execute();
  return insertOrders(shop, orders);
}

const hasStatus: Record<OrderFilter, (order: OrderSeed) => boolean> = {
  unpaid: ({ status }) => status === '',
  paid: ({ status, refunded = 0, total = 0 }) => status === 'paid' && refunded < total,
  shipped: ({ status }) => status === 'sipping',
  expired: ({ status }) => status === 'expired',
  refunded: ({ refunded = 0 }) => refunded > 0,
  disputed: ({ disputed = false }) => disputed,
};

const isShippedWith =
  (prefix: string) =>
  ({ tracking_number }: OrderSeed): boolean =>
    tracking_number?.startsWith(prefix) === true;

const isPaidOf =
  (email: string) =>
  ({ status, user_id }: OrderSeed): boolean =>
    user_id === email && /paid|sipping/.test(status ?? '');

const searches: [q: string, matches: (order: (typeof orders)[number]) => boolean][] = [
  ['k7qd', ({ number }) => number.startsWith('K7QD')],
  ['K7QD-0001', ({ number }) => number === 'K7QD-0001'],
  ['#k7qd 0001', ({ number }) => number === 'K7QD-0001'],
  ['K7QD–0001', ({ number }) => number === 'K7QD-0001'],
  ['k7qdooo1', ({ number }) => number === 'K7QD-0001'],
  ['m2', ({ number }) => number.startsWith('M2')],
  ['Order K7QD-0001', ({ number }) => number === 'K7QD-0001'],
  ['# K7QD − 0001', ({ number }) => number === 'K7QD-0001'],
  ['m 2', () => false],
  ['pi_1', ({ status, number }) => /paid|sipping/.test(status ?? '') && /-001\d|-0001/.test(number)],
  ['1z999', isShippedWith('1Z999AA1')],
  ['1Z 99 9AA12', isShippedWith('1Z999AA12')],
  ['rr1234567822gb', isShippedWith('RR1234567822GB')],
  ['1z9', () => false],
  ['TOM', ({ user_id }) => user_id === 'tom@example.com'],
  ['gra', ({ user_id }) => user_id === 'tom@example.com'],
  ['nora@cl', ({ user_id }) => user_id === 'nora@clocks.example'],
  ['van der', ({ user_id }) => user_id === 'nora@clocks.example'],
  ['ÖZT', ({ user_id }) => user_id === 'oz@example.com'],
  ['ozturk', ({ user_id }) => user_id === 'oz@example.com'],
  ['der meer', ({ user_id }) => user_id === 'nora@clocks.example'],
  ['brass', ({ product_id }) => product_id === tools[1]],
  ['movem', ({ product_id }) => product_id === tools[1]],
  ['holder brass', ({ product_id }) => product_id === tools[1]],
  ['m', ({ user_id, product_id }) => user_id === 'nora@clocks.example' || product_id !== tools[0]],
  ['%', () => false],
  ['nothing', () => false],
];

const contactSearches: typeof searches = [
  ['coventry', isPaidOf('tom@example.com')],
  ['cv1 5fb', isPaidOf('tom@example.com')],
  ['row esc kings', isPaidOf('tom@example.com')],
  ['graham coventry', isPaidOf('tom@example.com')],
  ['łodz', isPaidOf('oz@example.com')],
  ['中山', isPaidOf('oz@example.com')],
  ['601234567', isPaidOf('oz@example.com')],
  ['0048 (0) 601-234-567', isPaidOf('oz@example.com')],
  ['৬০১২৩৪৫৬৭', isPaidOf('oz@example.com')],
  ['+44 24 76550148', isPaidOf('tom@example.com')],
  ['50148', isPaidOf('tom@example.com')],
  ['0148', () => false],
  ['601234', () => false],
];

/** The ids of the orders that a list must contain, in its order, found without SQL. */
function expectIds(ids: string[], query: OrderList): string[] {
  const matches = [...searches, ...contactSearches].find(([q]) => q === query.q)?.[1] ?? (() => true);
  const [from, to] = [
    Date.parse(query.from ?? '2000-01-01'),
    Date.parse(query.to ?? '2100-01-01') + day(2) - day(1),
  ];
  const sign = query.sort?.startsWith('-') === false ? 1 : -1;
  const byPrice = query.sort?.endsWith('price');
  return orders
    .map((order, index) => ({ ...order, id: ids[index] ?? '' }))
    .filter((order) => !query.status || hasStatus[query.status](order))
    .filter(({ created_at }) => created_at >= from && created_at < to)
    .filter(matches)
    .sort((a, b) => sign * ((byPrice ? a.total - b.total : 0) || (a.id < b.id ? -1 : 1)))
    .map(({ id }) => id);
}

const sorts: (OrderSort | undefined)[] = [undefined, '-created', 'created', '-price', 'price'];
const filters: (OrderFilter | undefined)[] = [
  undefined,
  'unpaid',
  'paid',
  'shipped',
  'expired',
  'refunded',
  'disputed',
];
const days = [{}, { from: '2026-03-03' }, { to: '2026-03-05' }, { from: '2026-03-04', to: '2026-03-04' }];
const queries: OrderList[] = [
  ...['', ...searches.map(([q]) => q)].flatMap((q) =>
    filters.flatMap((status) =>
      sorts.flatMap((sort) => days.map((range) => ({ q, status, sort, ...range }))),
    ),
  ),
  ...contactSearches.flatMap(([q]) => filters.map((status) => ({ q, status }))),
];

describe.concurrent.each(engines)('on %s', (engine) => {
  test('GET /order lists the orders of a day in the time zone of the shop', async () => {
    await using shop = await startShop({ engine, settings: { TIME_ZONE: 'Europe/Berlin' } });
    // Clocks are set forward: the day has 23 hours.
    const [start, end] = [Date.parse('2026-03-28T23:00Z'), Date.parse('2026-03-29T22:00Z')];
    const times = [start - 1, start, end - 1, end];
    const ids = await insertOrders(
      shop,
      times.map((created_at) => ({ created_at })),
    );
    const admin = shop.client(await shop.admin());
    const list = async (query: Pick<OrderList, 'from' | 'to' | 'sort'>) =>
      (await admin.call('listAllOrders', { query: { sort: 'created', ...query } })).map(({ _id }) => _id);
    expect(await list({ from: '2026-03-29' })).toEqual(ids.slice(1));
    expect(await list({ to: '2026-03-29' })).toEqual(ids.slice(0, 3));
    for (const sort of ['created', 'price'] as const)
      expect(await list({ from: '2026-03-29', to: '2026-03-29', sort })).toEqual(ids.slice(1, 3));
  });

  test('GET /order combines search, status, days and sort, page by page', async () => {
    await using shop = await startShop({ engine });
    const ids = await fill(shop);
    const admin = shop.client(await shop.admin());
    const list = async (query: OrderList) => {
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await admin.list('listAllOrders', { query: { ...query, after } });
        found.push(...page.rows.map(({ _id }) => _id));
        if (!page.after) return found;
        after = page.after;
      }
    };
    // Every 13th query covers all pairs of parameters: 13 shares no factor with the number of values of any of them.
    for (const query of queries.filter((_, index) => index % 13 === 0)) {
      const expected = expectIds(ids, query);
      expect([query, await list(query)]).toEqual([query, expected]);
      if (expected.length > 4) expect([query, await list({ ...query, limit: 4 })]).toEqual([query, expected]);
    }
  }, 120_000);

  test('GET /order executes few statements, whose texts do not depend on the number of orders', async () => {
    await using shop = await startShop({ engine });
    await fill(shop);
    const admin = shop.client(await shop.admin());
    const list = async (query: OrderList) => {
      const { result, statementsOf } = await recordStatements(() => admin.call('listAllOrders', { query }));
      expect([query, result.length > 0]).toEqual([query, true]);
      return statementsOf(shop.database.db)
        .map(({ sql }) => sql)
        .filter((text) => /order_line|_word/.test(text));
    };
    // The statements read the words of the search, the ids of the orders, and the orders.
    expect(await list({ q: 'pivot' })).toHaveLength(3);
    // One more statement reads the purchases whose names and addresses have the rarest word.
    expect(await list({ q: 'nora meer' })).toHaveLength(4);
    expect(await list({ q: 'pivot', limit: 2 })).toEqual(await list({ q: 'pivot', limit: 5 }));
  });

  test('GET /order finds orders newest first if too many customers match to look each of them up', async () => {
    await using shop = await startShop({ engine });
    const now = new Date();
    const users = Array.from({ length: 1100 }, (_, index) => ({
      id: `${index}`,
      name: `Ida O'Mudgé ${index}`,
      email: `mudge-${index}@example.com`,
      emailVerified: false,
      createdAt: now,
      updatedAt: now,
    }));
    await shop.database.db.insertInto('user').values(users).execute();
    const ids = await insertOrders(
      shop,
      users.slice(0, 60).map(({ id }, index) => ({ user_id: index % 2 ? id : null, total: 1 + index })),
    );
    const admin = shop.client(await shop.admin());
    const expected = ids.filter((_, index) => index % 2).reverse();
    for (const sort of ['-created', '-price'] as const) {
      const page = await admin.list('listAllOrders', { query: { q: 'mudge', sort, limit: 20 } });
      const next = await admin.list('listAllOrders', {
        query: { q: 'mudge', sort, limit: 20, after: page.after },
      });
      expect([...page.rows, ...next.rows].map(({ _id }) => _id)).toEqual(expected);
      expect(next.after).toBeUndefined();
    }
    const unpaid = await admin.list('listAllOrders', { query: { q: 'mudge', status: 'unpaid' } });
    expect(unpaid.rows).toEqual([]);
  });

  test('GET /order finds a paid purchase by its current name, address and phone, and keeps no words of former ones', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const admin = shop.client(await shop.admin());
    const [id] = await insertOrders(shop, [
      { status: '', name: 'Zoë Quare', address: '1 Mill Lane', phone: '0117 4960 001' },
    ]);
    const find = async (q: string) => (await admin.call('listAllOrders', { query: { q } })).length;
    const count = async () => (await db.selectFrom('purchase_word').selectAll().execute()).length;
    const change = (values: { name?: string; address?: string; phone?: string }) =>
      db.updateTable('purchase').set(values).execute();
    expect([await find('mill lane'), await count()]).toEqual([0, 0]);
    await db
      .updateTable('purchase')
      .set({ status: 'paid', transaction_id: 'pi_1' })
      .where('id', '=', id ?? '')
      .execute();
    expect([await find('mill lane'), await find('quare'), await find('4960001')]).toEqual([1, 1, 1]);
    await change({ address: '2 Forge Row', phone: '0117 4960 002' });
    expect([await find('mill'), await find('forge'), await find('4960001'), await find('4960002')]).toEqual([
      0, 1, 0, 1,
    ]);
    await change({ name: '', address: '', phone: '' });
    expect(await count()).toBe(0);
  });

  test('GET /order finds the orders of a deleted product by its name', async () => {
    await using shop = await startShop({ engine });
    const [admin, tom] = [shop.client(await shop.admin()), await shop.signUp()];
    const { db } = shop.database;
    const [gauge, broach, holder] = [
      await shop.addProduct({ name: 'Ölgeber, Pivot Gauge' }),
      await shop.addProduct({ name: 'Broach' }),
      await shop.addProduct({ name: 'Brass holder' }),
    ];
    const unpaid = await placeOrder(shop, tom, gauge);
    const [paid = '', old = ''] = await insertOrders(shop, [
      { product_id: gauge._id, product_name: 'Gauge of last year' },
      { product_id: broach._id, product_name: 'Broach' },
    ]);
    const find = async (q: string, query: Partial<OrderList> = {}) =>
      (await admin.call('listAllOrders', { query: { ...query, q } })).map(({ _id }) => _id);
    for (const { _id: id } of [gauge, holder]) await admin.call('deleteProduct', { params: { id } });
    for (const q of ['pivot', 'ÖL', 'gau öl']) expect([q, await find(q)]).toEqual([q, [unpaid._id, paid]]);
    expect(await find('pivot', { status: 'unpaid' })).toEqual([unpaid._id]);
    expect(await find('pivot', { status: 'paid', sort: 'price' })).toEqual([paid]);
    expect(await find('pivot broach')).toEqual([]);
    // No product of that name is left, and nobody has ordered the holder.
    expect(await admin.call('listProducts', { query: { q: 'pivot gauge' } })).toEqual([]);
    const words = await db.selectFrom('product_word').select(['product_id', 'word']).execute();
    expect(words.filter(({ product_id }) => product_id === holder._id)).toEqual([]);

    // After a restore, the table of words is empty.
    await admin.call('deleteProduct', { params: { id: broach._id } });
    await db.deleteFrom('product_word').execute();
    expect(await find('broach')).toEqual([]);
    await shop.doPeriodicWork();
    expect(await find('broach')).toEqual([old]);
    expect(await find('last year')).toEqual([unpaid._id, paid]);
    const added = await db.selectFrom('product_word').selectAll().execute();
    await shop.doPeriodicWork();
    expect(await db.selectFrom('product_word').selectAll().execute()).toEqual(added);
  });

  test('GET /order finds a deleted product’s orders if too many products match to look each of them up', async () => {
    await using shop = await startShop({ engine });
    const rows = Array.from({ length: 1100 }, (_, index) => ({
      product_id: `p${index}`,
      product_name: `Pin ${index}`,
    }));
    const ids = await insertOrders(shop, rows);
    await shop.doPeriodicWork();
    const admin = shop.client(await shop.admin());
    const found = await admin.list('listAllOrders', { query: { q: 'pin', limit: 20 } });
    expect(found.rows.map(({ _id }) => _id)).toEqual(ids.slice(-20).reverse());
    const one = await admin.list('listAllOrders', { query: { q: 'pin 1099', limit: 20 } });
    expect(one.rows.map(({ _id }) => _id)).toEqual(ids.slice(-1));
  });

  test('GET /order finds orders by a common word of addresses, and by numbers of parcels with several orders, page by page', async () => {
    await using shop = await startShop({ engine });
    const seeds = Array.from({ length: 1100 }, (_, index): OrderSeed => {
      const address = 'Coventry';
      return index % 2 ? { address } : { address, status: 'sipping', tracking_number: `1Z999${index}` };
    });
    const ids = await insertOrders(shop, [...seeds, { address: 'Leeds' }]);
    // Each parcel has the next order, too: 550 parcels have 1,100 orders.
    const lines = ids.flatMap((id, index) =>
      index % 2 ? [{ shipment_id: ids[index - 1] ?? '', order_line_id: id, quantity: 1 }] : [],
    );
    await shop.database.db.insertInto('shipment_line').values(lines).execute();
    const admin = shop.client(await shop.admin());
    const expected = { created: ids.slice(0, 40), '-created': ids.slice(-41, -1).reverse() };
    for (const q of ['coventry', '1z999'])
      for (const sort of ['created', '-created'] as const) {
        const page = await admin.list('listAllOrders', { query: { q, sort, limit: 20 } });
        const query = { q, sort, limit: 20, after: page.after };
        const next = await admin.list('listAllOrders', { query });
        const found = [...page.rows, ...next.rows].map(({ _id }) => _id);
        expect([q, found]).toEqual([q, expected[sort]]);
      }
    const one = await admin.list('listAllOrders', { query: { q: '1z9991098' } });
    expect(one.rows.map(({ _id }) => _id)).toEqual(ids.slice(-3, -1).reverse());
  });

  test('GET /order rejects unknown values and says what to do', async () => {
    await using shop = await startShop({ engine });
    const ids = await insertOrders(shop, [{ status: '' }, {}]);
    const admin = await shop.admin();
    const reject = async (query: string) => {
      const response = await shop.send(`/api/order?${query}`, {}, admin);
      const { errors } = await response.json();
      return [response.status, errors[0].field, errors[0].message];
    };
    expect(await reject('status=lost')).toEqual([422, 'status', expect.any(String)]);
    expect(await reject('sort=name')).toEqual([422, 'sort', expect.any(String)]);
    expect(await reject('from=1.3.2026')).toEqual([422, 'from', 'From must be a date such as 2026-03-31']);
    expect(await reject('to=2026-02-30')).toEqual([422, 'to', 'To must be a date such as 2026-03-31']);
    expect(await reject('from=2026-03-02&to=2026-03-01')).toEqual([422, 'to', 'To must not be before From']);
    await shop.client(admin).call('deleteOrder', { params: { id: ids[0] ?? '' } });
    const gone = { sort: 'price', after: ids[0] } as const;
    const problem = await catchProblem(shop.client(admin).call('listAllOrders', { query: gone }));
    expect(problem).toMatchObject({ status: 422, errors: [{ field: 'after' }] });
  });
});
