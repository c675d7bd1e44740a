import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { invalid } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { isIn } from '../../database/is-in.ts';
import type { Db } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import type { Shop } from '../shop.ts';
import { type Filter, listFilters, type SortColumn } from './filters.ts';
import { furtherImages } from './images.ts';
import { addedBy, findProducts, type ProductRow } from './products.ts';
import type { Match } from './search/scores.ts';
import { createSearch } from './search/search.ts';

export type ProductQuery = Query<typeof contract.listProducts>;
type ListShop = Pick<Shop, 'database' | 'currency'>;
type Condition = RawBuilder<boolean>;

/** Up to this many matching products are sorted. */
const firstMaxCandidates = 1000;
/** Products checked in the first walk, for each row of the page. They fill the page if at least one in twenty matches. */
const walkedPerRow = 20;

/**
 * One page of a list in its sort order, plus one product. Throws 422 if the product `after` no longer exists.
 *
 * PostgreSQL has statistics and chooses the index. SQLite has none, and would sort all products that match a filter, even if nearly
 * all do. So on SQLite:
 *
 * If few products match the most selective filter, sorts these products. Otherwise, checks a limited number of products in the
 * order of the list, which usually fill the page. If they don't, repeats both steps with ten times the limits. The cost depends on
 * whichever step ends first.
 */
export async function listProducts(shop: ListShop, query: ProductQuery): Promise<ProductRow[]> {
  const { db, engine } = shop.database;
  const search = createSearch(shop, query);
  if (search) return listMatches(shop.database, query, (await search(query.category)).matches);
  const filters = listFilters(shop, query);
  const sort = await sortProducts(shop.database, query);
  const limit = toSqlLimit(query);
  const select = async (source: RawBuilder<unknown>, others: Filter[]): Promise<ProductRow[]> => {
    const conditions = others.map(({ condition }) => condition);
    const { rows } = await sql<ProductRow>`
      select *, ${furtherImages} as further_images, ${addedBy} as email from (${source}) as product ${where(conditions)}
      ${orderBy(sort)} limit ${limit}`.execute(db);
    return rows;
  };
  if (engine === 'postgres' || !filters.some(({ candidates }) => candidates))
    return select(selectSorted(sort, []), filters);
  const walked = filters.find(({ sorted }) => sorted?.includes(sort.by));
  const unchecked = filters.filter((filter) => filter !== walked);
  if (unchecked.length === 0) return select(walk(sort, walked, limit), []);
  for (let factor = 1; ; factor *= 10) {
    const maxCandidates = firstMaxCandidates * factor;
    const few = await findFewCandidates(db, filters, maxCandidates);
    if (few) {
      const ids = sql`select * from (${few.candidates}) as candidate limit ${maxCandidates}`;
      return select(
        sql`${selectSorted(sort, [sql`id in (${ids})`])} limit ${maxCandidates}`,
        filters.filter((filter) => filter !== few),
      );
    }
    const rows = await select(walk(sort, walked, walkedPerRow * limit * factor), unchecked);
    if (rows.length === limit) return rows;
  }
}

/** One page of the products that a search found. They are few, so any sort order is cheap. */
async function listMatches(database: Database, query: ProductQuery, matches: Match[]): Promise<ProductRow[]> {
  const { db, engine } = database;
  const { sort = 'best', after } = query;
  const ids = matches.map(({ id }) => id);
  const limit = toSqlLimit(query);
  if (sort !== 'best') {
    const sorted = await sortProducts(database, query);
    // Without the inner limit, PostgreSQL may look for the matches among all products, in the order of the list.
    const source = sql`${selectSorted(sorted, [isIn(engine, sql.ref('id'), ids)])} limit ${ids.length}`;
    const { rows } = await sql<ProductRow>`
      select *, ${furtherImages} as further_images, ${addedBy} as email from (${source}) as product
      ${orderBy(sorted)} limit ${limit}`.execute(db);
    return rows;
  }
  const start = after === undefined ? 0 : ids.indexOf(after) + 1;
  if (after !== undefined && start === 0) throw invalid('after', startAgain);
  const page = ids.slice(start, start + limit);
  const products = await findProducts(db, page);
  return page.flatMap((id) => products.get(id) ?? []);
}

