import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/*
 * Each reads one index, from its beginning and only so far. The conditions that every row fulfils are what keys are
 * looked for by; literals, as in the conditions of the indexes.
 */

/** Payments that were begun and are not finished, of the oldest orders. */
export const selectOpenPayments = (db: Db, most: number) =>
  db
    .selectFrom('payment')
    .select(['intent', 'created_at'])
    .where('state', '=', sql.lit('open'))
    .where('order_id', '>', '')
    .orderBy('order_id')
    .limit(most)
    .execute();

export const selectRefundsDue = (db: Db, most: number) =>
  db
    .selectFrom('payment')
    .select(['created_at', 'refund_status'])
    .where('state', '=', sql.lit('refund_due'))
    .where('id', '>', '')
    .orderBy('id')
    .limit(most)
    .execute();

export const selectUnknownTimes = (db: Db, most: number) =>
  db.selectFrom('unknown_payment').select('seen_at').orderBy('intent').limit(most).execute();

/** What unpaid orders hold, those that end first at the beginning. */
export const selectHolds = (db: Db, most: number) =>
  db
    .selectFrom('orders')
    .select(['quantity', 'hold_until'])
    .where('status', '=', sql.lit(''))
    .where('hold_until', '>=', 0)
    .orderBy('hold_until')
    .limit(most)
    .execute();

/** The last step of the migrations that this database has behind it. */
export async function selectVersion(db: Db): Promise<string> {
  const last = await db
    .selectFrom('migration')
    .select('name')
    .orderBy('name', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.name ?? '';
}
