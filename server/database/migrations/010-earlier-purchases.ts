import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';
import { randomNumber } from './009-purchases.ts';

const batchSize = 5_000;

/**
 * Makes a purchase of each earlier order, in batches with a transaction each, while the previous release serves: it waits
 * for the rows of a batch for milliseconds. Any number of processes may do so at the same time.
 */
export async function prepare(db: Kysely<Schema>, engine: Engine): Promise<void> {
  for (let after = ''; ; ) {
    const orders = await db
      .selectFrom('orders')
      .select(['id', 'purchase_id'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    const last = orders.at(-1);
    if (!last) return;
    if (orders.some(({ purchase_id }) => purchase_id === null))
      await db.transaction().execute((tx) => fill(tx, engine, sql`id > ${after} and id <= ${last.id}`));
    after = last.id;
  }
}

/** Fills what is left, which is everything in a restore and in a SQLite file. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await fill(db, engine, sql`true`);
  await db.schema
    .createIndex('orders_purchase')
    // A large shop creates it by hand before the upgrade (`docs/decisions/012-migrations-that-only-add.md`).
    .ifNotExists()
    .on('orders')
    .columns(['purchase_id', 'id'])
    .execute();
}

async function fill(db: Kysely<Schema>, engine: Engine, rows: ReturnType<typeof sql>): Promise<void> {
  // Among a million numbers, two are likely to be equal: repeat for the order that got none.
  for (let numbered = 1n; numbered > 0n; ) {
    const { numAffectedRows = 0n } = await sql`
      insert into purchase (id, number, email, created_at)
      select id, ${randomNumber(engine)}, email, created_at from orders
      where ${rows}
        and not exists (select 1 from purchase where purchase.id = coalesce(orders.purchase_id, orders.id))
      on conflict do nothing`.execute(db);
    numbered = numAffectedRows;
  }
  await sql`update orders set purchase_id = id where ${rows} and purchase_id is null`.execute(db);
}