/** The filter with the fewest matches, unless even these are too many. */
async function findFewCandidates(
  db: Db,
  filters: Filter[],
  maxCandidates: number,
): Promise<Filter | undefined> {
  const counts = filters.flatMap(({ candidates }, index) =>
    candidates
      ? sql`select cast(${index} as bigint) as at, count(*) as found
          from (select 1 from (${candidates}) as candidate limit ${maxCandidates + 1}) as matches`
      : [],
  );
  const { rows } = await sql<{ at: number; found: number }>`${sql.join(counts, sql` union all `)}`.execute(
    db,
  );
  const [fewest] = rows.sort((a, b) => a.found - b.found);
  return fewest && fewest.found <= maxCandidates ? filters[fewest.at] : undefined;
}

/**
 * The first products of a list, or the first ones that match `filter`. Neither engine moves the conditions and the sort order of
 * the outer query into a subquery with a limit. So the subquery reads the index of its own sort order.
 */
function walk(sort: Sort, filter: Filter | undefined, length: number): RawBuilder<unknown> {
  const conditions = filter ? [filter.condition] : [];
  return sql`${selectSorted(sort, conditions)} ${orderBy(sort)} limit ${length}`;
}

/**
 * If the sort key is an expression, it becomes a column of the subquery. Otherwise SQLite would not recognize that the subquery is
 * already sorted.
 */
const selectSorted = ({ by, key, conditions }: Sort, others: Condition[]) =>
  sql`select *${by === 'rating' ? sql`, ${key} as sort_key` : sql``} from product ${where([...others, ...conditions])}`;

const orderBy = ({ by, column, direction }: Sort) =>
  by === 'id' ? sql`order by id ${direction}` : sql`order by ${column} ${direction}, id ${direction}`;

const where = (conditions: Condition[]) =>
  conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;

type Sort = {
  by: SortColumn;
  key: RawBuilder<unknown>;
  column: RawBuilder<unknown>;
  direction: RawBuilder<unknown>;
  /** Select the products after the last one of the previous page. */
  conditions: Condition[];
};

const startAgain = 'This product is no longer in the list: start again from the top';

const sortColumns = {
  best: 'id',
  added: 'id',
  name: 'name_key',
  rating: 'rating',
  price: 'price',
  stock: 'available',
} as const;

/** The indexed sort key of `-rating`: the average rating, as if the product had five more reviews with three stars each. */
const ratingScore = sql<number>`((rating_sum + 15) * 1000 / (rating_count + 5))`;

async function sortProducts({ db }: Database, { sort = 'best', after }: ProductQuery): Promise<Sort> {
  const isDescending = sort.startsWith('-');
  const direction = sql.raw(isDescending ? 'desc' : 'asc');
  const follows = sql.raw(isDescending ? '<' : '>');
  const by = sortColumns[sort.replace('-', '') as keyof typeof sortColumns];
  const column = sql.ref(by === 'rating' ? 'sort_key' : by);
  const key = by === 'rating' ? ratingScore : column;
  if (after === undefined) return { by, key, column, direction, conditions: [] };
  if (by === 'id') return { by, key, column, direction, conditions: [sql`id ${follows} ${after}`] };
  const { rows } = await sql<{ value: string | number }>`
    select ${key} as value from product where id = ${after}`.execute(db);
  const [last] = rows;
  if (!last) throw invalid('after', startAgain);
  const conditions = [
    // SQLite needs this condition to find the place in an index of expressions.
    sql<boolean>`${key} ${follows}= ${last.value}`,
    sql<boolean>`(${key}, id) ${follows} (${last.value}, ${after})`,
  ];
  return { by, key, column, direction, conditions };
}

const maxCategories = 500;

/**
 * A recursive query `step`: the key of each category, then a null. Each key takes one index lookup. Categories that look the same
 * have the same key.
 */
export const withCategories = sql`
    with recursive step (category_key) as (
      select min(category_key) from product where category_key is not null
      union all
      select (select min(category_key) from product where category_key > step.category_key) from step
      where step.category_key is not null
    )`;

/** The spelling of a category of `step`: the one in its newest product. */
export const categoryName = sql<string>`(
    select category from product where category_key = step.category_key order by id desc limit 1
  )`;

/** Compares categories for sorting: 9 comes before 10. */
export const compareCategories = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });

/** The categories of all products, in alphabetical order. */
export async function listCategories({ db }: Database): Promise<string[]> {
  const { rows } = await sql<{ category: string }>`
    ${withCategories}
    select ${categoryName} as category from step where category_key is not null limit ${maxCategories}`.execute(
    db,
  );
  return rows.map(({ category }) => category).sort(compareCategories);
}
