import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * The index of the product search (decision 030): the words of names (tier 0), and of descriptions and categories (tier 1).
 * `search_form` has what a word is found by besides its start: its suffixes, and itself without one of its letters.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const text = sql.raw(engine === 'sqlite' ? 'text' : 'text collate "C"');
  // An integer key of SQLite is the table itself.
  const key = sql.raw(engine === 'sqlite' ? 'integer' : 'bigint');
  const clustered = sql.raw(engine === 'sqlite' ? 'without rowid' : '');
  for (const statement of [
    sql`create table search_text (number ${key} primary key, product_id text not null unique,
      name text not null, description text not null)`,
    sql`create table search_number (last bigint not null primary key)`,
    sql`insert into search_number (last) values (0)`,
    sql`create table search_entry (tier bigint not null, word ${text} not null, number bigint not null,
      primary key (tier, word, number)) ${clustered}`,
    sql`create table search_word (word ${text} not null primary key) ${clustered}`,
    sql`create table search_form (kind text not null, form ${text} not null, word ${text} not null,
      primary key (kind, form, word)) ${clustered}`,
    ...functions[engine],
    ...fill[engine],
    ...triggers[engine],
    // Products that were added or deleted before the triggers. Since these, orders wait until the end.
    ...addMissing,
    sql`delete from search_text where not exists (select 1 from product where id = product_id)`,
  ])
    await statement.execute(db);
}

/** The characters from one code point to another. */
function listLetters(from: number, to: number): string {
  return String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, at) => from + at));
}

const columns = "search_text(name), search_text(description || ' ' || coalesce(category, ''))";
const searchTexts = sql.raw(columns);

const addMissing = [
  sql`insert into search_text (number, product_id, name, description)
    select (select last from search_number) + row_number() over (order by id), id, ${searchTexts} from product
    where not exists (select 1 from search_text where product_id = product.id)`,
  sql`update search_number set last = coalesce((select max(number) from search_text), 0)`,
];

/** Sorted, because a large index is then written in one pass. */
const fillWords = sql`insert into search_word (word) select distinct word from search_entry order by word`;

const takeNumber = sql`update search_number set last = last + 1`;
const insertNew = sql`insert into search_text (number, product_id, name, description)
  select last, new.id, search_text(new.name), search_text(new.description || ' ' || coalesce(new.category, ''))
  from search_number`;

const fill = {
  sqlite: [
    ...addMissing,
    sql`insert into search_entry (tier, word, number)
      select 0, value, number from search_text, json_each(search_words(name))
      union all
      select 1, value, number from search_text, json_each(search_words(description))
      order by 1, 2, 3`,
    fillWords,
    sql`insert into search_form (kind, form, word)
      select 'suffix', value, word from search_word, json_each(search_suffixes(word))
      union all
      select 'deletion', value, word from search_word, json_each(search_deletions(word))
      order by 1, 2, 3`,
  ],
  postgres: [
    ...addMissing,
    sql`insert into search_entry (tier, word, number)
      select 0, word, number from search_text, search_words(name) as word
      union all
      select 1, word, number from search_text, search_words(description) as word
      order by 1, 2, 3`,
    fillWords,
    sql`insert into search_form (kind, form, word)
      select kind, form, word from search_word, search_forms(word) order by 1, 2, 3`,
  ],
} as const satisfies Record<Engine, unknown>;

/** `lower` does not convert them if the database's locale is C. */
const capitals = `ÆŒÞØŁĐÐ${listLetters(0x391, 0x3a1)}${listLetters(0x3a3, 0x3a9)}${listLetters(0x402, 0x42f)}`;

