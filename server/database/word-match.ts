import { type RawBuilder, sql } from 'kysely';
import { startsWith } from './prefixes.ts';
import { listSearchWords, toSearchText } from './search-text.ts';

export type Match = {
  /** Selects the `id` of each row that matches, some of them twice, from an index. */
  ids: RawBuilder<unknown>;
  /**
   * Whether an id belongs to a matching row. The expression is scalar, because PostgreSQL would evaluate an `exists` for all rows.
   */
  hasId: (id: RawBuilder<unknown>) => RawBuilder<boolean>;
};

const maxWords = 8;

/**
 * The words of a text that `matchWords` looks up, without duplicates. The longest word, which probably has the fewest matches,
 * comes first.
 *
 * Takes only the first few words: with fifty conditions, SQLite would check all of them for every row instead of walking the index
 * of the sort order. A text with an `@` is the start of an email address and has no words.
 */
export const splitWords = (text: string): string[] =>
  text.includes('@')
    ? []
    : listSearchWords(toSearchText(text))
        .slice(0, maxWords)
        .sort((one, other) => other.length - one.length);

/**
 * Finds users or products by the words of their names: each word of `text` must be the start of a word in the name. Order, case,
 * accents and punctuation do not count. Products include deleted ones that were ordered. Undefined for a text without a word.
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
    // With a count instead of an `exists`, PostgreSQL does not collect all matches of a common word first.
    hasId: (id) => {
      const hasWords = [first, ...others].map(
        (hasWord) => sql`(select count(*) from ${table} where ${owner} = ${id} and ${hasWord}) > 0`,
      );
      return sql`(${sql.join(hasWords, sql` and `)})`;
    },
  };
}
