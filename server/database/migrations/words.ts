import type { Engine } from '../schema.ts';
import type { Dialect } from './dialects.ts';

/**
 * Creates `product_word` for `product`, or `user_word` for `user`: the words of the rows' names, which triggers maintain. Searches
 * find rows by the start of their words.
 */
export function createWordTable({ engine, byteText }: Dialect, subject: 'product' | 'user'): string[] {
  const [table, id] = [`${subject}_word`, `${subject}_id`];
  const insert = {
    sqlite: `insert or ignore into ${table} (${id}, word)
      select new.id, value from json_each(search_words(index_text(new.name)));`,
    postgres: `insert into ${table} (${id}, word)
      select new.id, word from search_words(index_text(new.name)) as word;`,
  }[engine];
  const remove = `delete from ${table} where ${id} = old.id;`;
  const triggers = {
    sqlite: [
      `create trigger ${table}s_added after insert on "${subject}" begin ${insert} end`,
      `create trigger ${table}s_changed after update of name on "${subject}"
        when new.name <> old.name begin ${remove} ${insert} end`,
      `create trigger ${table}s_removed after delete on "${subject}" begin ${remove} end`,
    ],
    postgres: [
      `create or replace function ${table}s() returns trigger language plpgsql as $$ begin
        if tg_op <> 'INSERT' then
          ${remove}
        end if;
        if tg_op <> 'DELETE' then
          ${insert}
        end if;
        return null;
      end $$`,
      `create trigger ${table}s after insert or delete or update of name on "${subject}"
        for each row execute function ${table}s()`,
    ],
  };
  return [
    `create table ${table} (
      ${id} text not null,
      word ${byteText} not null,
      constraint ${table}_key primary key (${id}, word)
    )`,
    `create index ${table}_start on ${table} (word, ${id})`,
    ...triggers[engine],
  ];
}

/** The words of a purchase's name and address, and the key of its phone number. */
function selectPurchaseWords(engine: Engine, row: 'new' | 'old'): string {
  const words = `search_words(index_text(${row}.name || ' ' || ${row}.address))`;
  const selectWords = {
    sqlite: `select value as word from json_each(${words}) where length(value) > 1`,
    postgres: `select word from ${words} as word where length(word) > 1`,
  }[engine];
  return `${selectWords} union select phone_key(${row}.phone) where phone_key(${row}.phone) <> ''`;
}

/**
 * Creates `purchase_word`, by which searches find paid purchases. Unpaid purchases are left out: they are many, soon gone and have
 * nothing to send, and placing an order must stay fast. Purchases have millions of words, so the table has only one index. It
 * contains the purchase number, which is shorter than the id.
 */
export function createPurchaseWords({ engine, byteText, clustered }: Dialect): string[] {
  const insert = `insert into purchase_word (word, number) select word, new.number from (${selectPurchaseWords(engine, 'new')}) as own;`;
  const remove = `delete from purchase_word where old.status = 'paid' and number = old.number and word in (select word from (${selectPurchaseWords(engine, 'old')}) as own);`;
  const triggers = {
    sqlite: [
      `create trigger purchase_words_added after insert on purchase when new.status = 'paid' begin ${insert} end`,
      `create trigger purchase_words_changed after update of status, name, address, phone on purchase
        when new.status = 'paid' begin ${remove} ${insert} end`,
    ],
    postgres: [
      `create or replace function purchase_words() returns trigger language plpgsql as $$ begin
        if tg_op = 'UPDATE' then
          ${remove}
        end if;
        ${insert}
        return null;
      end $$`,
      `create trigger purchase_words after insert or update of status, name, address, phone on purchase
        for each row when (new.status = 'paid') execute function purchase_words()`,
    ],
  };
  return [
    `create table purchase_word (
      word ${byteText} not null,
      number text not null,
      constraint purchase_word_key primary key (word, number)
    ) ${clustered}`,
    ...triggers[engine],
  ];
}
