import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/** Refunds of paid orders, and disputes, both as the provider reports them. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('refund')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('intent', 'text', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull().check(sql`amount > 0`))
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('restock', 'bigint', (c) => c.notNull().check(sql`restock >= 0`))
    .addColumn('status', 'text', (c) =>
      c.notNull().check(sql`status in ('pending', 'succeeded', 'failed', 'canceled')`),
    )
    .addColumn('failure', 'text', (c) => c.notNull())
    .addColumn('provider_id', 'text')
    .addColumn('requested_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    // A refund made at the provider can cover several orders.
    .addUniqueConstraint('refund_provider_id_key', ['provider_id', 'order_id'])
    .execute();
  await db.schema.createIndex('refund_order').on('refund').columns(['order_id', 'id']).execute();
  await db.schema.createIndex('refund_intent').on('refund').column('intent').execute();
  await db.schema.createIndex('refund_status').on('refund').columns(['status', 'id']).execute();

  await db.schema
    .createTable('dispute')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('purchase_id', 'text', (c) => c.notNull())
    .addColumn('intent', 'text', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('is_open', 'bigint', (c) => c.notNull())
    .addColumn('respond_by', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('dispute_purchase').on('dispute').column('purchase_id').execute();
  await db.schema
    .createIndex('dispute_open')
    .on('dispute')
    .column('id')
    .where(sql.ref('is_open'), '=', sql.lit(1))
    .execute();

  const columns = { refunded: 'total', restocked: 'quantity' } as const;
  for (const [name, max] of Object.entries(columns)) {
    const check = sql`${sql.ref(name)} between 0 and ${sql.ref(max)}`;
    await db.schema
      .alterTable('orders')
      .addColumn(name, 'bigint', (c) => {
        const column = c.notNull().defaultTo(0);
        return engine === 'sqlite' ? column.check(check) : column;
      })
      .execute();
    // `not valid`: PostgreSQL would otherwise read all rows while it locks the table. The default satisfies the check.
    if (engine === 'postgres')
      await sql`alter table orders add constraint ${sql.ref(`orders_${name}`)} check (${check}) not valid`.execute(
        db,
      );
  }
}
