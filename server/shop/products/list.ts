import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { invalid } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Engine } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Filter, listFilters, maxCandidates } from './filters.ts';
import { furtherImages } from './images.ts';
import type { ProductRow } from './products.ts';

export type ProductQuery = Query<typeof contract.listProducts>;
type Condition = RawBuilder<boolean>;

/** One page of a list in its sort order, plus one product. Throws 422 if the product `after` no longer exists. */
export async function listProducts(database: Database, query: ProductQuery): Promise<ProductRow[]> {
  const filters = await listFilters(database, query);
  const { conditions, order } = await sortProducts(database, query);
  const candidates = await findFewCandidates(database, filters);
  // Neither engine looks into a subquery with a limit, so they cannot replace the sort with a walk along an index.
  const source = candidates
    ? sql`(select * from product where id in (${candidates}) limit ${maxCandidates}) as product`
    : sql`product`;
  const all = [...filters.map(({ condition }) => condition), ...conditions];
  const { rows } = await sql<ProductRow>`
    select *, ${furtherImages} as further_images from ${source} where ${sql.join(all, sql` and `)}
    order by ${order} limit ${toSqlLimit(query)}`.execute(database.db);
  return rows;
}

/**
 * The most selective filter, if the products that pass it can be sorted quickly. Otherwise every filter lets many
 * products pass, and walking the index of the sort order soon finds enough of them.
 */
async function findFewCandidates({ db }: Database, filters: Filter[]): Promise<Filter['candidates']> {
  const usable = filters.flatMap(({ candidates }) => candidates ?? []);
  if (usable.length === 0) return undefined;
  const counts = usable.map(
    (candidates, at) =>
      sql`select cast(${at} as bigint) as at, count(*) as found from (${candidates}) as candidate`,
  );
  const { rows } = await sql<{ at: number; found: number }>`${sql.join(counts, sql` union all `)}`.execute(
    db,
  );
  const [fewest] = rows.sort((a, b) => a.found - b.found);
  return fewest && fewest.found <= maxCandidates ? usable[fewest.at] : undefined;
}

/** Indexed by migration 016. */
const nameKey: Record<Engine, RawBuilder<string>> = {
  sqlite: sql`lower(name)`,
  postgres: sql`lower(name) collate "C"`,
};

/** The order of a list, and the conditions that its rows follow the product `after`. */
async function sortProducts({ db, engine }: Database, { sort, after }: ProductQuery) {
  const isDescending = sort.startsWith('-');
  const direction = sql.raw(isDescending ? 'desc' : 'asc');
  const follows = sql.raw(isDescending ? '<' : '>');
  const key = { added: undefined, name: nameKey[engine], price: sql`price`, stock: sql`available` }[
    sort.replace('-', '') as 'added' | 'name' | 'price' | 'stock'
  ];
  const conditions: Condition[] = [];
  if (!key) {
    if (after !== undefined) conditions.push(sql<boolean>`id ${follows} ${after}`);
    return { conditions, order: sql`id ${direction}` };
  }
  if (after !== undefined) {
    const { rows } = await sql<{ value: string | number }>`
      select ${key} as value from product where id = ${after}`.execute(db);
    const [last] = rows;
    if (!last) throw invalid('after', 'This product no longer exists: start again from the top of the list');
    conditions.push(sql<boolean>`(${key}, id) ${follows} (${last.value}, ${after})`);
  }
  return { conditions, order: sql`${key} ${direction}, id ${direction}` };
}

const maxCategories = 500;

/** The categories of all products, in alphabetical order: one step along the index for each. */
export async function listCategories({ db }: Database): Promise<string[]> {
  const { rows } = await sql<{ category: string }>`
    with recursive step (category) as (
      select min(category) from product where category is not null
      union all
      select (select min(category) from product where category > step.category) from step
      where step.category is not null
    )
    select category from step where category is not null limit ${maxCategories}`.execute(db);
  return rows.map(({ category }) => category).sort((a, b) => a.localeCompare(b, 'en'));
}
