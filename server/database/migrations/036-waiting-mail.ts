import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Finds the unsent messages that the link in a back-in-stock message cancels, by the token that `about` starts with. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await sql`create index if not exists mail_back_in_stock on mail (substr(about, 1, 22))
    where kind = 'back in stock'`.execute(db);
}
