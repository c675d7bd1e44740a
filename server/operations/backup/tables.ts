import { formatQuantity } from '../../../contract/health-format.ts';
import type { Schema } from '../../database/schema.ts';

/**
 * How a backup treats each table, in an order that satisfies the foreign keys.
 * - `user`: written for users. A single row means that the database is in use.
 * - `system`: written by the shop itself, even into an empty database; replaced by the backup's rows.
 * - `temporary`: not backed up, because it is valid for minutes or for this database only.
 */
export const tables: Record<keyof Schema, 'user' | 'system' | 'temporary'> = {
  setting: 'system',
  user: 'user',
  // Only usable with the AUTH_SECRET that signed them, which is not in a backup.
  session: 'user',
  account: 'user',
  product: 'user',
  orders: 'user',
  payment: 'user',
  unknown_payment: 'user',
  review: 'user',
  audit: 'user',
  picture: 'user',
  first_answer: 'user',
  last_time: 'system',
  failure: 'system',
  // The applied migrations are in the head of a backup.
  migration: 'temporary',
  // Belongs to processes that the restored shop does not have.
  lease: 'temporary',
  // Rate limits, whose names contain network addresses.
  tries: 'temporary',
  // Google sign-ins in progress.
  verification: 'temporary',
};

export function listTables(...kinds: (typeof tables)[keyof Schema][]): (keyof Schema)[] {
  return keysOf(tables).filter((name) => kinds.includes(tables[name]));
}

const keysOf = <Key extends string>(record: Record<Key, unknown>): Key[] => {
  const keys: Key[] = [];
  for (const key in record) keys.push(key);
  return keys;
};

/** The number of rows by table. */
export type Counts = Map<string, number>;

export function addCount(counts: Counts, table: string, rows: number): void {
  counts.set(table, (counts.get(table) ?? 0) + rows);
}

/** The main counts, as part of a sentence. */
export function describeCounts(counts: Counts): string {
  const describe = (table: string, noun: string) => formatQuantity(counts.get(table) ?? 0, noun);
  return [
    describe('user', 'account'),
    describe('product', 'product'),
    describe('orders', 'order'),
    describe('payment', 'payment'),
    describe('review', 'review'),
    describe('picture', 'image file'),
    describe('audit', 'audit log row'),
  ].join(', ');
}
