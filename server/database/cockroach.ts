import { type Kysely, sql } from 'kysely';

/** Whether a database that speaks PostgreSQL's protocol is CockroachDB, which cannot do all of it in a transaction. */
export async function isCockroach<Schema>(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ version: string }>`select version()`.execute(db);
  return rows[0]?.version.startsWith('CockroachDB') === true;
}
