import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * The outbox: messages to send, and every attempt to send one. Every order writes to it, so on SQLite the rows are stored in
 * the primary key's index, and only waiting and failed messages are in another index.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('mail')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('about', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .addColumn('give_up_at', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('sent_at', 'bigint')
    .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql``)
    .execute();
  for (const state of ['waiting', 'failed'])
    await db.schema
      .createIndex(`mail_${state}`)
      .on('mail')
      .column('due_at')
      .where(sql.ref('state'), '=', sql.lit(state))
      .execute();

  await db.schema
    .createTable('mail_attempt')
    .addColumn('mail_id', 'text', (c) => c.notNull().references('mail.id').onDelete('cascade'))
    .addColumn('attempt', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('response', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('mail_attempt_key', ['mail_id', 'attempt'])
    .execute();
}
