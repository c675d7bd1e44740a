import { type Kysely, sql } from 'kysely';

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

const definitions = [
  'google_secret (name text primary key, value text not null)',
  'google_person (sub text primary key, email text not null, verified bigint not null)',
  `google_record (kind text, id text, payload text not null, grant_id text, expires_at bigint not null,
    consumed_at bigint, primary key (kind, id))`,
];

/** Creates the stand-in's missing tables. */
export async function createGoogleTables(database: Kysely<unknown>): Promise<GoogleDatabase> {
  for (const definition of definitions) {
    const create = () => sql`create table if not exists ${sql.raw(definition)}`.execute(database);
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
