import { sql } from 'kysely';
import { isIn } from '../../../database/is-in.ts';
import { startsWith } from '../../../database/prefixes.ts';
import type { Db, Engine } from '../../../database/schema.ts';
import { listDeletions } from '../../../database/search-text.ts';
import { isFunctionWord } from './stems.ts';
import type { Term } from './terms.ts';

const maxForms = 200;
/** The limit for all words together, because each correction is looked up in the text of each product. */
const maxCorrections = 20;
/** A shorter prefix with a typo matches too many words; a longer one is not typed by hand. */
const [minStart, maxStart] = [5, 25];

/**
 * Adds to each term the words of the catalogue that are one typo away: a letter missing, added, replaced or swapped with the next.
 * A word that the catalogue contains is corrected only if the catalogue contains all words of the search. A searched word with
 * which no word of the catalogue starts may also be a misspelled prefix. It is then corrected to all words with the correct prefix.
 */
export async function correctTerms(
  { db, engine }: { db: Db; engine: Engine },
  terms: Term[],
): Promise<Term[]> {
  const unknown = terms.filter(({ isWhole }) => !isWhole);
  const misspelled = (unknown.length > 0 ? unknown : terms).filter(
    ({ word }) => listDeletions(word).length > 0,
  );
  if (misspelled.length === 0) return terms;
  const maxPerWord = Math.ceil(maxCorrections / misspelled.length);
  const selects = misspelled.flatMap(({ word, entries }) => {
    const forms = [word, ...listDeletions(word)];
    const select = (condition: typeof isDeletion) => sql`select ${word} as typed, word from (
        select word from search_form where ${condition} order by form, word limit ${maxForms}
      ) as found`;
    return [
      select(sql`${isDeletion} and ${isIn(engine, sql.ref('form'), forms)}`),
      sql`select ${word} as typed, word from search_word where ${isIn(engine, sql.ref('word'), forms)}`,
      ...(entries === 0 ? listStarts(word, forms) : []).map((start) =>
        select(sql`${isDeletion} and ${startsWith(sql.ref('form'), start)}`),
      ),
    ];
  });
  const { rows } = await sql<{ typed: string; word: string }>`${sql.join(selects, sql` union all `)}`.execute(
    db,
  );
  // Nearly every product contains a function word such as “the” or “in”. A correction to a function word is allowed only beside
  // other words, and not for a word that the catalogue has, such as “pin”.
  const isAllowed = (word: string) => (terms.length > 1 && unknown.length > 0) || !isFunctionWord(word);
  return terms.map((term) => ({
    ...term,
    corrections: listCorrections(
      term.word,
      rows.filter(({ typed, word }) => typed === term.word && isAllowed(word)).map(({ word }) => word),
    ).slice(0, maxPerWord),
  }));
}

const isDeletion = sql<boolean>`kind = 'deletion'`;

/** The starts of the forms of all words that a misspelled prefix may mean. The prefix's first letter must be right. */
function listStarts(word: string, forms: string[]): string[] {
  const { length } = [...word];
  return length < minStart || length > maxStart ? [] : forms.filter((form) => form.at(0) === word.at(0));
}

/**
 * Corrections of the whole word come first. Words that start with such a correction follow or, if there is none, words that start
 * with the corrected prefix.
 */
function listCorrections(typed: string, found: string[]): string[] {
  const words = [...new Set(found)].filter((word) => word !== typed);
  const whole = words.filter((word) => isOneTypo(typed, word)).sort();
  const continued = whole.filter((word) => word.length >= typed.length);
  const started = words
    .filter((word) => !whole.includes(word) && isStart(typed, word))
    .filter((word) => whole.length === 0 || continued.some((one) => word.startsWith(one)))
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return [...whole, ...started];
}

/** Whether the typed text is a prefix of a word, except for one typo. */
function isStart(typed: string, word: string): boolean {
  const [letters, { length }] = [[...word], [...typed]];
  return [length - 1, length, length + 1].some((end) => isOneTypo(typed, letters.slice(0, end).join('')));
}

/** Whether one letter is missing, added, replaced or swapped with the next. */
export function isOneTypo(one: string, other: string): boolean {
  const [a, b] = [[...one], [...other]];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
