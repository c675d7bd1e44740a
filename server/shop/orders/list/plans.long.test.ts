import { CompiledQuery, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { orderFilter, orderSort, orderTime } from '../../../../contract/orders/order-list.ts';
import { buildBulkInserts, rowKey } from '../../../../tests/support/bulk-rows.ts';
import { engines } from '../../../../tests/support/database.ts';
import { startShop, type TestShop } from '../../../../tests/support/shop.ts';
import { recordStatements, type Statement } from '../../../../tests/support/statements.ts';

/** A number, a transaction, a tracking number, a customer, and products and customers of which too many match. */
const searches = ['', '0000-0', 'pi_1', '1Z999', 'person-1@', 'tool'];
const days = { from: '2026-01-01', to: '2026-01-02' };
const lists = searches.flatMap((q) =>
  [undefined, ...orderFilter.options].flatMap((status) =>
    orderSort.options.flatMap((sort) => [{}, days].map((days) => ({ q, status, sort, ...days }))),
  ),
);
const listsByOtherTimes = ['', 'person-1@', 'tool'].flatMap((q) =>
  [undefined, ...orderFilter.options].flatMap((status) =>
    orderTime.options.flatMap((by) =>
      (['-created', 'price'] as const).map((sort) => ({ q, status, sort, by, ...days })),
    ),
  ),
);

/** The steps of a plan that read a table without an index. A subquery with the alias `order_line` does not count. */
async function findTableScans(
  { database: { db, engine } }: TestShop,
  statement: Statement,
): Promise<string[]> {
  const explain = engine === 'sqlite' ? 'explain query plan' : 'explain';
  return db.transaction().execute(async (tx) => {
    if (engine === 'postgres') await sql`set local enable_seqscan = off`.execute(tx);
    const { rows } = await tx.executeQuery<{ detail?: string; 'QUERY PLAN'?: string }>(
      CompiledQuery.raw(`${explain} ${statement.sql}`, [...statement.parameters]),
    );
    const steps = rows.map((row) => (row.detail ?? row['QUERY PLAN'] ?? '').trim());
    const scans = steps.filter((step) =>
      /^SCAN (order_line|purchase|product|user|user_word|dispute)$|Seq Scan/.test(step),
    );
    // The orders of one customer, product or purchase must be found by its own index.
    const isForEach = / as matching/.test(statement.sql);
    const detours = steps.filter((step) => /order_line_(status|refunded|1 \(id[<>])/.test(step));
    if (isForEach && detours.length > 0) return detours;
    const subqueries = steps.filter((step) => /^(CO-ROUTINE|MATERIALIZE) order_line$/.test(step));
    return scans.slice(subqueries.length);
  });
}

describe.each(engines)('on %s', (engine) => {
  test('every search, filter and sort of GET /order reads orders through an index', async () => {
    await using shop = await startShop({ engine });
    const { db } = shop.database;
    const size = { products: 2000, orders: 4000, reviews: 1, people: 500 };
    for (const statement of buildBulkInserts(engine, size, 'customer@example.com'))
      await db.executeQuery(CompiledQuery.raw(statement));
    if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('analyze'));
    const admin = shop.client(await shop.admin());
    const { statementsOf } = await recordStatements(async () => {
      for (const query of [...lists, ...listsByOtherTimes]) {
        if (query.sort === '-created') await admin.call('sumOrders', { query });
        await admin.call('listAllOrders', { query: { ...query, limit: 10, after: rowKey(2000) } });
      }
    });
    const statements = new Map(statementsOf(db).map((statement) => [statement.sql, statement]));
    expect(statements.size).toBeGreaterThan(100);
    for (const statement of statements.values())
      expect([statement.sql, await findTableScans(shop, statement)]).toEqual([statement.sql, []]);
  }, 180_000);
});
