import { type RawBuilder, sql } from 'kysely';
import type { OrderFilter, OrderList } from '../../../../contract/orders/order-list.ts';
import { isIn } from '../../../database/is-in.ts';
import type { Engine } from '../../../database/schema.ts';
import { type OrderRow, toShipCondition } from '../queries.ts';
import { allOf, type IdRange, idsWithin, type Span } from './days.ts';
import { type Matches, searchedColumns } from './search.ts';

/** The last order of a page, after which the next one starts. */
export type Cursor = Pick<OrderRow, 'id' | 'total'>;

export type Page = OrderList & {
  engine: Engine;
  limit: number;
  cursor: Cursor | undefined;
  /** The page ends with this order even if it is not full. */
  last?: Cursor | undefined;
  /** The days of the list. */
  span: Span;
};

type Condition = RawBuilder<boolean>;

/**
 * Selects the `id` and `total` of each order on a page. A search reads the indexes of the matching customers, products and
 * purchases. A list with a status reads the index of that status. A list of all orders reads the index of ids or, if it is sorted
 * by price, the index of each status in turn.
 */
export function selectIds(page: Page, matches: Matches | undefined): RawBuilder<{ id: string }> {
  const selects =
    matches && !matches.condition
      ? selectMatching(page, matches.values)
      : selectAll(page, matches?.condition ? [matches.condition] : []);
  return sql`select id, total from (${sql.join(selects, sql` union `)}) as found ${orderAndLimit(page, sql`id`, sql`total`)}`;
}

const opposite = { created: '-created', '-created': 'created', price: '-price', '-price': 'price' } as const;

/** Selects the order at which a walk of `length` orders along the list ends; none if the list ends sooner. */
export function selectLast(page: Page, length: number): RawBuilder<Cursor> {
  // If the list is sorted by price, orders of other days lie between the orders of these days, so the walk covers all days.
  const span = isByPrice(page) ? { conditions: [], ids: {} } : page.span;
  const walked = selectIds({ ...page, span, limit: length }, undefined);
  const backwards = { ...page, sort: opposite[page.sort ?? '-created'], limit: 1 };
  return sql`with walked as (${walked}) select id, total from walked
    where (select count(*) from walked) = ${length} ${orderAndLimit(backwards, sql`id`, sql`total`)}`;
}

export const isByPrice = ({ sort }: Pick<OrderList, 'sort'>): boolean =>
  sort === 'price' || sort === '-price';
const isDescending = ({ sort }: Pick<OrderList, 'sort'>): boolean => sort !== 'price' && sort !== 'created';

const all = sql`order_line`;
/**
 * Neither engine moves the outer conditions or the sort order into a subquery with a limit. So the subquery reads the index for
 * its own condition. A list of few orders is never this long, so the limit drops no order.
 */
const maxFewOrders = sql.lit(100_000);
const selectFew = (condition: Condition) =>
  sql`(select * from order_line where ${condition} limit ${maxFewOrders}) as order_line`;
/** Unpaid orders are few, because their hold ends within hours. */
const unpaid = selectFew(sql`status = '' and product_id > ''`);
const disputed = selectFew(sql`purchase_id in (select purchase_id from dispute where is_open = 1)`);
/** Written exactly like the condition of the partial indexes, such as `order_line_status`. */
const isSettled = sql<boolean>`order_line.status <> ''`;
const settledStatuses = { paid: 'paid', shipped: 'sipping', expired: 'expired' } as const;
const hasStatus = (status: string) => sql<boolean>`order_line.status = ${sql.lit(status)}`;
/**
 * Keeps SQLite from using the index of a column. SQLite has no statistics, so it might choose this index although many of its rows
 * match. It cannot use the index for an expression, so it uses the other index.
 */
const withoutIndex = (column: RawBuilder<unknown>) => sql`(${column} || '')`;

function selectAll(page: Page, isMatch: Condition[]): RawBuilder<unknown>[] {
  const { status, span } = page;
  const matching = [...isMatch, ...(status ? listStatusConditions(status) : []), ...follow(page)];
  const conditions = [
    ...matching,
    // If the list is sorted by price, the price index leads to the page and also contains the ids. SQLite must not read the range
    // of ids instead. PostgreSQL has statistics, and knows when that range is faster.
    ...idsWithin(
      span.ids,
      isByPrice(page) && page.engine === 'sqlite' ? withoutIndex(sql`order_line.id`) : undefined,
      getIdRange(page),
    ),
    ...span.conditions,
  ];
  if (status === 'unpaid') return [selectPage(page, unpaid, conditions)];
  if (status === 'disputed') return [selectPage(page, disputed, conditions)];
  if (span.few) return [selectPage(page, selectFew(span.few), matching)];
  if (status || !isByPrice(page)) return [selectPage(page, all, conditions)];
  return [
    selectPage(page, unpaid, conditions),
    ...Object.values(settledStatuses).map((stored) =>
      selectPage(page, all, [...conditions, hasStatus(stored), isSettled]),
    ),
  ];
}

/**
 * Selects one page of orders for each matching customer, product and purchase, so that a popular product costs no more than a rare
 * one.
 */
