import { type RawBuilder, sql } from 'kysely';
import { matchPrefix } from '../../database/prefixes.ts';
import type { Engine } from '../../database/schema.ts';

type WordFilter = {
  condition: RawBuilder<boolean>;
  /** Selects the ids of the matching products from an index. */
  candidates: RawBuilder<unknown>;
};

const maxWords = 8;

/** Migration 016 splits names at these characters, too. */
export const splitIntoWords = (text: string): string[] => text.split(/[\s\-/,.()"'&+:;_]+/).filter(Boolean);

/**
 * Only the first few distinct words count: with fifty conditions, SQLite would check all of them for every product instead
 * of walking the index of the sort order.
 */
const splitWords = (text: string): string[] => [...new Set(splitIntoWords(text))].slice(0, maxWords);

/**
 * Finds products, or ordered ones that are deleted, by the start of the words of their names. The condition is on `id`,
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
