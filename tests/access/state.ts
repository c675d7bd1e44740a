import { sql } from 'kysely';
import type { Schema } from '../../server/database/schema.ts';
import type { TestShop } from '../support/shop.ts';

/** The tables that only calls change. Others also change in the background, such as the daily totals and `mail`. */
const tables = [
  'product',
  'further_image',
  'stock_change',
  'image',
  'order_line',
  'purchase',
  'basket',
  'basket_line',
  'payment',
  'refund',
  'dispute',
  'order_note',
  'delivery_change',
  'idempotency_key',
  'review',
  'review_report',
  'back_in_stock',
  'subscriber',
  'contact_message',
  'user',
  'account',
  'session',
  'passkey',
  'twoFactor',
  'audit',
] as const satisfies (keyof Schema)[];

/**
 * The rows of these tables and of `others`, and the shop's details. Expired sessions are left out, because any request may delete
 * them.
 */
export async function readState(
  { database: { db } }: TestShop,
  others: (keyof Schema)[] = [],
): Promise<Record<string, string[]>> {
  const state: Record<string, string[]> = {};
  for (const table of [...tables, ...others]) {
    const columns = sql.raw(table === 'image' ? 'id' : '*');
    const { rows } = await sql<{ expiresAt?: unknown }>`select ${columns} from ${sql.table(table)}`.execute(
      db,
    );
    state[table] = rows
      .filter(isCurrent)
      .map((row) => JSON.stringify(row))
      .sort();
  }
  const details = db.selectFrom('setting').select('value').where('name', '=', 'shop details');
  state.details = (await details.execute()).map(({ value }) => value);
  return state;
}

const isCurrent = ({ expiresAt }: { expiresAt?: unknown }): boolean =>
  expiresAt === undefined || new Date(String(expiresAt)).getTime() > Date.now();