function selectMatching(page: Page, values: Matches['values']): RawBuilder<unknown>[] {
  const conditions = [
    ...listSearchedStatus(page.status),
    ...idsWithin(page.span.ids, undefined, getIdRange(page)),
    ...page.span.conditions,
    ...follow(page),
  ];
  const selects = searchedColumns.flatMap((column) => {
    if (column === 'product_id' && page.status === 'unpaid') return [];
    const isMatching = sql<boolean>`${sql.ref(`order_line.${column}`)} = matching.value`;
    const indexConditions = column === 'product_id' ? [isSettled] : [];
    return selectForEach(page, values[column], [isMatching, ...indexConditions, ...conditions]);
  });
  // The index of products does not contain unpaid orders.
  const isProduct = isIn(page.engine, sql`order_line.product_id`, values.product_id);
  return [...selects, selectPage(page, unpaid, [isProduct, ...conditions])];
}

/** SQLite has no `lateral`. There, a `cross join` reads its tables in the order in which they are written. */
function selectForEach(page: Page, values: readonly string[], conditions: Condition[]): RawBuilder<unknown> {
  const order = orderAndLimit(page, sql`order_line.id`, sql`order_line.total`);
  const from = sql`from order_line where ${allOf(conditions)} ${order}`;
  return page.engine === 'sqlite'
    ? sql`select own.id, ${totalOf(page, 'own')} as total from json_each(${JSON.stringify(values)}) as matching
        cross join order_line as own where own.id in (select order_line.id ${from})`
    : sql`select own.id, own.total from unnest(cast(${values} as text[])) as matching(value)
        cross join lateral (select order_line.id, ${totalOf(page, 'order_line')} as total ${from}) as own`;
}

function selectPage(page: Page, from: RawBuilder<unknown>, conditions: Condition[]): RawBuilder<unknown> {
  const order = orderAndLimit(page, sql`order_line.id`, sql`order_line.total`);
  const where = conditions.length > 0 ? sql`where ${allOf(conditions)}` : sql``;
  return sql`select id, total from (
    select order_line.id, ${totalOf(page, 'order_line')} as total from ${from} ${where} ${order}) as page`;
}

/** Only a sort by price reads the total. Otherwise the index of ids is enough. */
const totalOf = (page: Page, table: string) => (isByPrice(page) ? sql.ref(`${table}.total`) : sql.lit(0));

function orderAndLimit(page: Page, id: RawBuilder<unknown>, total: RawBuilder<unknown>): RawBuilder<unknown> {
  const direction = sql.raw(isDescending(page) ? 'desc' : 'asc');
  const order = isByPrice(page) ? sql`${total} ${direction}, ${id} ${direction}` : sql`${id} ${direction}`;
  return sql`order by ${order} limit ${page.limit}`;
}

/** The range of ids in which the page lies. */
function getIdRange(page: Page): IdRange {
  if (isByPrice(page)) return {};
  const [first, last] = [page.cursor?.id, page.last?.id];
  return isDescending(page) ? { lowest: last, highest: first } : { lowest: first, highest: last };
}

/** The orders after the cursor, up to `last`. */
function follow(page: Page): Condition[] {
  const { cursor, last } = page;
  const compare = ({ id, total }: Cursor, operator: string) =>
    isByPrice(page)
      ? sql<boolean>`(order_line.total, order_line.id) ${sql.raw(operator)} (${total}, ${id})`
      : sql<boolean>`order_line.id ${sql.raw(operator)} ${id}`;
  const [after, upTo] = isDescending(page) ? ['<', '>='] : ['>', '<='];
  return [...(cursor ? [compare(cursor, after)] : []), ...(last ? [compare(last, upTo)] : [])];
}

/**
 * Conditions on the status for orders that are found by customer, product or purchase. They must not lead to the index of the
 * status.
 */
function listSearchedStatus(status: OrderFilter | undefined): Condition[] {
  if (!status) return [];
  if (status === 'disputed') return listStatusConditions(status);
  if (status === 'refunded') return [sql`order_line.refunded + 0 > 0`];
  const stored = status === 'unpaid' ? '' : settledStatuses[status];
  // Whether an order is still to be shipped depends on its refunds, which the index of products lacks. So this looks up the row.
  const isToShip = sql<boolean>`(select ${toShipCondition('paid')} from order_line as paid where paid.id = order_line.id)`;
  return [sql`${withoutIndex(sql`order_line.status`)} = ${stored}`, ...(status === 'paid' ? [isToShip] : [])];
}

function listStatusConditions(status: OrderFilter): Condition[] {
  switch (status) {
    case 'unpaid':
      return [hasStatus('')];
    case 'paid':
      // Without `isSettled`, so that SQLite cannot choose the indexes by status instead.
      return [toShipCondition()];
    case 'refunded':
      return [sql`order_line.refunded > 0`];
    case 'disputed':
      return [
        sql`exists (select 1 from dispute where purchase_id = order_line.purchase_id and is_open = ${sql.lit(1)})`,
      ];
    default:
      return [hasStatus(settledStatuses[status]), isSettled];
  }
}
