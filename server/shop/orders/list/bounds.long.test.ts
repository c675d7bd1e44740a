import { CompiledQuery, type Kysely, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { buildBackOfficeInserts } from '../../../../bench/back-office-rows.ts';
import { type OrderFilter, type OrderList, orderSort } from '../../../../contract/orders/order-list.ts';
import type { Schema } from '../../../../server/database/schema.ts';
import { engines } from '../../../../tests/support/database.ts';
import { insertOrders } from '../../../../tests/support/order-rows.ts';
import { countRowsRead } from '../../../../tests/support/rows-read.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { recordStatements, type Statement } from '../../../../tests/support/statements.ts';

const orderCount = 40_000;
/** The most rows and lookups in `order_line` and `purchase` that one page of 50 may take. */
const maxRowsRead = 25_000;
/**
 * With some statistics, PostgreSQL scans the table instead of an index until it has found 1,001 or 10,001 matching transactions,
 * which reads about 11,000 rows more.
 */
const maxRowsReadForTransactions = 35_000;
/** The rows of 100 orders to ship, which the overview counts and dates. 400 others were refunded in full and never shipped. */
const maxRowsToShip = 250;
const firstDay = Date.UTC(2020, 0, 1);

/** Adds 2,500 customers and 2,500 products without orders, and 2,500 products with one of the oldest 2,500 orders each. */
async function fill(shop: TestShop) {
  const { db, engine } = shop.database;
  for (const statement of buildBackOfficeInserts(engine, {
    orders: orderCount,
    people: 4000,
    products: 4000,
  }))
    await db.executeQuery(CompiledQuery.raw(statement));
  const numbers = sql`with recursive numbers(n) as (
    select cast(0 as bigint) union all select n + 1 from numbers where n < 2499)`;
  await sql`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt") ${numbers}
    select '0-' || n, 'Unseen ' || n, 'unseen-' || n || '@example.com', "emailVerified", "createdAt", "updatedAt"
    from numbers cross join "user" where id = 'user-0'`.execute(db);
  for (const name of ['Unsold', 'Zenith'])
    await sql`insert into product (id, name, price, image, description, minimum, available, created_at) ${numbers}
      select ${sql.lit(name)} || n, ${sql.lit(name)} || ' part ' || n, price, image, description, minimum, available,
        created_at
      from numbers cross join product where id = 'product-00000'`.execute(db);
  const sold = Array.from({ length: 2500 }, (_, index) => ({
    product_id: `Zenith${index}`,
    created_at: firstDay + index * 60_000,
    number: `Z-${index}`,
    status: 'sipping' as const,
    // Neither among the cheapest orders nor among the most expensive ones.
    total: 45_000 + (index % 10),
    refunded: index % 2 ? 50 : 0,
    name: 'Zofia',
    address: 'Krakau',
  }));
  const ids = await insertOrders(shop, sold);
  if (engine === 'postgres') await analyzeWhole(db);
  return sold.map((order, index) => ({ ...order, id: ids[index] ?? '' }));
}

/** With the default target of 100, the statistics and so the plans depend on which 30,000 rows PostgreSQL happens to sample. */
const analyzeWhole = (db: Kysely<Schema>) =>
  db.transaction().execute(async (tx) => {
    await sql`set local default_statistics_target = 300`.execute(tx);
    await sql`analyze`.execute(tx);
  });

/** The plan on PostgreSQL, which considers parallel workers as for tables of a million rows. */
const explainAsLarge = (db: Kysely<Schema>, statement: Statement) =>
  db.transaction().execute(async (tx) => {
    await sql`set local min_parallel_table_scan_size = 0`.execute(tx);
    await sql`set local parallel_setup_cost = 10`.execute(tx);
    const { rows } = await tx.executeQuery<{ 'QUERY PLAN': string }>(
      CompiledQuery.raw(`explain ${statement.sql}`, [...statement.parameters]),
    );
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });

const filters: (OrderFilter | undefined)[] = [undefined, 'shipped', 'refunded', 'expired'];
const lists: OrderList[] = ['unseen', 'unsold', 'zenith'].flatMap((q) =>
  filters.flatMap((status) =>
    (['-created', 'created', '-price', 'price'] as const).flatMap((sort) =>
      [{}, { from: '2020-01-01', to: '2100-01-01' }].map((days) => ({ q, status, sort, limit: 50, ...days })),
    ),
  ),
);

describe.each(engines)('on %s', (engine) => {
  test('GET /order finds the orders of many customers or products without reading all orders', async () => {
    await using shop = await startShop({ engine });
    const sold = await fill(shop);
    const admin = shop.client(await shop.admin());
    // Every fifth list covers all pairs of parameters: 5 shares no factor with the number of values of any of them.
    const some = lists.filter((_, index) => index % 5 === 0);
    // More than 10,000 orders match each of these searches.
    const many = ['pi_1', '1z999'].map((q) => ({ q, status: 'expired', limit: 50 }) as const);
    // Many purchases have one of these words, or each of them, but none has both.
    const apart = ['tom x9', 'krakau tom'].map((q) => ({ q, limit: 50 }));
    for (const query of [...some, ...many, ...apart]) {
      const { status, sort = '-created' }: OrderList = query;
      const sign = sort.startsWith('-') ? -1 : 1;
      const expected = sold
        .filter(({ refunded }) => query.q === 'zenith' && (status !== 'refunded' || refunded > 0))
        .filter(() => status !== 'expired')
        .sort((a, b) => sign * ((sort.endsWith('price') ? a.total - b.total : 0) || (a.id < b.id ? -1 : 1)))
        .map(({ id }) => id);
      let after: string | undefined;
      for (const page of [expected.slice(0, 50), expected.slice(50, 100)]) {
        const { result, statementsOf } = await recordStatements(() =>
          admin.list('listAllOrders', { query: { ...query, after } }),
        );
        expect([query, result.rows.map(({ _id }) => _id)]).toEqual([query, page]);
        const maxRows =
          engine === 'postgres' && query.q === 'pi_1' ? maxRowsReadForTransactions : maxRowsRead;
        const reads = statementsOf(shop.database.db).filter(({ sql }) =>
          /\b(order_line|purchase)\b/.test(sql),
        );
        const read =
          (await countRowsRead(shop.database, 'order_line', reads)) +
          (await countRowsRead(shop.database, 'purchase', reads));
        expect([query, read]).toEqual([
          query,
          expect.toSatisfy((rows: number) => rows >= page.length && rows <= maxRows),
        ]);
        after = result.after;
        if (!after) break;
      }
    }

    const recordLookups = async (q: string) => {
      const { statementsOf } = await recordStatements(() => admin.call('listAllOrders', { query: { q } }));
      const lookups = statementsOf(shop.database.db).filter(({ sql }) => sql.includes(' as name, value'));
      expect([q, lookups.length > 0]).toEqual([q, true]);
      return lookups;
    };
    // Thousands of paid purchases have these words.
    for (const q of ['tom', 'coventry tom'])
      expect([q, await countRowsRead(shop.database, 'purchase', await recordLookups(q))]).toEqual([q, 0]);
    // No tracking number starts with the first text, and all of them start with the second.
    for (const q of ['k7qd2', '1z999'])
      for (const lookup of engine === 'postgres' ? await recordLookups(q) : [])
        expect(await explainAsLarge(shop.database.db, lookup)).not.toContain('Gather');
  }, 120_000);

  test('GET /order and GET /overview find the orders to ship without reading those refunded in full', async () => {
    await using shop = await startShop({ engine });
    const { database } = shop;
    for (const statement of buildBackOfficeInserts(engine, { orders: 20_000, people: 2000, products: 2000 }))
      await database.db.executeQuery(CompiledQuery.raw(statement));
    if (engine === 'postgres') await sql`analyze`.execute(database.db);
    const admin = shop.client(await shop.admin());
    const { result, statementsOf } = await recordStatements(() => admin.call('getOverview', {}));
    expect(result.toShip).toMatchObject({ parcels: 100, tools: 100 });
    const work = statementsOf(database.db).filter(({ sql }) => sql.startsWith('select low.'));
    expect(work).toHaveLength(1);
    expect(await countRowsRead(database, 'order_line', work)).toBeLessThan(maxRowsToShip);
    for (const sort of orderSort.options)
      for (const days of [{}, { from: '2020-01-01', to: '2100-01-01' }]) {
        const query = { status: 'paid', sort, limit: 200, ...days } as const;
        const { result, statementsOf } = await recordStatements(() => admin.call('listAllOrders', { query }));
        expect([query, result.length]).toEqual([query, 100]);
        // Other statements count the orders of the days and read the columns of the orders on the page.
        const list = statementsOf(database.db).filter(({ sql }) => sql.includes('"order_line"."refunded" <'));
        expect(list).toHaveLength(1);
        const rows = await countRowsRead(database, 'order_line', list);
        expect([query, rows < maxRowsToShip]).toEqual([query, true]);
      }
  }, 60_000);
});
