import { type RawBuilder, sql } from 'kysely';
import type { Engine } from './schema.ts';

/** The condition that a column has one of the values. The list is one parameter, so that its length does not change the statement. */
export function isIn(
  engine: Engine,
  column: RawBuilder<unknown>,
  values: readonly string[],
): RawBuilder<boolean> {
  return engine === 'sqlite'
    ? sql`${column} in (select value from json_each(${JSON.stringify(values)}))`
    : sql`${column} = any(cast(${values} as text[]))`;
}
