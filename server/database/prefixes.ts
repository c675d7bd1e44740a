import { type RawBuilder, sql } from 'kysely';

const lastCharacter = '\u{10ffff}';

/**
 * For each indexed expression in lower case, the conditions that its value starts with `text`, in upper or lower case. The
 * expressions are compared by their bytes: on PostgreSQL they end in `collate "C"`.
 */
export function matchPrefix(expressions: RawBuilder<string>[], text: string): RawBuilder<boolean>[] {
  return expressions.flatMap((expression) =>
    listSpellings(text).map(
      (prefix) => sql<boolean>`(${expression} >= ${prefix} and ${expression} < ${prefix + lastCharacter})`,
    ),
  );
}

/** SQLite lowers only the letters A to Z: `Ö` of a stored name stays. */
function listSpellings(text: string): string[] {
  const [first = '', ...rest] = text.toLowerCase();
  const spellings = [text, text.toLowerCase(), text.toUpperCase(), first.toUpperCase() + rest.join('')];
  return [...new Set(spellings.map((spelling) => spelling.replace(/[A-Z]+/g, (part) => part.toLowerCase())))];
}
