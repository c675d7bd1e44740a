import { type RawBuilder, sql } from 'kysely';
import { startsWith } from './prefixes.ts';
import { listSearchWords, toSearchText } from './search-text.ts';

export type Match = {
  /** Selects the `id` of each row that matches, some of them twice, from an index. */
  ids: RawBuilder<unknown>;
  /** Whether an id belongs to a matching row. Scalar, because PostgreSQL would evaluate an `exists` for all rows. */
  hasId: (id: RawBuilder<unknown>) => RawBuilder<boolean>;
};

const maxWords = 8;

/**
 * Only the first few distinct words count: with fifty conditions, SQLite would check all of them for every row instead of
 * walking the index of the sort order. No word contains an `@`, as a text with the start of an email address does. The longest
 * word probably has the fewest matches.
 */
export const splitWords = (text: string): string[] =>
  text.includes('@')
    ? []
    : listSearchWords(toSearchText(text))
        .slice(0, maxWords)
        .sort((one, other) => other.length - one.length);

/**
 * Finds users, or products, including deleted ones that were ordered. For each word of `text`, their name contains a word that
 * starts with it. Order, case, accents and punctuation do not count. Undefined for a text without a word.
 */
export function matchWords(subject: 'product' | 'user', text: string): Match | undefined {
  const [table, owner] = [sql.ref(`${subject}_word`), sql.ref(`${subject}_id`)];
  const [first, ...others] = splitWords(text).map((word) => startsWith(sql.ref('word'), word));
  if (!first) return undefined;
  const hasOthers = others.map(
    (hasWord) => sql`exists (select 1 from ${table} where ${owner} = found.${owner} and ${hasWord})`,
  );
  return {
    ids: sql`select ${owner} as id from ${table} as found where ${sql.join([first, ...hasOthers], sql` and `)}`,
    // Counting keeps PostgreSQL from collecting all matches of a common word first.
    hasId: (id) => {
      const hasWords = [first, ...others].map(
        (hasWord) => sql`(select count(*) from ${table} where ${owner} = ${id} and ${hasWord}) > 0`,
      );
      return sql`(${sql.join(hasWords, sql` and `)})`;
    },
  };
}
