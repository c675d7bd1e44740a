import { type RawBuilder, sql } from 'kysely';
import { startsWith } from '../../database/prefixes.ts';
import { listSearchWords, toSearchText } from '../../database/search-text.ts';

type WordFilter = {
  condition: RawBuilder<boolean>;
  /** Selects the ids of the matching products from an index. */
  candidates: RawBuilder<unknown>;
};

const maxWords = 8;

/**
 * Only the first few distinct words count: with fifty conditions, SQLite would check all of them for every product instead
 * of walking the index of the sort order. No word contains an `@`, as a text with the start of an email address does.
 */
const splitWords = (text: string): string[] =>
  text.includes('@') ? [] : listSearchWords(toSearchText(text)).slice(0, maxWords);

/**
 * Finds products, or ordered ones that are deleted, by the start of the words of their names. The condition is on `id`,
 * and the number of candidates has no limit. Undefined for a text without a word.
 */
export function filterByText(text: string, id: RawBuilder<unknown>): WordFilter | undefined {
  const words = splitWords(text);
  return words.length > 0 ? filterByWords(words, id) : undefined;
}

const hasPrefix = (prefix: string) => startsWith(sql.ref('word'), prefix);

/** Products with words that start with these. The first should have the fewest matches. */
function filterByWords(prefixes: string[], id: RawBuilder<unknown>): WordFilter {
  const [first = '', ...others] = prefixes;
  const hasOthers = others.map(
    (prefix) =>
      sql`exists (select 1 from product_word where product_id = found.product_id and ${hasPrefix(prefix)})`,
  );
  // Counting keeps PostgreSQL from collecting all matches of a common word first.
  const hasAll = prefixes.map(
    (prefix) =>
      sql`(select count(*) from product_word where product_id = ${id} and ${hasPrefix(prefix)}) > 0`,
  );
  return {
    condition: sql<boolean>`(${sql.join(hasAll, sql` and `)})`,
    candidates: sql`select product_id from product_word as found
      where ${sql.join([hasPrefix(first), ...hasOthers], sql` and `)}`,
  };
}
