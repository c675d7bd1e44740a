import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** Lets admins hide reviews. The index serves the list of visible reviews and that of hidden ones. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('review')
    .addColumn('state', 'text', (c) => c.notNull().defaultTo('visible'))
    .execute();
  await db.schema
    .alterTable('review')
    .addColumn('hidden_reason', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('review_state').ifNotExists().on('review').columns(['state', 'id']).execute();
}
