import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import type { Database } from '../../database/database.ts';
import { matchPrefix } from '../../database/prefixes.ts';
import type { Engine } from '../../database/schema.ts';

export type Filter = {
  condition: RawBuilder<boolean>;
  /** Selects the ids of the products that pass, from an index; at most one more than `maxCandidates`. */
  candidates?: RawBuilder<unknown>;
};

export const maxCandidates = 2000;

type ListQuery = Pick<
  Query<typeof contract.listProducts>,
  'q' | 'category' | 'archived' | 'inStock' | 'lowStock'
>;

/** The filters of a list, all of which its products pass. The conditions are those of migrations 012 and 016. */
export async function listFilters(database: Database, query: ListQuery): Promise<Filter[]> {
  const { q, category, archived, inStock, lowStock } = query;
  const words = await sortByMatches(database, splitWords(q));
  const filters: Filter[] = [];
  if (words.length > 0) {
    const { condition, candidates } = filterByWords(database.engine, words, sql`product.id`);
    filters.push({ condition, candidates: sql`${candidates} limit ${maxCandidates + 1}` });
  }
  if (category) filters.push(filterByIndex(sql<boolean>`category = ${category}`, sql`id`));
  if (archived === 'true') filters.push(filterByIndex(sql<boolean>`archived_at is not null`, sql`id`));
  else filters.push({ condition: sql<boolean>`archived_at is null` });
  const isSoldOut = sql<boolean>`available < minimum`;
  const isOnlyLow = sql<boolean>`available < low_stock and available >= minimum`;
  if (inStock === 'false') filters.push(filterByStock(query, [isSoldOut]));
  if (lowStock === 'true') filters.push(filterByStock(query, [isSoldOut, isOnlyLow]));
  return filters;
}

/** `order` is that of the index. */
const filterByIndex = (condition: RawBuilder<boolean>, order: RawBuilder<unknown>): Filter => ({
  condition,
  candidates: sql`select id from product where ${condition} order by ${order} limit ${maxCandidates + 1}`,
});

/** Products that pass one of the conditions, each of which has an index. */
function filterByStock({ archived }: ListQuery, conditions: RawBuilder<boolean>[]): Filter {
  const condition = sql<boolean>`(${sql.join(conditions, sql` or `)})`;
  // The indexes have only products on sale.
  if (archived === 'true') return { condition };
  const parts = conditions.map((one) => {
    const { candidates } = filterByIndex(sql<boolean>`archived_at is null and ${one}`, sql`available`);
    return sql`select id from (${candidates}) as matches`;
  });
  return { condition, candidates: sql.join(parts, sql` union all `) };
}

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
export function filterByText(
  engine: Engine,
  text: string,
  id: RawBuilder<unknown>,
): Required<Filter> | undefined {
  const words = splitWords(text);
  return words.length > 0 ? filterByWords(engine, words, id) : undefined;
}

/** Above this, the exact number of matches does not matter. */
const maxCountedMatches = 5000;

/** The word with the fewest matches comes first. */
async function sortByMatches({ db, engine }: Database, words: string[]): Promise<string[]> {
  if (words.length < 2) return words;
  const counts = words.map(
    (word) => sql`select ${word} as word, count(*) as found from
      (select 1 from product_word where ${startsWith(engine, word)} limit ${maxCountedMatches}) as matches`,
  );
  const { rows } = await sql<{ word: string; found: number }>`
    ${sql.join(counts, sql` union all `)}`.execute(db);
  return rows.sort((a, b) => a.found - b.found).map(({ word }) => word);
}

function startsWith(engine: Engine, prefix: string): RawBuilder<boolean> {
  const word = engine === 'sqlite' ? sql<string>`word` : sql<string>`word collate "C"`;
  return sql`(${sql.join(matchPrefix([word], prefix), sql` or `)})`;
}

/** Products with words that start with these. The first should have the fewest matches. */
function filterByWords(engine: Engine, prefixes: string[], id: RawBuilder<unknown>): Required<Filter> {
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
