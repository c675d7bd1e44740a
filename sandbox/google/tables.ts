import type { Kysely } from 'kysely';

type Tables = {
  google_secret: { name: string; value: string };
  google_person: { sub: string; email: string; verified: number };
  google_record: {
    kind: string;
    id: string;
    payload: string;
    grant_id: string | null;
    /** Milliseconds, as is `consumed_at`. */
    expires_at: number;
    consumed_at: number | null;
  };
};

export type GoogleDatabase = Kysely<Tables>;

/** Creates the stand-in's missing tables. */
export async function createGoogleTables(database: Kysely<unknown>): Promise<GoogleDatabase> {
  const createTable = (name: keyof Tables) => database.schema.createTable(name).ifNotExists();
  const tables = [
    createTable('google_secret')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull()),
    createTable('google_person')
      .addColumn('sub', 'text', (column) => column.primaryKey())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('verified', 'bigint', (column) => column.notNull()),
    createTable('google_record')
      .addColumn('kind', 'text')
      .addColumn('id', 'text')
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('grant_id', 'text')
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('consumed_at', 'bigint')
      .addPrimaryKeyConstraint('google_record_pkey', ['kind', 'id']),
  ];
  for (const table of tables) {
    const create = () => table.execute();
    // In PostgreSQL, concurrent `create table if not exists` can fail in one process; the retry finds the table.
    await create().catch(create);
  }
  return database.withTables<Tables>();
}

/** Returns the secret of that name, created once per database: the first insert wins, and every process reads it back. */
export async function getOrCreateSecret(
  db: GoogleDatabase,
  name: string,
  create: () => string | Promise<string>,
) {
  const query = db.selectFrom('google_secret').select('value').where('name', '=', name);
  const existing = await query.executeTakeFirst();
  if (existing) return existing.value;
  const values = { name, value: await create() };
  await db
    .insertInto('google_secret')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await query.executeTakeFirstOrThrow()).value;
}
