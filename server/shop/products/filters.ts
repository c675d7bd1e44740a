import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { matchPrefix } from '../../database/prefixes.ts';
import type { Engine } from '../../database/schema.ts';

/** The columns that indexes sort. */
export type SortColumn = 'id' | 'name' | 'price' | 'available';

export type Filter = {
  condition: RawBuilder<boolean>;
  /** Selects the ids of the matching products from an index. */
  candidates?: RawBuilder<unknown>;
  /** The sort columns of the indexes that contain the matching products, and these indexes' conditions. Together, they contain all. */
  sorted?: { by: SortColumn[]; parts: RawBuilder<boolean>[] };
};
type WordFilter = Required<Omit<Filter, 'sorted'>>;

type ListQuery = Pick<
  Query<typeof contract.listProducts>,
  'q' | 'category' | 'archived' | 'inStock' | 'lowStock'
>;

/** The filters of a list, all of which its products pass. The conditions are those of migrations 012, 016 and 023. */
export function listFilters(engine: Engine, query: ListQuery): Filter[] {
  const { q, category, archived, inStock, lowStock } = query;
  const filters: Filter[] = splitWords(q).map((word) => filterByWords(engine, [word], sql`product.id`));
  if (category) filters.push(filterByIndex(['id'], [sql<boolean>`category = ${category}`]));
  const isCurrent = sql<boolean>`archived_at is null`;
  if (archived === 'true')
    filters.push(
      filterByIndex(['id', 'name', 'price', 'available'], [sql<boolean>`archived_at is not null`]),
    );
  else if (!inStock && !lowStock)
    filters.push({ condition: isCurrent, sorted: { by: ['id'], parts: [isCurrent] } });
  const isSoldOut = sql<boolean>`available < minimum`;
  const isLow = sql<boolean>`available < low_stock`;
  const stock = [
    ...(inStock === 'false' ? [[isSoldOut]] : []),
    ...(lowStock === 'true' ? [[isSoldOut, isLow]] : []),
  ];
  for (const conditions of stock)
    filters.push(
      archived === 'true'
        ? // The indexes contain only products on sale.
          { condition: anyOf(conditions) }
        : filterByIndex(
            ['available'],
            conditions.map((condition) => sql<boolean>`${isCurrent} and ${condition}`),
          ),
    );
  return filters;
}

/** Products that match any of the conditions; each condition has an index sorted by each of these columns. */
function filterByIndex(by: SortColumn[], parts: RawBuilder<boolean>[]): Filter {
  const selects = parts.map((part) => sql`select id from product where ${part}`);
  return {
    condition: anyOf(parts),
    candidates: sql.join(selects, sql` union all `),
    sorted: { by, parts },
  };
}

const anyOf = (conditions: RawBuilder<boolean>[]) => sql<boolean>`(${sql.join(conditions, sql` or `)})`;

const maxWords = 8;

/** Migration 016 splits names at these characters, too. */
export const splitIntoWords = (text: string): string[] => text.split(/[\s\-/,.()"'&+:;_]+/).filter(Boolean);

/**
 * Only the first few distinct words count: with fifty conditions, SQLite would check all of them for every product instead
 * of walking the index of the sort order.
 */
const splitWords = (text: string): string[] => [...new Set(splitIntoWords(text))].slice(0, maxWords);

/**
 * Finds products, or ordered ones that are deleted, by the start of the words of their names. The condition is one of `id`,
 * and the number of candidates has no limit. Undefined for a text without a word.
 */
export function filterByText(engine: Engine, text: string, id: RawBuilder<unknown>): WordFilter | undefined {
  const words = splitWords(text);
  return words.length > 0 ? filterByWords(engine, words, id) : undefined;
}

function startsWith(engine: Engine, prefix: string): RawBuilder<boolean> {
  const word = engine === 'sqlite' ? sql<string>`word` : sql<string>`word collate "C"`;
  return sql`(${sql.join(matchPrefix([word], prefix), sql` or `)})`;
}

/** Products with words that start with these. The first should have the fewest matches. */
function filterByWords(engine: Engine, prefixes: string[], id: RawBuilder<unknown>): WordFilter {
  const [first = '', ...others] = prefixes;
  const hasOthers = others.map(
    (prefix) =>
      sql`exists (select 1 from product_word where product_id = found.product_id and ${startsWith(engine, prefix)})`,
  );
  // Counting keeps PostgreSQL from collecting all matches of a common word first.
  const hasAll = prefixes.map(
    (prefix) =>
      sql`(select count(*) from product_word where product_id = ${id} and ${startsWith(engine, prefix)}) > 0`,
  );
  return {
    condition: sql<boolean>`(${sql.join(hasAll, sql` and `)})`,
    candidates: sql`select product_id from product_word as found
      where ${sql.join([startsWith(engine, first), ...hasOthers], sql` and `)}`,
  };
}
