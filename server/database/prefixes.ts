import { type RawBuilder, sql } from 'kysely';

const lastCharacter = '\u{10ffff}';

/** The condition that a value, compared in byte order, starts with a text. */
export const startsWith = (expression: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  sql`(${expression} >= ${text} and ${expression} < ${text + lastCharacter})`;
