import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../../server/database/schema.ts';
import type { Statement } from './statements.ts';

type Database = { db: Kysely<Schema>; engine: Engine };

/** The scans and sorts in a statement's plan, whose cost grows with the tables. Empty if an index serves everything. */
export function findScansAndSorts(database: Database, statement: Statement): Promise<string[]> {
  return database.engine === 'sqlite'
    ? findOnSqlite(database, statement)
    : findOnPostgres(database, statement);
}

/** Whether a statement reads the first rows of a table in key order, which stops at the limit. */
const isFirstPage = (statement: Statement) =>
  / limit /.test(statement.sql) && !/ where /.test(removeSubqueries(statement));

/** Removes subqueries, because the plan lists their scans separately. A subquery may call functions. */
const removeSubqueries = ({ sql }: Statement) => sql.replaceAll(/\(select (?:[^()]|\w\([^()]*\))*\)/g, '()');

/** Partial indexes that contain only unfinished rows, admins, or products with low stock. Scanning one is cheaper than lookups. */
const smallIndexes = [
  'purchase_hold',
  'order_line_held',
  'payment_one_open',
  'payment_unfinished',
  'payment_refund_due',
  'payment_undecided',
  'dispute_open',
  'mail_waiting',
  'mail_account_waiting',
  'mail_failed',
  'user_admin',
  'product_sold_out',
  'product_low_stock',
];
const smallIndexScan = new RegExp(` USING (COVERING )?INDEX (${smallIndexes.join('|')})$`);

async function findOnSqlite({ db }: Database, statement: Statement): Promise<string[]> {
  const { rows } = await db.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${statement.sql}`, [...statement.parameters]),
  );
  return rows
    .map(({ detail }) => detail)
    .filter(
      (detail) =>
        // These are the results of subqueries, which the plan lists separately.
        /^SCAN (?!CONSTANT ROW|\d+-ROW VALUES|(?:candidate|matches|agg|next|newest)$)|TEMP B-TREE|AUTOMATIC/.test(
          detail,
        ) ||
        (/ sqlite_autoindex_\w+ \(id[<>]\?\)/.test(detail) &&
          / where .+ and /.test(removeSubqueries(statement))),
    )
    .filter((detail) => !smallIndexScan.test(detail))
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

/** The tables are empty. If PostgreSQL scans or sorts even though both are disabled, there is no suitable index. */
async function findOnPostgres({ db }: Database, statement: Statement): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_sort = off`.execute(tx);
    const { rows } = await tx.executeQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      CompiledQuery.raw(`explain (format json) ${statement.sql}`, [...statement.parameters]),
    );
    return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => findSlowNodes(Plan, statement)));
  });
}

function findSlowNodes(plan: Plan, statement: Statement): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Plans: parts = [] } = plan;
  const fullIndexScan =
    /Index/.test(type) &&
    plan['Index Cond'] === undefined &&
    !smallIndexes.includes(plan['Index Name'] ?? '') &&
    !isFirstPage(statement);
  // A range of the primary key with a filter reads the whole table if no row passes the filter.
  const filtered = plan.Filter !== undefined && /_pkey$/.test(plan['Index Name'] ?? '');
  const filteredRange = filtered && !/ = /.test(plan['Index Cond'] ?? '');
  const slow = /^Seq Scan|Sort$/.test(type) || fullIndexScan || filteredRange;
  return [
    ...(slow ? [`${type} ${table}`.trim()] : []),
    ...parts.flatMap((part) => findSlowNodes(part, statement)),
  ];
}
