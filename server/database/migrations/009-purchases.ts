import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * Orders that were placed together form a purchase, which one payment pays. An earlier order becomes a purchase of its
 * own with the same id, so `payment.order_id`, which now holds the purchase's id, stays as it is.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('purchase')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('number', 'text', (c) => c.notNull().unique())
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('paid_at', 'bigint')
    .execute();
  await db.schema
    .createTable('basket_line')
    .addColumn('user_id', 'text', (c) => c.notNull())
    // No foreign key: the basket says that a product is gone.
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('product_name', 'text', (c) => c.notNull())
    .addColumn('quantity', 'bigint', (c) => c.notNull().check(sql`quantity > 0`))
    .addColumn('added_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('basket_line_key', ['user_id', 'product_id'])
    .execute();

  if (engine === 'sqlite') await rebuildOrders(db);
  else await alterOrders(db);
}

/** SQLite cannot drop the unique constraint on `transaction_id`, which a purchase's orders share. */
async function rebuildOrders(db: Kysely<Schema>): Promise<void> {
  await sql`alter table orders rename to orders_008`.execute(db);
  await db.schema
    .createTable('orders')
    .addColumn('id', 'text', (c) => c.primaryKey())
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
    .addColumn('transaction_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('hold_until', 'bigint', (c) => c.notNull())
    .addColumn('purchase_id', 'text')
    .addCheckConstraint('orders_paid', sql`(status in ('paid', 'sipping')) = (transaction_id is not null)`)
    .execute();
  await sql`insert into orders select *, id from orders_008`.execute(db);
  await sql`drop table orders_008`.execute(db);
  await db.schema.createIndex('orders_email').on('orders').columns(['email', 'id']).execute();
  await db.schema
    .createIndex('orders_hold')
    .on('orders')
    .column('hold_until')
    .where(sql.ref('status'), '=', sql.lit(''))
    .execute();
}

/** Processes of the previous release keep placing orders; a trigger gives those a purchase. */
async function alterOrders(db: Kysely<Schema>): Promise<void> {
  await db.schema.alterTable('orders').addColumn('purchase_id', 'text').execute();
  await db.schema.alterTable('orders').dropConstraint('orders_transaction_id_key').execute();
  await sql`create function order_purchase() returns trigger language plpgsql as $$ begin
    if new.purchase_id is null then
      new.purchase_id := new.id;
      loop
        insert into purchase (id, number, email, created_at)
          values (new.id, ${randomNumber('postgres')}, new.email, new.created_at)
          on conflict (number) do nothing;
        exit when found;
      end loop;
    end if;
    return new;
  end $$`.execute(db);
  await sql`create trigger order_purchase before insert on orders
    for each row execute function order_purchase()`.execute(db);
}

/** `K7QD-2M4X`: eight characters of Crockford's base32. */
export function randomNumber(engine: Engine) {
  const position = engine === 'sqlite' ? '1 + (random() & 31)' : 'cast(1 + floor(random() * 32) as integer)';
  const character = `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ${position}, 1)`;
  const group = Array(4).fill(character).join(' || ');
  return sql.raw(`${group} || '-' || ${group}`);
}
