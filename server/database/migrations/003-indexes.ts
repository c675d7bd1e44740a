import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** Indexes for the periodic work and for looking up a user's accounts. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema.createIndex('session_end').on('session').column('expiresAt').execute();
  await db.schema.createIndex('verification_end').on('verification').column('expiresAt').execute();
  await db.schema.createIndex('tries_end').on('tries').column('ends_at').execute();
  await db.schema.dropIndex('account_user').execute();
  await db.schema.createIndex('account_user').on('account').columns(['userId', 'id']).execute();
}
