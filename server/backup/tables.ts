import type { Schema } from '../database/schema.ts';

/** The schema of PostgreSQL, or the name that the file of SQLite is attached under, in which the stand-ins keep theirs. */
export const standIns = 'sandbox';

/**
 * What becomes of each table of the shop; in the order in which rows can refer to one another.
 * - `people`: rows that are there because somebody did something. One of them, and a place is not empty.
 * - `shop`: rows that the shop writes by itself, into an empty database as well. The backup's take their place.
 * - `passing`: not in a backup. What it says holds for minutes, or for this one database.
 */
export const tables: Record<keyof Schema, 'people' | 'shop' | 'passing'> = {
  setting: 'shop',
  user: 'people',
  // Of use only with the AUTH_SECRET that signed them, which no backup holds.
  session: 'people',
  account: 'people',
  product: 'people',
  orders: 'people',
  payment: 'people',
  unknown_payment: 'people',
  review: 'people',
  audit: 'people',
  picture: 'people',
  first_answer: 'people',
  last_time: 'shop',
  failure: 'shop',
  // The steps of migrate.ts stand in the head of a backup.
  migration: 'passing',
  // Held by a process that the restored shop does not have.
  lease: 'passing',
  // Rate-limit counters of ten minutes or a day, with network addresses in their names.
  tries: 'passing',
  // A sign-in with Google that is under way.
  verification: 'passing',
};

/** The names of those tables, in their order. */
export function listTables(...kinds: (typeof tables)[keyof Schema][]): (keyof Schema)[] {
  return keysOf(tables).filter((name) => kinds.includes(tables[name]));
}

const keysOf = <Key extends string>(record: Record<Key, unknown>): Key[] => {
  const keys: Key[] = [];
  for (const key in record) keys.push(key);
  return keys;
};
