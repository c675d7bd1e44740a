import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../schema.ts';

/**
 * What the searches of users and orders compare of a user's name: for each of its words, the text from that word to the end,
 * without accents, in lower case, with a space after each word. Triggers maintain it, because the previous release adds
 * users, too; they call `search_text` of migration 029, which it knows.
 */
export async function up(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const text = sql.raw(engine === 'sqlite' ? 'text' : 'text collate "C"');
  const clustered = sql.raw(engine === 'sqlite' ? 'without rowid' : '');
  const addMissing = insert[engine](`select email, search_text(name) as full_name from "user"
    where not exists (select 1 from searched_name where searched_name.email = "user".email)`);
  for (const statement of [
    sql`create table searched_name (words ${text} not null, email text not null, primary key (words, email)) ${clustered}`,
    addMissing,
    sql`create index searched_name_email on searched_name (email, words)`,
    ...triggers[engine],
    // Users who signed up or left, or whose address changed, before the triggers. Since these, sign-ups wait until the end.
    addMissing,
    sql`delete from searched_name where not exists (select 1 from "user" where "user".email = searched_name.email)`,
  ])
    await statement.execute(db);
}

/**
 * Inserts the rows of the users that a query selects as `email` and `full_name`. The limit or offset keeps the engine from
 * computing `full_name` again for each use.
 */
const insert = {
  // Words contain neither quotes nor backslashes.
  sqlite: (users: string) =>
    sql.raw(`insert or ignore into searched_name (words, email)
      select substr(full_name, 1 + sum(length(value) + 1) over (partition by email order by key) - length(value), 60), email
      from (${users} limit -1) as named, json_each('["' || replace(trim(full_name), ' ', '","') || '"]')
      where full_name <> ' ' order by 1, 2`),
  postgres: (users: string) =>
    sql.raw(`insert into searched_name (words, email)
      select left(array_to_string(words[at:], ' ') || ' ', 60), email
      from (${users} offset 0) as named, string_to_array(trim(full_name), ' ') as words, generate_subscripts(words, 1) as at
      order by 1, 2
      on conflict do nothing`),
} as const satisfies Record<Engine, unknown>;

const insertNew = 'select new.email as email, search_text(new.name) as full_name';

const triggers = {
  sqlite: [
    sql`create trigger searched_name_added after insert on "user" begin
      ${insert.sqlite(insertNew)};
    end`,
    sql`create trigger searched_name_changed after update of name, email on "user"
      when new.name <> old.name or new.email <> old.email begin
      delete from searched_name where email = old.email;
      ${insert.sqlite(insertNew)};
    end`,
    sql`create trigger searched_name_removed after delete on "user" begin
      delete from searched_name where email = old.email;
    end`,
  ],
  postgres: [
    sql`create or replace function searched_name() returns trigger language plpgsql as $$ begin
      if tg_op <> 'INSERT' then
        delete from searched_name where email = old.email;
      end if;
      if tg_op <> 'DELETE' then
        ${insert.postgres(insertNew)};
      end if;
      return null;
    end $$`,
    sql`create trigger searched_name after insert or delete or update of name, email on "user"
      for each row execute function searched_name()`,
  ],
} satisfies Record<Engine, unknown>;
