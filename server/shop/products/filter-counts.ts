import { sql } from 'kysely';
import type { ProductFilters } from '../../../contract/catalogue/product-list.ts';
import type { Shop } from '../shop.ts';
import { type FilterQuery, isCurrent, listFilters } from './filters.ts';
import { withCategories } from './list.ts';
import { createSearch, maxMatches } from './search/search.ts';
import { suggestWords } from './search/suggest.ts';

const maxCategories = 100;
const maxPerCategory = 200;

type Count = { category: string; count: number };

/**
 * Counts the products of a list, and by category as if the list had no category filter. In one category, a search may also
 * correct words that match only elsewhere. So the total and that category's count come from the list's own search, the other
 * counts from the search without a category.
 */
export async function countMatches(
  shop: Pick<Shop, 'database' | 'currency'>,
  query: FilterQuery,
): Promise<ProductFilters> {
  const search = createSearch(shop, query);
  if (!search) return countAll(shop, query);
  const found = await search(query.category);
  const inAll = query.category ? await search('') : found;
  const counts = new Map<string, number>();
  for (const { category } of inAll.matches)
    if (category !== null) counts.set(category, (counts.get(category) ?? 0) + 1);
  const total = found.matches.length;
  if (query.category && total > 0) counts.set(query.category, total);
  const isListed = query.archived === 'true' ? sql<boolean>`archived_at is not null` : isCurrent;
  return {
    matches: total,
    ...(total === maxMatches ? { atLeast: true as const } : {}),
    ...(found.isPartial ? { partial: true as const } : {}),
    categories: sortByName([...counts].map(([category, count]) => ({ category, count }))),
    words: inAll.matches.length > 0 ? found.words : await suggestWords(shop.database, found.terms, isListed),
  };
}

/** One step along the index for each category, and a count with a limit. */
async function countAll(
  shop: Pick<Shop, 'database' | 'currency'>,
  query: FilterQuery,
): Promise<ProductFilters> {
  const where = (category: string) =>
    sql.join(
      listFilters(shop, { ...query, category }).map(({ condition }) => condition),
      sql` and `,
    );
  const { rows } = await sql<{ category: string | null; count: number }>`
    ${withCategories}
    select category, (
      select count(*) from (
        select 1 from product where category = step.category and ${where('')} limit ${maxPerCategory + 1}
      ) as counted
    ) as count
    from (select category from step where category is not null limit ${maxCategories}) as step
    union all
    select null, count(*) from (
      select 1 from product where ${where(query.category)} limit ${maxMatches + 1}
    ) as counted`.execute(shop.database.db);
  const total = Number(rows.find(({ category }) => category === null)?.count ?? 0);
  const counts = rows.flatMap(({ category, count }) =>
    category === null || Number(count) === 0 ? [] : { category, count: Number(count) },
  );
  return {
    matches: Math.min(total, maxMatches),
    ...markLimit(total, maxMatches),
    categories: sortByName(counts).map(({ category, count }) => ({
      category,
      count: Math.min(count, maxPerCategory),
      ...markLimit(count, maxPerCategory),
    })),
    words: [],
  };
}

const markLimit = (count: number, limit: number) => (count > limit ? { atLeast: true as const } : {});

const sortByName = (counts: Count[]): Count[] =>
  counts.sort((a, b) => a.category.localeCompare(b.category, 'en'));
