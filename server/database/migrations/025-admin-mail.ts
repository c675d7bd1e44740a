import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** The problems that the admins were told about, messages from the contact form, and the newsletter's addresses. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('trouble_report')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('latest', 'text', (c) => c.notNull())
    .addColumn('reported_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('contact_message')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('subscriber')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('confirmed_at', 'bigint', (c) => c.notNull())
    .execute();
}
