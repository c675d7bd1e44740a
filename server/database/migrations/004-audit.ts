import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/** The log of admins' actions. The database itself rejects updates and deletes (`docs/decisions/010`). */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('what', 'text', (c) => c.notNull())
    // No foreign key: an entry outlives its subject.
    .addColumn('of', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .execute();
  if (engine === 'sqlite') {
    for (const act of ['update', 'delete'])
      await sql`create trigger ${sql.id(`audit_no_${act}`)} before ${sql.raw(act)} on audit
        begin select raise(abort, 'the audit log is append-only'); end`.execute(db);
  } else {
    await sql`create function audit_append_only() returns trigger language plpgsql as
      $$ begin raise exception 'the audit log is append-only'; end $$`.execute(db);
    await sql`create trigger audit_append_only before update or delete on audit
      for each row execute function audit_append_only()`.execute(db);
  }
}
