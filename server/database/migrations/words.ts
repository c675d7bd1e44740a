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
