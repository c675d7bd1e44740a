import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Data of the Health page: when each event last happened, and the errors of each hour. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .createTable('last_time')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('failure')
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('what', 'text', (c) => c.notNull())
    .addColumn('times', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('request_id', 'text')
    .addPrimaryKeyConstraint('failure_key', ['hour', 'what'])
    .execute();
  // Nearly always empty, whereas `payment_unfinished` may have thousands of rows.
  await db.schema
    .createIndex('payment_refund_due')
    // A large shop creates it by hand before the upgrade (`docs/decisions/012-migrations-that-only-add.md`).
    .ifNotExists()
    .on('payment')
    .column('id')
    .where(sql.ref('state'), '=', sql.lit('refund_due'))
    .execute();
}
