import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../../server/database/schema.ts';
import type { Statement } from './statements.ts';

type Database = { db: Kysely<Schema>; engine: Engine };

/** What in a statement's plan grows with its tables: scans and sorts. None is left where all goes by an index. */
export function findSlow(database: Database, statement: Statement): Promise<string[]> {
  return database.engine === 'sqlite' ? onSqlite(database, statement) : onPostgres(database, statement);
}

/** The beginning of a whole table in the order of its key ends where it has enough. */
const isFirstPage = (statement: Statement) => / limit /.test(statement.sql) && !/ where /.test(statement.sql);

async function onSqlite({ db }: Database, statement: Statement): Promise<string[]> {
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${statement.sql}`, [...statement.parameters]),
  );
  return rows
    .map(({ detail }) => detail)
    .filter(
      (detail) =>
        /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES)|TEMP B-TREE|AUTOMATIC/.test(detail) ||
        (/ sqlite_autoindex_\w+ \(id[<>]\?\)/.test(detail) && / where .+ and /.test(statement.sql)),
    )
    .filter((detail) => !(/ USING (COVERING )?INDEX /.test(detail) && isFirstPage(statement)));
}

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Filter?: string;
  Plans?: Plan[];
};

/** They have only what is not finished yet; PostgreSQL reads all of one where that is less than a look-up. */
const unfinished = ['orders_hold', 'payment_one_open', 'payment_unfinished', 'payment_refund_due'];

/** Of empty tables: what is read or sorted as a whole, even where that is made to look dear, has no index. */
async function onPostgres({ db }: Database, statement: Statement): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_sort = off`.execute(tx);
    const { rows } = await tx.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      CompiledQuery.raw(`explain (format json) ${statement.sql}`, [...statement.parameters]),
    );
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => judge(Plan, statement)));
  });
}

function judge(plan: Plan, statement: Statement): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Plans: parts = [] } = plan;
  const whole =
    /Index/.test(type) &&
    plan['Index Cond'] === undefined &&
    !unfinished.includes(plan['Index Name'] ?? '') &&
    !isFirstPage(statement);
  // From a key on, leaving out what does not fit: all of the table where nothing does.
  const rest = plan.Filter !== undefined && /_pkey$/.test(plan['Index Name'] ?? '');
  const leftOut = rest && !/ = /.test(plan['Index Cond'] ?? '');
  const slow = /^Seq Scan|Sort$/.test(type) || whole || leftOut;
  return [...(slow ? [`${type} ${table}`.trim()] : []), ...parts.flatMap((part) => judge(part, statement))];
}