/** SQLite calls `server/database/search-text.ts`. PostgreSQL has no such call, and earlier releases write there, too. */
const functions = {
  sqlite: [],
  postgres: [
    sql`create or replace function search_text(input text) returns text language plpgsql immutable strict parallel safe as $$
      declare result text := input;
      begin
        if result ~ '[^\\u0001-\\u007f]' then
          result := regexp_replace(normalize(result, NFKD), '[\\u0300-\\u036f]', '', 'g');
          result := translate(lower(result), '${sql.raw(capitals)}', '${sql.raw(capitals.toLowerCase())}');
          result := replace(replace(replace(replace(result, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
          result := translate(result, 'øłđðıς×', 'olddiσx');
          result := regexp_replace(result, '[\\u0080-\\u00bf\\u00f7\\u02b0-\\u02ff\\u2000-\\u206f\\u20a0-\\u20cf\\u2190-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u303f]', ' ', 'g');
        else
          result := lower(result);
        end if;
        if result ~ '[0-9]' then
          result := regexp_replace(result, '([0-9])[.,](?=[0-9])', E'\\\\1\\ue000', 'g');
        end if;
        result := regexp_replace(result, '[\\u0001-/:-@[-\`{-\\u007f]+', ' ', 'g');
        result := replace(result, E'\\ue000', '.');
        if result ~ '[0-9]' then
          result := regexp_replace(result, '(?<![^ ])([0-9.]+)([a-z]{1,3})(?![^ ])', '\\1 \\2', 'g');
        end if;
        return regexp_replace(' ' || result || ' ', ' +', ' ', 'g');
      end $$`,
    sql`create or replace function search_words(input text) returns setof text language sql immutable strict parallel safe as $$
      select distinct left(part, 40) from string_to_table(input, ' ') as part where part <> ''
    $$`,
    sql`create or replace function search_forms(input text) returns table (kind text, form text) language sql immutable strict parallel safe as $$
      select 'suffix', substr(input, at) from generate_series(2, length(input) - 1) as at
      where input !~ '[0-9]'
      union all
      select distinct 'deletion', overlay(input placing '' from at for 1) from generate_series(1, length(input)) as at
      where length(input) > 2 and input !~ '[0-9]'
    $$`,
  ],
} satisfies Record<Engine, unknown>;

const triggers = {
  sqlite: [
    sql`create trigger search_text_added after insert on search_text begin
      insert or ignore into search_word (word)
        select value from json_each(search_words(new.name || new.description));
      insert or ignore into search_entry (tier, word, number)
        select 0, value, new.number from json_each(search_words(new.name))
        union all
        select 1, value, new.number from json_each(search_words(new.description));
    end`,
    sql`create trigger search_text_removed after delete on search_text begin
      delete from search_entry where tier = 0 and number = old.number
        and word in (select value from json_each(search_words(old.name)));
      delete from search_entry where tier = 1 and number = old.number
        and word in (select value from json_each(search_words(old.description)));
    end`,
    sql`create trigger search_word_added after insert on search_word begin
      insert into search_form (kind, form, word)
        select 'suffix', value, new.word from json_each(search_suffixes(new.word))
        union all
        select 'deletion', value, new.word from json_each(search_deletions(new.word));
    end`,
    sql`create trigger product_search_added after insert on product begin
      ${takeNumber};
      ${insertNew};
    end`,
    sql`create trigger product_search_changed after update of name, description, category on product
      when new.name <> old.name or new.description <> old.description or new.category is not old.category begin
      delete from search_text where product_id = old.id;
      ${takeNumber};
      ${insertNew};
    end`,
    sql`create trigger product_search_removed after delete on product begin
      delete from search_text where product_id = old.id;
    end`,
  ],
  postgres: [
    sql`create or replace function search_text_added() returns trigger language plpgsql as $$ begin
      with added_word as (
        insert into search_word (word)
          select distinct word from added, search_words(name || description) as word order by word
          on conflict do nothing
          returning word
      )
      insert into search_form (kind, form, word)
        select kind, form, word from added_word, search_forms(word);
      insert into search_entry (tier, word, number)
        select 0, word, number from added, search_words(name) as word
        union all
        select 1, word, number from added, search_words(description) as word;
      return null;
    end $$`,
    sql`create trigger search_text_added after insert on search_text referencing new table as added
      for each statement execute function search_text_added()`,
    sql`create or replace function search_text_removed() returns trigger language plpgsql as $$ begin
      delete from search_entry where tier = 0 and number = old.number
        and word = any(array(select search_words(old.name)));
      delete from search_entry where tier = 1 and number = old.number
        and word = any(array(select search_words(old.description)));
      return null;
    end $$`,
    sql`create trigger search_text_removed after delete on search_text
      for each row execute function search_text_removed()`,
    sql`create or replace function product_search_added() returns trigger language plpgsql as $$
      declare rows bigint := (select count(*) from added);
      begin
        update search_number set last = last + rows;
        insert into search_text (number, product_id, name, description)
          select (select last from search_number) - rows + row_number() over (order by id), id, ${searchTexts} from added;
        return null;
    end $$`,
    sql`create trigger product_search_added after insert on product referencing new table as added
      for each statement execute function product_search_added()`,
    sql`create or replace function product_search_changed() returns trigger language plpgsql as $$ begin
      delete from search_text where product_id = old.id;
      if tg_op = 'UPDATE' then
        ${takeNumber};
        ${insertNew};
      end if;
      return null;
    end $$`,
    sql`create trigger product_search_changed after update of name, description, category on product for each row
      when (new.name <> old.name or new.description <> old.description or new.category is distinct from old.category)
      execute function product_search_changed()`,
    sql`create trigger product_search_removed after delete on product
      for each row execute function product_search_changed()`,
  ],
} satisfies Record<Engine, unknown>;
