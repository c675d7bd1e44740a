import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/** Products, orders, payments, reviews, images, and state that processes share. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const bytes = engine === 'postgres' ? 'bytea' : 'blob';

  await db.schema
    .createTable('setting')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('product')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('price', 'bigint', (c) => c.notNull().check(sql`price > 0`))
    .addColumn('image', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('minimum', 'bigint', (c) => c.notNull().check(sql`minimum > 0`))
    // The last line of defense: whatever the code does, the stock never goes below zero.
    .addColumn('available', 'bigint', (c) => c.notNull().check(sql`available >= 0`))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('orders')
    .addColumn('id', 'text', (c) => c.primaryKey())
    // No foreign key: an order outlives its product.
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('product_name', 'text', (c) => c.notNull())
    .addColumn('quantity', 'bigint', (c) => c.notNull().check(sql`quantity > 0`))
    .addColumn('total', 'bigint', (c) => c.notNull().check(sql`total > 0`))
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('user_name', 'text', (c) => c.notNull())
    .addColumn('phone', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull().check(sql`status in ('', 'paid', 'sipping', 'expired')`))
    .addColumn('transaction_id', 'text', (c) => c.unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('hold_until', 'bigint', (c) => c.notNull())
    // An order is paid if and only if it has a transaction id.
    .addCheckConstraint('orders_paid', sql`(status in ('paid', 'sipping')) = (transaction_id is not null)`)
    .execute();
  await db.schema.createIndex('orders_email').on('orders').columns(['email', 'id']).execute();
  await db.schema
    .createIndex('orders_hold')
    .on('orders')
    .column('hold_until')
    .where(sql.ref('status'), '=', sql.lit(''))
    .execute();

  await db.schema
    .createTable('payment')
    .addColumn('id', 'text', (c) => c.primaryKey())
    // No foreign key: a payment outlives its order.
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('attempt', 'bigint', (c) => c.notNull())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('intent', 'text', (c) => c.unique())
    .addColumn('state', 'text', (c) =>
      c.notNull().check(sql`state in ('open', 'paid', 'cancelled', 'refund_due', 'refunded')`),
    )
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('payment_attempt', ['order_id', 'attempt'])
    .execute();
  // An order has at most one open and one paid payment.
  for (const state of ['open', 'paid']) {
    await db.schema
      .createIndex(`payment_one_${state}`)
      .unique()
      .on('payment')
      .column('order_id')
      .where(sql.ref('state'), '=', sql.lit(state))
      .execute();
  }
  await db.schema
    .createIndex('payment_unfinished')
    .on('payment')
    .column('id')
    .where(sql.ref('state'), 'in', sql`('open', 'refund_due')`)
    .execute();

  await db.schema
    .createTable('unknown_payment')
    .addColumn('intent', 'text', (c) => c.primaryKey())
    .addColumn('amount', 'bigint', (c) => c.notNull())
    .addColumn('currency', 'text', (c) => c.notNull())
    .addColumn('order_id', 'text', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('review')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('rating', 'bigint', (c) => c.notNull().check(sql`rating between 1 and 5`))
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('image', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('first_answer')
    .addColumn('person', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('inserted_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('first_answer_key', ['person', 'key'])
    .execute();
  await db.schema.createIndex('first_answer_age').on('first_answer').column('created_at').execute();

  await db.schema
    .createTable('tries')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addColumn('ends_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('picture')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('width', 'bigint', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('bytes', bytes, (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('picture_hash').on('picture').column('hash').execute();
  await db.schema.createIndex('product_image').on('product').column('image').execute();
  await db.schema.createIndex('review_image').on('review').column('image').execute();
}
