import type { Engine } from '../schema.ts';
import type { Statements } from './dialects.ts';
import { createPurchaseWords, createWordTable } from './words.ts';

/**
 * The index of the product search (decision 030): the words of names (tier 0), and of descriptions and categories (tier 1).
 * `search_form` has further forms by which a word is found: its suffixes, and the word without one of its letters. Triggers
 * maintain the index.
 */
export const searchTables: Statements = (dialect) => {
  const { engine, byteText, integerKey, clustered } = dialect;
  return [
    `create table search_text (
    number ${integerKey} primary key,
    product_id text not null unique,
    name text not null,
    description text not null
  )`,
    `create table search_number (
    last bigint not null primary key
  )`,
    `insert into search_number (last) values (0)`,
    `create table search_entry (
    tier bigint not null,
    word ${byteText} not null,
    number bigint not null,
    primary key (tier, word, number)
  ) ${clustered}`,
    `create table search_word (
    word ${byteText} not null primary key
  ) ${clustered}`,
    `create table search_form (
    kind text not null,
    form ${byteText} not null,
    word ${byteText} not null,
    primary key (kind, form, word)
  ) ${clustered}`,
    ...functions[engine],
    ...searchTriggers[engine],
    // Searches of users and orders.
    ...createWordTable(dialect, 'product'),
    ...createWordTable(dialect, 'user'),
    ...createPurchaseWords(dialect),
  ];
};

const searchTexts = "index_text(name), index_text(description || ' ' || coalesce(category, ''))";

const takeNumber = `update search_number set last = last + 1`;
const insertNew = `insert into search_text (number, product_id, name, description)
  select last, new.id, index_text(new.name), index_text(new.description || ' ' || coalesce(new.category, ''))
  from search_number`;

/** SQLite calls `server/database/search-text.ts` instead. */
const functions = {
  sqlite: [],
  postgres: [
    `create or replace function search_words(input text) returns setof text language sql immutable strict parallel safe as $$
      select distinct left(part, 40) from string_to_table(input, ' ') as part where part <> ''
    $$`,
    `create or replace function search_forms(input text) returns table (kind text, form text) language sql immutable strict parallel safe as $$
      select 'suffix', substr(input, at) from generate_series(2, length(input) - 1) as at
      where input !~ '[0-9]'
      union all
      select distinct 'deletion', overlay(input placing '' from at for 1) from generate_series(1, length(input)) as at
      where length(input) > 2 and input !~ '[0-9]'
    $$`,
  ],
} satisfies Record<Engine, string[]>;

const searchTriggers = {
  sqlite: [
    `create trigger search_text_added after insert on search_text begin
      insert or ignore into search_word (word)
        select value from json_each(search_words(new.name || new.description));
      insert or ignore into search_entry (tier, word, number)
        select 0, value, new.number from json_each(search_words(new.name))
        union all
        select 1, value, new.number from json_each(search_words(new.description));
    end`,
    `create trigger search_text_removed after delete on search_text begin
      delete from search_entry where tier = 0 and number = old.number
        and word in (select value from json_each(search_words(old.name)));
      delete from search_entry where tier = 1 and number = old.number
        and word in (select value from json_each(search_words(old.description)));
    end`,
    `create trigger search_word_added after insert on search_word begin
      insert into search_form (kind, form, word)
        select 'suffix', value, new.word from json_each(search_suffixes(new.word))
        union all
        select 'deletion', value, new.word from json_each(search_deletions(new.word));
    end`,
    `create trigger product_search_added after insert on product begin
      ${takeNumber};
      ${insertNew};
    end`,
    `create trigger product_search_changed after update of name, description, category on product
      when new.name <> old.name or new.description <> old.description or new.category is not old.category begin
      delete from search_text where product_id = old.id;
      ${takeNumber};
      ${insertNew};
    end`,
    `create trigger product_search_removed after delete on product begin
      delete from search_text where product_id = old.id;
    end`,
  ],
  postgres: [
    `create or replace function search_text_added() returns trigger language plpgsql as $$ begin
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
    `create trigger search_text_added after insert on search_text referencing new table as added
      for each statement execute function search_text_added()`,
    `create or replace function search_text_removed() returns trigger language plpgsql as $$ begin
      delete from search_entry where tier = 0 and number = old.number
        and word = any(array(select search_words(old.name)));
      delete from search_entry where tier = 1 and number = old.number
        and word = any(array(select search_words(old.description)));
      return null;
    end $$`,
    `create trigger search_text_removed after delete on search_text
      for each row execute function search_text_removed()`,
    `create or replace function product_search_added() returns trigger language plpgsql as $$
      declare rows bigint := (select count(*) from added);
      begin
        update search_number set last = last + rows;
        insert into search_text (number, product_id, name, description)
          select (select last from search_number) - rows + row_number() over (order by id), id, ${searchTexts} from added;
        return null;
    end $$`,
    `create trigger product_search_added after insert on product referencing new table as added
      for each statement execute function product_search_added()`,
    `create or replace function product_search_changed() returns trigger language plpgsql as $$ begin
      delete from search_text where product_id = old.id;
      if tg_op = 'UPDATE' then
        ${takeNumber};
        ${insertNew};
      end if;
      return null;
    end $$`,
    `create trigger product_search_changed after update of name, description, category on product for each row
      when (new.name <> old.name or new.description <> old.description or new.category is distinct from old.category)
      execute function product_search_changed()`,
    `create trigger product_search_removed after delete on product
      for each row execute function product_search_changed()`,
  ],
} satisfies Record<Engine, string[]>;
