import { sql } from 'kysely';
import { invalid } from '../../../../contract/errors.ts';
import type { OrderList } from '../../../../contract/orders/order-list.ts';
import type { Database } from '../../../database/database.ts';
import { isIn } from '../../../database/is-in.ts';
import { executePrepared } from '../../../database/prepared-statements.ts';
import { toSqlLimit } from '../../../http/calls/list-response.ts';
import { listOrders, type OrderRow, selectOrders } from '../queries.ts';
import { findSpan, type ZonedList } from './days.ts';
import { findMatches } from './search.ts';
import { type Cursor, isByPrice, type Page, selectIds, selectLast } from './select-orders.ts';

/** An admin's list of orders: searched, filtered and sorted. Throws 422 if the order `after` no longer exists. */
export async function listAllOrders(database: Database, query: ZonedList): Promise<OrderRow[]> {
  const { q, status, from, to, sort = '-created' } = query;
  if (!(q || status || from || to) && sort === '-created') return listOrders(database.db, query);
  const cursor = await findCursor(database, query);
  const listAfter = await prepareList(database, query);
  return listAfter(cursor, toSqlLimit(query));
}

type ListAfter = (cursor: Cursor | undefined, limit: number) => Promise<OrderRow[]>;

/** How many matching customers, products and purchases are looked up at first. */
const firstMaxValues = 1000;
/** Orders checked in the first walk, for each row of the page. They fill the page if at least one in twenty matches. */
const walkedPerRow = 20;

/** Resolves the search, and returns a function that lists up to `limit` of the orders after the cursor. */
export async function prepareList(database: Database, query: ZonedList): Promise<ListAfter> {
  const listIds = await prepareIds(database, query);
  return async (cursor, limit) => {
    const ids = await listIds(cursor, limit);
    if (ids.length === 0) return [];
    const { db, engine } = database;
    const selected = selectOrders(sql`where ${isIn(engine, sql.ref('order_line.id'), ids)}`);
    const { rows: orders } = await executePrepared(db, selected.compile(db));
    const ordersById = new Map(orders.map((order) => [order.id, order]));
    return ids.flatMap((id) => ordersById.get(id) ?? []);
  };
}

/**
 * Returns a function that lists the ids of up to `limit` of the orders after the cursor.
 *
 * If more than a thousand customers, products or purchases match, it checks a limited number of orders in the order of the list
 * instead. If these don't fill the page, it repeats both steps with ten times the limits. So the cost depends on the number of
 * matches, or on the number of orders up to the end of the page, whichever is lower.
 */
export async function prepareIds(
  database: Database,
  query: ZonedList,
): Promise<(cursor: Cursor | undefined, limit: number) => Promise<string[]>> {
  const { db, engine } = database;
  const { q } = query;
  let matches = q ? await findMatches(database, q, firstMaxValues) : undefined;
  const span = await findSpan(database, query, isByPrice(query));

  async function listIds(page: Page): Promise<string[]> {
    const isWalk = matches?.condition && !span.few;
    const length = (matches?.maxValues ?? 0) + walkedPerRow * page.limit;
    const last = isWalk ? (await selectLast(page, length).execute(db)).rows[0] : undefined;
    const { rows } = await selectIds({ ...page, last }, matches).execute(db);
    if (!(q && matches && last) || rows.length === page.limit) return rows.map(({ id }) => id);
    matches = await findMatches(database, q, matches.maxValues * 10);
    return listIds(page);
  }

  return (cursor, limit) => listIds({ ...query, engine, limit, cursor, span });
}

/** A list sorted by price also needs the order's total, because its id does not tell where the order is in the list. */
async function findCursor({ db }: Database, { after, sort }: OrderList): Promise<Cursor | undefined> {
  if (after === undefined) return undefined;
  if (!isByPrice({ sort })) return { id: after, total: 0 };
  const order = await db
    .selectFrom('order_line')
    .select(['id', 'total'])
    .where('id', '=', after)
    .executeTakeFirst();
  if (!order) throw invalid('after', 'The order with this id is gone: list the orders from the start');
  return order;
}
