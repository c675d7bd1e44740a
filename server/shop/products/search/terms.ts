import { type RawBuilder, sql } from 'kysely';
import { startsWith } from '../../../database/prefixes.ts';
import type { Db } from '../../../database/schema.ts';
import { listSearchWords, toSearchText } from '../../../database/search-text.ts';
import { isFunctionWord, isStopWord } from './stems.ts';

/** One word of a search, and the words of the catalogue that it finds. */
export type Term = {
  word: string;
  /** Whether the catalogue has this very word. */
  isWhole: boolean;
  /** Words that contain `word`. Words that start with `word` need no list, because they are a range of the index. */
  inside: string[];
  /** Words of which `word` may be a misspelling, or a misspelled prefix. */
  corrections: string[];
  /** The synonyms that the owner has entered for `word` and that the catalogue contains. */
  synonyms: Synonym[];
  /** How many entries of the index contain `word` or start with an anchor of its synonyms, at most `maxCounted` for each. */
  entries: number;
};

/** One or more words as the index writes them. The index is searched for its longest word, the anchor. */
export type Synonym = { text: string; anchor: string };

const maxWords = 8;
const maxInside = 200;
const maxCounted = 1000;

/** Two letters are in too many words, except in scripts that write a word with two or three characters. */
export const isFoundInside = (word: string): boolean => word.length > 2 || /[^\0-\u024f]/.test(word);

/**
 * Only the first few distinct words count. Function words count only if there are no others: a tool's text need not repeat the
 * “a” of “oil a movement”. A long description loses its other stop words first.
 */
export function splitSearch(q: string): string[] {
  const all = listSearchWords(toSearchText(q));
  const others = all.filter((word) => !isFunctionWord(word));
  const words = others.length > 0 ? others : all;
  const sorted = words.length > maxWords ? words.toSorted((a, b) => +isStopWord(a) - +isStopWord(b)) : words;
  return sorted.slice(0, maxWords);
}

/**
 * Looks up all words in one statement that reads a limited part of the index. With `inside`, also counts the entries whose words
 * contain a word elsewhere than at the start.
 */
export async function readTerms(
  db: Db,
  words: string[],
  { inside: findsInside = true } = {},
): Promise<Term[]> {
  const word = sql.ref('word');
  const selects = words.flatMap((text, index) => {
    const position = sql`cast(${index} as bigint) as at`;
    const inside = sql`select word from search_form where kind = 'suffix' and ${startsWith(sql.ref('form'), text)}
      order by form, word limit ${maxInside}`;
    const entries = (condition: RawBuilder<boolean>) =>
      [0, 1].map(
        (tier) => sql`
        select ${position}, count(*) as entries, null as word from (
          select 1 from search_entry where tier = ${sql.lit(tier)} and ${condition} limit ${maxCounted}
        ) as entry`,
      );
    return [
      sql`select ${position}, 0 as entries, word from search_word where word = ${text}`,
      ...entries(startsWith(word, text)),
      ...(findsInside && isFoundInside(text)
        ? [
            ...entries(sql`word in (select word from (${inside}) as found)`),
            sql`select ${position}, 0 as entries, word from (${inside}) as found`,
          ]
        : []),
    ];
  });
  const { rows } = await sql<{ at: number; entries: number; word: string | null }>`
    ${sql.join(selects, sql` union all `)}`.execute(db);
  return words.map((text, index) => {
    const found = rows.filter((row) => Number(row.at) === index);
    const similar = new Set(found.flatMap((row) => row.word ?? []));
    return {
      word: text,
      isWhole: similar.delete(text),
      inside: [...similar].sort(),
      corrections: [],
      synonyms: [],
      entries: found.reduce((sum, row) => sum + Number(row.entries), 0),
    };
  });
}
