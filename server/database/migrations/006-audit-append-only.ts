import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Closes two gaps of migration 004: on SQLite, REPLACE deletes the old row without firing its delete trigger, and on
 * PostgreSQL, TRUNCATE fires no row trigger.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') {
    // REPLACE may also identify the row by SQLite's rowid.
    await sql`create trigger audit_no_replace before insert on audit
      when exists (select 1 from audit where id = new.id or rowid = new.rowid)
      begin select raise(abort, 'the audit log is append-only'); end`.execute(db);
  } else {
    await sql`create trigger audit_no_truncate before truncate on audit
      for each statement execute function audit_append_only()`.execute(db);
  }
}
