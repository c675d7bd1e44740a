import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/**
 * Finds the messages about an account by its user, because those about a changed address have other recipients. Only these few
 * kinds are in the index, so orders do not write to it.
 */
export async function up(db: Kysely<Schema>): Promise<void> {
  await sql`create index if not exists mail_account on mail (about) where kind in
    ('password changed', 'two-factor on', 'two-factor off', 'change address', 'address changed')`.execute(db);
}
