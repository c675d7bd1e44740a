import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';
import { randomNumber } from './009-purchases.ts';

/**
 * Makes a purchase of each earlier order. In a transaction of its own: on PostgreSQL, migration 009 locks the whole table,
 * this one only its rows.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  // Among a million numbers, two are likely to be equal: repeat for the order that got none.
  for (let numbered = 1n; numbered > 0n; ) {
    const { numAffectedRows = 0n } = await sql`
      insert into purchase (id, number, email, created_at)
      select id, ${randomNumber(engine)}, email, created_at from orders
      where not exists (select 1 from purchase where purchase.id = orders.id)
      on conflict (number) do nothing`.execute(db);
    numbered = numAffectedRows;
  }
  await sql`update orders set purchase_id = id where purchase_id is null`.execute(db);
  await db.schema
    .createIndex('orders_purchase')
    // A large shop creates it by hand before the upgrade (`docs/decisions/012-migrations-that-only-add.md`).
    .ifNotExists()
    .on('orders')
    .columns(['purchase_id', 'id'])
    .execute();
}
