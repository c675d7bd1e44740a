import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** Finds a user's rows that allow a return to a former address. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createIndex('verification_value')
    .ifNotExists()
    .on('verification')
    .column('value')
    .execute();
}
