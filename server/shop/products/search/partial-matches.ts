import { sql } from 'kysely';
import type { Database } from '../../../database/database.ts';
import type { Filter } from '../filters.ts';
import { listSegments, type Match, scoreOf, withScores } from './scores.ts';
import { isFunctionWord, isStopWord, toStem } from './stems.ts';
import { isFoundInside, type Term } from './terms.ts';

const maxMatches = 60;
/** Shorter words are not corrected. In a long description, they are rarely misspelled and often similar to other words. */
const minCorrected = 5;
/** A search reads at most this many products, or fewer if it has many words. Products with the rarest word come first. */
const maxCandidates = 1000;
const maxScores = 4000;

/** Finds the products that match the most and the rarest words, in any of their forms. The best matches come first. */
export async function findPartialMatches(
  { db, engine }: Database,
  searched: Term[],
  filters: Filter[],
): Promise<Match[]> {
  const terms = listStemTerms(searched);
  if (terms.length === 0) return [];
  const segments = terms.flatMap((term) => listSegments(engine, term));
  const limit = Math.min(maxCandidates, Math.ceil(maxScores / terms.length));
  const perSegment = Math.ceil(limit / terms.length);
  const conditions = filters.map(({ condition }) => condition);
  const rarity = (at: number) => sql.ref(`rarity_${at}`);
  const rarities = terms.map(
    // The 4 limits the rarity of a word that few candidates contain. Otherwise, one rare word would count more than several
    // matching words.
    (_, index) => sql`100000 / (4 + count(nullif(${scoreOf(index)}, 0))) as ${rarity(index)}`,
  );
  // A whole word counts 4 in the description and 10 in the name. Partial words count less.
  const weights = terms.map(
    (_, index) => sql`(${scoreOf(index)} % 100 + ${scoreOf(index)} / 100 * 6) * ${rarity(index)}`,
  );
  const { rows } = await sql<Match & { weight: number }>`
    ${withScores(engine, terms, segments, { limit, perSegment })}
    select product.id, product.category, product.category_key, match.name, match.weight
    from (select product_id, name, ${sql.join(weights, sql` + `)} as weight
      from scored cross join (select ${sql.join(rarities)} from scored) as rarity) as match
    cross join product
    where ${sql.join([sql`match.weight > 0 and product.id = match.product_id`, ...conditions], sql` and `)}
    order by match.weight desc, length(match.name), product.id limit ${maxMatches}`.execute(db);
  const best = Number(rows[0]?.weight ?? 0);
  // Drop products that match much less than the best product does.
  return rows.filter(({ weight }) => Number(weight) * 3 >= best);
}

/**
 * The stems that partial matches are searched by, and the corrections that occur in the names of these matches. Other corrections
 * must not be shown: they may come only from archived or deleted products.
 */
export const listPartialWords = (searched: Term[], matches: Match[]): string[] =>
  listStemTerms(searched).flatMap(({ word, corrections }) => [
    word,
    ...corrections.filter((correction) => matches.some(({ name }) => name.includes(` ${correction} `))),
  ]);

/** The terms with stems as words, the rarest first, without stop words. */
const listStemTerms = (terms: Term[]): Term[] =>
  terms
    .filter(({ word }) => !isStopWord(word) && (word.length > 1 || isFoundInside(word)))
    .toSorted((a, b) => a.entries - b.entries)
    .map((term) => ({
      ...term,
      word: toStem(term.word),
      corrections: isSpelledRight(term) ? [] : term.corrections.filter((word) => !isFunctionWord(word)),
      entries: Math.max(term.entries, 1),
    }));

const isSpelledRight = ({ word, entries }: Term): boolean => entries > 0 || word.length < minCorrected;
