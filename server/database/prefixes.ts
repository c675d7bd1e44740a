import { type RawBuilder, sql } from 'kysely';

const lastCharacter = '\u{10ffff}';

/** The condition that a value, compared in byte order, starts with a text. */
export const startsWith = (expression: RawBuilder<unknown>, text: string): RawBuilder<boolean> =>
  sql`(${expression} >= ${text} and ${expression} < ${text + lastCharacter})`;

/**
 * For each indexed, lower-case expression, the condition that its value starts with `text`, ignoring case. Values are
 * compared by bytes, so on PostgreSQL the expressions end in `collate "C"`.
 */
export function matchPrefix(expressions: RawBuilder<string>[], text: string): RawBuilder<boolean>[] {
  return expressions.flatMap((expression) =>
    listSpellings(text).map((prefix) => startsWith(expression, prefix)),
  );
}

/** SQLite converts only A to Z to lower case, so an `Ö` in a stored name stays as it is. */
function listSpellings(text: string): string[] {
  const [first = '', ...rest] = text.toLowerCase();
  const spellings = [text, text.toLowerCase(), text.toUpperCase(), first.toUpperCase() + rest.join('')];
  return [...new Set(spellings.map((spelling) => spelling.replace(/[A-Z]+/g, (part) => part.toLowerCase())))];
}
