import { type RawBuilder, sql } from 'kysely';
import { isIn } from '../../../database/is-in.ts';
import { startsWith } from '../../../database/prefixes.ts';
import type { Engine } from '../../../database/schema.ts';
import { isFoundInside, type Term } from './terms.ts';

/** A product that a search found. */
export type Match = { id: string; category: string | null; category_key: string | null; name: string };

/** The column with the score of the word at this position in the search. */
export const scoreOf = (at: number): RawBuilder<number> => sql.ref(`score_${at}`);

/**
 * The start of a statement: `scored` has the texts of up to `limit` products of the segments, earlier segments first, and a
 * score for each term. Products without a `required` term are left out; the rarest term comes first, so that the others are
 * looked up in few texts.
 */
export function withScores(
  engine: Engine,
  terms: Term[],
  segments: RawBuilder<boolean>[],
  { limit, perSegment, required = [] }: { limit: number; perSegment: number; required?: Term[] },
): RawBuilder<unknown> {
  const entries = segments.map(
    (condition, segment) => sql`
        select number, ${sql.lit(segment)} as segment from (
          select number from search_entry where ${condition} order by word, number limit ${perSegment}
        ) as entry`,
  );
  const scores = terms.map((term, index) => sql`${scoreTerm(engine, term)} as ${scoreOf(index)}`);
  const isCandidate = sql<boolean>`number in (select number from candidate)`;
  const conditions = [isCandidate, ...required.map((term) => sql<boolean>`${scoreTerm(engine, term)} > 0`)];
  return sql`
    with candidate as materialized (
      select number from (
        select number, min(segment) as segment from (${sql.join(entries, sql` union all `)}) as entry
        group by number
      ) as found
      order by segment, number limit ${limit}
    ), scored as materialized (
      select product_id, name, ${sql.join(scores)}
      from (select product_id, name, description from search_text where ${sql.join(conditions, sql` and `)}) as text
    )`;
}

/** The parts of the index with the entries of a word, the best first. */
export function listSegments(
  engine: Engine,
  { word, inside, corrections, synonyms, entries }: Term,
): RawBuilder<boolean>[] {
  const column = sql.ref('word');
  const conditions = [
    ...(entries > 0 ? [startsWith(column, word)] : []),
    ...(inside.length > 0 ? [isIn(engine, column, inside)] : []),
    ...(corrections.length > 0 ? [isIn(engine, column, corrections)] : []),
    ...synonyms.map(({ anchor }) => startsWith(column, anchor)),
  ];
  return [0, 1].flatMap((tier) =>
    conditions.map((condition) => sql<boolean>`tier = ${sql.lit(tier)} and ${condition}`),
  );
}

/**
 * How well a word matches a product; 0 if it does not. Any match in the name weighs more than all matches of eight words in
 * descriptions.
 */
function scoreTerm(engine: Engine, { word, corrections, synonyms }: Term): RawBuilder<unknown> {
  const position = sql.raw(engine === 'sqlite' ? 'instr' : 'strpos');
  const has = (column: string, text: string) => sql`${position}(${sql.ref(column)}, ${text}) > 0`;
  const cases = ['name', 'description'].flatMap((column) => {
    const base = column === 'name' ? 100 : 0;
    return [
      sql`when ${has(column, ` ${word} `)} then ${sql.lit(base + 4)}`,
      sql`when ${has(column, ` ${word}`)} then ${sql.lit(base + 3)}`,
      ...(isFoundInside(word) ? [sql`when ${has(column, word)} then ${sql.lit(base + 2)}`] : []),
      ...corrections.map((text) => sql`when ${has(column, ` ${text} `)} then ${sql.lit(base + 1)}`),
      ...synonyms.map(({ text }) => sql`when ${has(column, ` ${text}`)} then ${sql.lit(base + 1)}`),
    ];
  });
  return sql`case ${sql.join(cases, sql` `)} else 0 end`;
}
