import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Adds customers' address books. An address is JSON (`PostalAddress`). */
export const addressBook = {
  name: '004-address-book',
  async up(db: Db): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};

const statements = [
  `create table address (
    id text primary key,
    user_id text not null references "user" (id) on delete cascade,
    value text not null
  )`,
  `create index address_user on address (user_id, id)`,
];
