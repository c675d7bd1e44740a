import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * A review may be about a product, whose rating counts its visible reviews. Triggers keep the rating, because the previous
 * release hides and shows reviews, too. Readers report reviews to the admins.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  // No foreign key: a review outlives its product.
  for (const column of ['product_id', 'product_name'])
    await db.schema.alterTable('review').addColumn(column, 'text').execute();
  // No review has a product yet, so these indexes start empty.
  const isListed = "where state = 'visible' and product_id is not null";
  for (const index of [
    "unique index if not exists review_author on review (product_id, email) where product_id is not null and email <> ''",
    `index if not exists review_newest on review (product_id, id) ${isListed}`,
    `index if not exists review_best on review (product_id, rating, id) ${isListed}`,
    `index if not exists review_worst on review (product_id, (0 - rating), id) ${isListed}`,
  ])
    await sql`create ${sql.raw(index)}`.execute(db);
  await createTriggers[engine](db);
  await db.schema
    .createTable('review_report')
    .addColumn('review_id', 'text', (c) => c.notNull().references('review.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => {
      const column = c.notNull();
      // On PostgreSQL, migration 033 adds the reference, because it locks the other table as well.
      return engine === 'sqlite' ? column.references('user.id').onDelete('cascade') : column;
    })
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('review_report_key', ['review_id', 'user_id'])
    .execute();
  await db.schema
    .createIndex('review_report_user')
    .on('review_report')
    .columns(['user_id', 'review_id'])
    .execute();
}

/** Adds a visible review to the rating of its product, or takes it away. A deleted product has no rating. */
const count = (row: 'new' | 'old') => {
  const sign = row === 'new' ? '+' : '-';
  return `update product set rating_count = rating_count ${sign} 1, rating_sum = rating_sum ${sign} ${row}.rating
    where id = ${row}.product_id and ${row}.state = 'visible';`;
};

const createTriggers: Record<Engine, (db: Kysely<Schema>) => Promise<void>> = {
  async sqlite(db) {
    for (const [name, event, statements] of [
      ['review_rating_added', 'insert', count('new')],
      ['review_rating_changed', 'update of product_id, rating, state', count('old') + count('new')],
      ['review_rating_removed', 'delete', count('old')],
    ] as const)
      await sql`create trigger ${sql.id(name)} after ${sql.raw(event)} on review begin ${sql.raw(statements)} end`.execute(
        db,
      );
  },
  async postgres(db) {
    await sql`create or replace function review_rating() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then ${sql.raw(count('old'))} end if;
      if tg_op <> 'DELETE' then ${sql.raw(count('new'))} end if;
      return null;
    end $$`.execute(db);
    await sql`create trigger review_rating after insert or delete or update of product_id, rating, state on review
      for each row execute function review_rating()`.execute(db);
  },
};
