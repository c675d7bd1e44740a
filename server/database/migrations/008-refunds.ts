import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** A refund can be pending for days, fail, and even fail after it has succeeded. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await db.schema
    .alterTable('payment')
    .addColumn('refund_status', 'text', (c) =>
      c.check(sql`refund_status in ('pending', 'succeeded', 'failed', 'canceled')`),
    )
    .execute();
}
