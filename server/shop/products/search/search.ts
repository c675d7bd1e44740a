import { sql } from 'kysely';
import type { Database } from '../../../database/database.ts';
import type { Shop } from '../../shop.ts';
import { type Filter, type FilterQuery, listFilters } from '../filters.ts';
import { correctTerms } from './corrections.ts';
import { findPartialMatches, listPartialWords } from './partial-matches.ts';
import { listSegments, type Match, scoreOf, withScores } from './scores.ts';
import { readTerms, splitSearch, type Term } from './terms.ts';

/** A search has at most this many results, the best ones. */
export const maxMatches = 1000;
/** A search reads at most this many products: those with its rarest word, names first. */
const maxCandidates = 1000;
/** A search with several words or with filters reads more, because fewer of these products match. */
const maxFilteredCandidates = 2000;

/** If at most this many products match, misspelled words are corrected, too. */
const fewMatches = 2;

export type Found = {
  /** The best first. */
  matches: Match[];
  /** The products match only some of the words. */
  isPartial: boolean;
  /** The corrections that the best match contains; if the matches are partial, all stems and corrections. */
  words: string[];
  terms: Term[];
};

/**
 * Finds the products that match all words of a search. If none does in any category and the query has `partial`, finds the
 * closest ones with some of the words. Undefined without a search.
 */
export async function searchProducts(
  shop: Pick<Shop, 'database' | 'currency'>,
  query: FilterQuery,
): Promise<Found | undefined> {
  const { database } = shop;
  const { q, category, partial } = query;
  if (q === '') return undefined;
  const filters = listFilters(shop, query);
  const words = splitSearch(q);
  const terms = words.length > 0 ? await readTerms(database.db, words) : [];
  const direct = await findMatches(database, terms, filters);
  const found = { matches: direct, isPartial: false, words: [], terms };
  if (direct.length > fewMatches || (direct.length > 0 && terms.every(({ isWhole }) => isWhole)))
    return found;
  const corrected = await correctTerms(database, terms);
  const isCorrected = corrected.some(({ corrections }) => corrections.length > 0);
  const matches = isCorrected ? await findMatches(database, corrected, filters) : direct;
  if (matches.length === 0 && partial) {
    // Search every category, as the counts by category do.
    const anyCategory = listFilters(shop, { ...query, category: '' });
    const hasOthers = category !== '' && (await findMatches(database, corrected, anyCategory)).length > 0;
    const closest = hasOthers ? [] : await findPartialMatches(database, corrected, anyCategory);
    return {
      matches: category === '' ? closest : closest.filter((match) => match.category === category),
      isPartial: closest.length > 0,
      words: listPartialWords(corrected, closest),
      terms: corrected,
    };
  }
  const best = matches[0]?.name ?? '';
  const used = corrected
    .flatMap(({ corrections }) => corrections)
    .filter((word) => best.includes(` ${word} `));
  return { ...found, matches, words: [...new Set(used)], terms: corrected };
}

async function findMatches({ db, engine }: Database, terms: Term[], filters: Filter[]): Promise<Match[]> {
  const conditions = filters.map(({ condition }) => condition);
  const isUnknown = ({ entries, corrections }: Term) => entries === 0 && corrections.length === 0;
  const [rarest] = terms.toSorted((a, b) => a.entries - b.entries);
  if (!rarest || terms.some(isUnknown)) return [];
  const isFiltered = terms.length > 1 || filters.some(({ candidates }) => candidates);
  const limit = isFiltered ? maxFilteredCandidates : maxCandidates;
  const scores = terms.map((_, at) => scoreOf(at));
  const segments = listSegments(engine, rarest);
  // SQLite keeps the order of a cross join; otherwise it may start with all products of a category.
  const { rows } = await sql<Match>`
    ${withScores(engine, terms, segments, { limit, perSegment: limit })}
    select product.id, product.category, match.name
    from (select product_id, name, ${sql.join(scores, sql` + `)} as score from scored
      where ${sql.join(
        scores.map((score) => sql`${score} > 0`),
        sql` and `,
      )}) as match
    cross join product
    where ${sql.join([sql`product.id = match.product_id`, ...conditions], sql` and `)}
    order by match.score desc, length(match.name), product.id limit ${maxMatches}`.execute(db);
  return rows;
}
