import { sql } from 'kysely';
import { loadOnce } from '../../../config/load-once.ts';
import type { Database } from '../../../database/database.ts';
import { toCategoryKey } from '../../../database/search-text.ts';
import { readSynonyms } from '../../printing/shop-details.ts';
import type { Shop } from '../../shop.ts';
import { type Filter, type FilterQuery, listFilters } from '../filters.ts';
import { correctTerms } from './corrections.ts';
import { findPartialMatches, listPartialWords } from './partial-matches.ts';
import { listSegments, type Match, scoreOf, withScores } from './scores.ts';
import { addSynonyms } from './synonyms.ts';
import { readTerms, splitSearch, type Term } from './terms.ts';

/** A search has at most this many results, the best ones. */
export const maxMatches = 1000;
/** A search reads at most this many of the products with its rarest word. Products with the word in their name come first. */
const maxCandidates = 1000;
/** A search with several words or with filters reads up to this many products, because fewer of them match. */
const maxFilteredCandidates = 2000;

/** If at most this many products match, misspelled words are corrected, too. */
const fewMatches = 2;

export type Found = {
  /** The best match comes first. */
  matches: Match[];
  /** The products match only some of the words. */
  isPartial: boolean;
  /**
   * If the matches are partial: all stems, and the corrections that these matches contain. Otherwise: the corrections and synonyms
   * that the best match contains.
   */
  words: string[];
  terms: Term[];
};

/**
 * Finds the products that match all words of a search in a category; '' is all categories. If no product in any category does and
 * the query has `partial`, finds the closest products with some of the words.
 */
export type Search = (category: string) => Promise<Found>;

/** A search that repeats no work for a second category. Undefined if the query has no `q`. */
export function createSearch(
  shop: Pick<Shop, 'database' | 'currency'>,
  query: FilterQuery,
): Search | undefined {
  const { database } = shop;
  const { q, partial } = query;
  if (q === '') return undefined;
  const words = splitSearch(q);
  const inCategory = (category: string) => listFilters(shop, { ...query, category });
  const readOnce = loadOnce(async () => {
    if (words.length === 0) return [];
    const [terms, synonyms] = await Promise.all([readTerms(database.db, words), readSynonyms(database.db)]);
    return addSynonyms(database.db, terms, synonyms);
  });
  const correctOnce = loadOnce(async () => correctTerms(database, await readOnce()));
  const matchPartlyOnce = loadOnce(async () =>
    findPartialMatches(database, await correctOnce(), inCategory('')),
  );
  const correctedMatches = new Map<string, Promise<Match[]>>();
  const matchCorrected = (category: string) =>
    correctedMatches.getOrInsertComputed(category, async () =>
      findMatches(database, await correctOnce(), inCategory(category)),
    );

  return async (category) => {
    const terms = await readOnce();
    const direct = await findMatches(database, terms, inCategory(category));
    const found = { matches: direct, isPartial: false, words: listSynonyms(terms, direct), terms };
    if (direct.length > fewMatches || (direct.length > 0 && terms.every(({ isWhole }) => isWhole)))
      return found;
    const corrected = await correctOnce();
    const isCorrected = corrected.some(({ corrections }) => corrections.length > 0);
    const matches = isCorrected ? await matchCorrected(category) : direct;
    if (matches.length === 0 && partial) {
      // Before settling for partial matches, search every category, as the counts by category do.
      const isFoundElsewhere = category !== '' && (await matchCorrected('')).length > 0;
      const closest = isFoundElsewhere ? [] : await matchPartlyOnce();
      return {
        matches:
          category === ''
            ? closest
            : closest.filter((match) => match.category_key === toCategoryKey(category)),
        isPartial: closest.length > 0,
        words: listPartialWords(corrected, closest),
        terms: corrected,
      };
    }
    const best = matches[0]?.name ?? '';
    const used = corrected
      .flatMap(({ corrections }) => corrections)
      .filter((word) => best.includes(` ${word} `));
    const synonyms = listSynonyms(terms, matches);
    return { ...found, matches, words: [...new Set([...used, ...synonyms])], terms: corrected };
  };
}

/** The words of the synonyms that the best match has in its name. */
const listSynonyms = (terms: Term[], [best]: Match[]): string[] =>
  terms
    .flatMap(({ synonyms }) => synonyms)
    .filter(({ text }) => best?.name.includes(` ${text}`))
    .flatMap(({ text }) => text.split(' '));

async function findMatches({ db, engine }: Database, terms: Term[], filters: Filter[]): Promise<Match[]> {
  const conditions = filters.map(({ condition }) => condition);
  const isUnknown = ({ entries, corrections }: Term) => entries === 0 && corrections.length === 0;
  const rarestFirst = terms.toSorted((a, b) => a.entries - b.entries);
  const [rarest] = rarestFirst;
  if (!rarest || terms.some(isUnknown)) return [];
  const isFiltered = terms.length > 1 || filters.some(({ candidates }) => candidates);
  const limit = isFiltered ? maxFilteredCandidates : maxCandidates;
  const scores = terms.map((_, index) => scoreOf(index));
  const segments = listSegments(engine, rarest);
  // SQLite keeps the order of a cross join; otherwise it may start with all products of a category.
  const { rows } = await sql<Match>`
    ${withScores(engine, terms, segments, { limit, perSegment: limit, required: rarestFirst })}
    select product.id, product.category, product.category_key, match.name
    from (select product_id, name, ${sql.join(scores, sql` + `)} as score from scored) as match
    cross join product
    where ${sql.join([sql`product.id = match.product_id`, ...conditions], sql` and `)}
    order by match.score desc, length(match.name), product.id limit ${maxMatches}`.execute(db);
  return rows;
}
