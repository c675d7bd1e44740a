import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** Details of the change in each audit entry; indexes for the entries of one admin or about one target. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('audit')
    .addColumn('details', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('audit_who').ifNotExists().on('audit').columns(['who', 'id']).execute();
  await db.schema.createIndex('audit_of').ifNotExists().on('audit').columns(['of', 'id']).execute();
}
