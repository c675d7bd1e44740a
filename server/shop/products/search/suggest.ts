import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../database/database.ts';
import { isIn } from '../../../database/is-in.ts';
import { isFunctionWord } from './stems.ts';
import type { Term } from './terms.ts';

const maxSuggestions = 6;
const maxPerWord = 3;
/** How many close words are checked for each searched word. Some may belong only to products that are not listed. */
const maxClosePerWord = 10;
/** How many products are checked for each close word. */
const maxChecked = 100;
/** How many words before and after a searched word, in alphabetical order, are compared with it. They start like it. */
const maxCompared = 100;

/**
 * Words that are close to those of a search that found nothing. The index also has words that only archived or deleted
 * products have. Visitors must not learn these, so only words of products that meet the condition `isListed` are suggested.
 */
export async function suggestWords(
  database: Database,
  terms: Term[],
  isListed: RawBuilder<boolean>,
): Promise<string[]> {
  const unknown = terms.filter(({ entries, corrections }) => entries === 0 && corrections.length === 0);
  const similar = await findSimilar(database, unknown);
  const lists = terms.map(({ word, isWhole, inside, corrections }) => {
    const close = [...(isWhole ? [word] : []), ...corrections, ...inside].slice(0, maxClosePerWord);
    return close.length > 0 ? close : pickClosest(word, similar.get(word) ?? []);
  });
  const listed = await selectListed(database, lists.flat(), isListed);
  const words = lists.flatMap((close, index) => {
    const found = close.filter((word) => listed.has(word));
    return found.slice(0, found[0] === terms[index]?.word ? 1 : maxPerWord);
  });
  return [...new Set(words)].slice(0, maxSuggestions);
}

/** Maps each word to some indexed words that start with the same two characters. */
async function findSimilar({ db }: Database, terms: Term[]): Promise<Map<string, string[]>> {
  const similar = new Map<string, string[]>();
  if (terms.length === 0) return similar;
  const selects = terms.flatMap(({ word }) =>
    [sql`word > ${word} order by word`, sql`word < ${word} order by word desc`].map(
      (next) => sql`select ${word} as typed, word from (
        select word from search_word where ${next} limit ${maxCompared}
      ) as found`,
    ),
  );
  const { rows } = await sql<{
    typed: string;
    word: string;
  }>`${sql.join(selects, sql` union all `)}`.execute(db);
  for (const { typed, word } of rows)
    if (startOf(word) === startOf(typed) && !isFunctionWord(word)) similar.getOrInsert(typed, []).push(word);
  return similar;
}

/** The words that at least one listed product has. */
async function selectListed(
  { db, engine }: Database,
  words: string[],
  isListed: RawBuilder<boolean>,
): Promise<Set<string>> {
  if (words.length === 0) return new Set();
  const entries = [0, 1].map(
    (tier) => sql`select number from (
      select number from search_entry where tier = ${sql.lit(tier)} and word = search_word.word limit ${maxChecked}
    ) as entry`,
  );
  const { rows } = await sql<{ word: string }>`
    select word from search_word where ${isIn(engine, sql.ref('word'), words)} and exists (
      select 1 from (${sql.join(entries, sql` union all `)}) as entry
      cross join search_text cross join product
      where search_text.number = entry.number and product.id = search_text.product_id and ${isListed}
    )`.execute(db);
  return new Set(rows.map(({ word }) => word));
}

const startOf = (word: string): string => [...word].slice(0, 2).join('');

/** The words that are most similar to the searched one. */
const pickClosest = (word: string, candidates: string[]): string[] =>
  candidates
    .map((candidate) => ({ candidate, similarity: compareLetters(word, candidate) }))
    .sort((a, b) => b.similarity - a.similarity || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, maxClosePerWord)
    .map(({ candidate }) => candidate);

/** The Sørensen–Dice coefficient of the words’ bigrams, from 0 to 1. */
function compareLetters(one: string, other: string): number {
  const [pairs, others] = [listPairs(one), listPairs(other)];
  return (2 * pairs.intersection(others).size) / (pairs.size + others.size);
}

const listPairs = (word: string): Set<string> =>
  new Set([...word].slice(1).map((letter, index) => [...word][index] + letter));
