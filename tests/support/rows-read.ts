import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../../server/database/schema.ts';
import { registerSearchFunctions } from '../../server/database/sqlite.ts';
import type { Statement } from './statements.ts';

type Database = { db: Kysely<Schema>; engine: Engine };

/** Repeats statements that only read, and counts the rows of a table that they read, whether these match or not. */
export function countRowsRead(database: Database, table: string, statements: Statement[]): Promise<number> {
  return database.engine === 'sqlite'
    ? countOnSqlite(database, table, statements)
    : countOnPostgres(database, table, statements);
}

/** Uses a connection of its own, where a view in place of the table calls a function for each row. */
async function countOnSqlite({ db }: Database, table: string, statements: Statement[]): Promise<number> {
  const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(db);
  using connection = new DatabaseSync(rows[0]?.file ?? '');
  registerSearchFunctions(connection);
  let count = 0;
  connection.function('count_row', (_id) => {
    count += 1;
    return 1;
  });
  connection.exec(`create temp view ${table} as select * from main.${table} where count_row(id)`);
  for (const statement of statements)
    connection.prepare(statement.sql).all(...statement.parameters.map(toSqlite));
  return count;
}

function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`A parameter is a ${typeof value}`);
}

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
};

async function countOnPostgres({ db }: Database, table: string, statements: Statement[]): Promise<number> {
  let count = 0;
  for (const statement of statements) {
    const { rows } = await db.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      CompiledQuery.raw(`explain (analyze, timing off, format json) ${statement.sql}`, [
        ...statement.parameters,
      ]),
    );
    for (const row of rows) for (const { Plan } of row['QUERY PLAN']) count += countInPlan(Plan, table);
  }
  return count;
}

/** Each loop of a step is a lookup, which costs as much as a row even if it finds none. */
function countInPlan(plan: Plan, table: string): number {
  const { 'Actual Rows': found, 'Rows Removed by Filter': removed = 0, 'Actual Loops': loops } = plan;
  const own = plan['Relation Name'] === table ? Math.ceil((found + removed) * loops) + loops : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + countInPlan(part, table), own);
}
