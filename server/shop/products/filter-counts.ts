import { sql } from 'kysely';
import type { ProductFilters } from '../../../contract/catalogue/product-list.ts';
import { toCategoryKey } from '../../database/search-text.ts';
import type { Shop } from '../shop.ts';
import { type FilterQuery, isCurrent, listFilters } from './filters.ts';
import { categoryName, compareCategories, withCategories } from './list.ts';
import type { Match } from './search/scores.ts';
import { createSearch, maxMatches } from './search/search.ts';
import { suggestWords } from './search/suggest.ts';

const maxCategories = 100;
const maxPerCategory = 200;

type Count = { category: string; count: number };

/**
 * Counts the products of a list, in total and by category. The counts by category ignore the list's category filter. A search in
 * one category may correct words that match only in other categories. So the total and the count of the chosen category come from
 * the list's own search, and the other counts from the search without a category.
 */
export async function countMatches(
  shop: Pick<Shop, 'database' | 'currency'>,
  query: FilterQuery,
): Promise<ProductFilters> {
  const search = createSearch(shop, query);
  if (!search) return countAll(shop, query);
  const found = await search(query.category);
  const inAll = query.category ? await search('') : found;
  const total = found.matches.length;
  const current = toCategoryKey(query.category);
  const others = inAll.matches.filter(({ category_key: key }) => total === 0 || key !== current);
  const isListed = query.archived === 'true' ? sql<boolean>`archived_at is not null` : isCurrent;
  return {
    matches: total,
    ...(total === maxMatches ? { atLeast: true as const } : {}),
    ...(found.isPartial ? { partial: true as const } : {}),
    categories: countByCategory(query.category ? [...others, ...found.matches] : found.matches),
    words: inAll.matches.length > 0 ? found.words : await suggestWords(shop.database, found.terms, isListed),
  };
}

/** Counts matches by category. A category is written as in its newest match. */
function countByCategory(matches: Match[]): Count[] {
  const counts = new Map<string, Count & { id: string }>();
  for (const { id, category, category_key: key } of matches) {
    if (category === null || key === null) continue;
    const { count, ...newest } = counts.get(key) ?? { id, category, count: 0 };
    counts.set(key, { ...(id > newest.id ? { id, category } : newest), count: count + 1 });
  }
  return sortByName([...counts.values()].map(({ category, count }) => ({ category, count })));
}

/** Steps along the index from category to category and counts the products of each, up to a limit. */
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
    select ${categoryName} as category, (
      select count(*) from (
        select 1 from product where category_key = step.category_key and ${where('')} limit ${maxPerCategory + 1}
      ) as counted
    ) as count
    from (select category_key from step where category_key is not null limit ${maxCategories}) as step
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
  counts.sort((a, b) => compareCategories(a.category, b.category));
