import { type Kysely, type RawBuilder, sql } from 'kysely';
import { limitLockWait } from '../index-migration.ts';
import type { Engine, Schema } from '../schema.ts';

const batchSize = 5_000;

/**
 * On PostgreSQL, opens the history of all products in batches with a transaction each, while the previous release sells
 * them. It changes their stock without a row here, which the next change or the periodic work then records.
 */
export async function prepare(db: Kysely<Schema>, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await db.transaction().execute(async (tx) => {
    await limitLockWait(tx, engine);
    await createTables(tx, engine);
  });
  for (let after = ''; ; ) {
    const products = await db
      .selectFrom('product')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(batchSize)
      .execute();
    const last = products.at(-1);
    if (!last) return;
    const batch = sql<boolean>`id > ${after} and id <= ${last.id}`;
    await db.transaction().execute((tx) => openHistory(tx, engine, batch));
    after = last.id;
  }
}

/** Opens what is left, which is everything in a restore and in a SQLite file. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await createTables(db, engine);
  await openHistory(db, engine, sql<boolean>`true`);
}

async function createTables(db: Kysely<Schema>, engine: Engine): Promise<void> {
  // First, so that processes that migrate at the same time wait for each other here.
  for (const column of ['stock_seq', 'stock_level']) {
    const ifNotExists = engine === 'postgres' ? sql`if not exists` : sql``;
    await sql`alter table product add column ${ifNotExists} ${sql.id(column)} bigint not null default 0`.execute(
      db,
    );
  }
  await db.schema
    .createTable('stock_change')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('change', 'bigint', (c) => c.notNull())
    .addColumn('level', 'bigint', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('who', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('stock_change_product', ['product_id', 'seq'])
    // Every sale writes one row: keep it to two B-trees.
    .$call((table) => (engine === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table))
    .execute();
  // Sales are most of the rows and need no index: there is always one among the newest.
  await db.schema
    .createIndex('stock_change_reason')
    .ifNotExists()
    .on('stock_change')
    .columns(['reason', 'id'])
    .where(sql.ref('reason'), '<>', sql.lit('sale'))
    .execute();
}

/** The first row of a product's history has the product's id. */
async function openHistory(db: Kysely<Schema>, engine: Engine, products: RawBuilder<boolean>): Promise<void> {
  const unopened = sql<boolean>`stock_seq = 0 and ${products}`;
  // In the order of the ids, as orders lock them.
  if (engine === 'postgres')
    await db.selectFrom('product').select('id').where(unopened).orderBy('id').forUpdate().execute();
  await sql`
    insert into stock_change (id, product_id, seq, change, level, reason, note, who, order_id, created_at)
    select id, id, 1, available, available, 'opening', '', '', null, cast(${Date.now()} as bigint)
    from product where ${unopened}`.execute(db);
  await sql`update product set stock_seq = 1, stock_level = available where ${unopened}`.execute(db);
}
