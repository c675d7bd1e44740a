import { type Kysely, sql } from 'kysely';
import { createIndexes } from '../index-migration.ts';
import type { Engine, Schema } from '../schema.ts';

/** Indexes for sorting and filtering products, and the words of their names, by whose start they are found. */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('product_word')
    .addColumn('product_id', 'text', (c) => c.notNull())
    .addColumn('word', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('product_word_key', ['product_id', 'word'])
    .execute();
  // In the order of the bytes, as on SQLite: the database's own order may not be that of prefixes.
  const bytes = sql.raw(engine === 'sqlite' ? '' : ' collate "C"');
  await sql`create index product_word_start on product_word ((word${bytes}), product_id)`.execute(db);
  // Before the trigger, which blocks orders until this migration ends.
  await fill[engine](db);
  await createTriggers[engine](db);
  await fill[engine](db);
  await indexes.up(db, engine);
}

const indexes = createIndexes((engine) =>
  Object.entries({
    product_price: 'price, id',
    product_name: engine === 'sqlite' ? '(lower(name)), id' : '(lower(name) collate "C"), id',
    product_available: 'available, id',
    product_category: 'category, id',
    product_sold_out: 'available, id',
    product_low: 'available, id',
  }).map(([name, columns]) => `"${name}" on product (${columns}) ${conditions[name] ?? ''}`),
);

/** `listProducts` uses the same conditions (`server/shop/products/list.ts`). */
const conditions: Record<string, string> = {
  product_category: 'where category is not null',
  product_sold_out: 'where archived_at is null and available < minimum',
  product_low: 'where archived_at is null and available < low_stock',
};

/** Ahead of the trigger, which blocks orders until the migration ends. */
export const { prepare } = indexes;

/** The characters that separate words, besides the space. The search splits at them, too (`server/shop/products/list.ts`). */
const separators = `-/,.()"'&+:;_`;

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** On SQLite, a JSON list of the words of a name; on PostgreSQL, one row per word. */
const split = {
  sqlite(name: string): string {
    const spaced = [...separators].reduce((text, mark) => `replace(${text}, ${quoted(mark)}, ' ')`, name);
    return `json_each('[' || replace(json_quote(lower(${spaced})), ' ', '","') || ']')`;
  },
  postgres(name: string): string {
    const spaces = ' '.repeat(separators.length);
    return `regexp_split_to_table(translate(lower(${name}), ${quoted(separators)}, '${spaces}'), ' ')`;
  },
};

/** The words of the products that have none yet. */
const fill: Record<Engine, (db: Kysely<Schema>) => Promise<unknown>> = {
  sqlite: (db) =>
    sql`insert into product_word (product_id, word)
      select distinct product.id, value from product, ${sql.raw(split.sqlite('product.name'))}
      where value <> '' and not exists (select 1 from product_word where product_id = product.id)`.execute(
      db,
    ),
  postgres: (db) =>
    sql`insert into product_word (product_id, word)
      select distinct product.id, part from product, ${sql.raw(split.postgres('product.name'))} as part
      where part <> '' and not exists (select 1 from product_word where product_id = product.id)`.execute(db),
};

/** The previous release adds and edits products, too, so the database keeps their words. */
const createTriggers: Record<Engine, (db: Kysely<Schema>) => Promise<void>> = {
  async sqlite(db) {
    const remove = 'delete from product_word where product_id = old.id;';
    const insert = `insert or ignore into product_word (product_id, word)
      select new.id, value from ${split.sqlite('new.name')} where value <> '';`;
    for (const [name, event, statements] of [
      ['product_words_added', 'insert', insert],
      ['product_words_changed', 'update of name', remove + insert],
      ['product_words_removed', 'delete', remove],
    ] as const)
      await sql`create trigger ${sql.id(name)} after ${sql.raw(event)} on product begin ${sql.raw(statements)} end`.execute(
        db,
      );
  },
  async postgres(db) {
    await sql`create or replace function product_words() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then
        delete from product_word where product_id = old.id;
      end if;
      if tg_op <> 'DELETE' then
        insert into product_word (product_id, word)
          select distinct new.id, part from ${sql.raw(split.postgres('new.name'))} as part where part <> '';
      end if;
      return null;
    end $$`.execute(db);
    await sql`create trigger product_words after insert or delete or update of name on product
      for each row execute function product_words()`.execute(db);
  },
};
