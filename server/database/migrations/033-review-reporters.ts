import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/** Deletes a user's reports with the account, which the previous release does, too. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  // A SQLite table gets its references when it is created.
  if (engine === 'postgres')
    await sql`alter table review_report add foreign key (user_id) references "user" (id) on delete cascade`.execute(
      db,
    );
}
