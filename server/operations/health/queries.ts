import { stat } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import type { Db } from '../../database/schema.ts';
import type { RecordedEvent } from '../../shop/shop.ts';

/** A logged error: how often it was logged, and when and in which request last. */
export type Failure = { times: number; lastAt: number; requestId: string | null };

const hourMs = 60 * 60_000;

/*
 * Every select reads the start of one index, up to a limit. Conditions that are always true make the engine choose that
 * index. Values are literals where the condition of a partial index contains the same literal.
 */

/** Open payments, by order. */
export const selectOpenPayments = (db: Db, limit: number) =>
  db
    .selectFrom('payment')
    .select(['intent', 'created_at'])
    .where('state', '=', sql.lit('open'))
    .where('order_id', '>', '')
    .orderBy('order_id')
    .limit(limit)
    .execute();

export const selectRefundsDue = (db: Db, limit: number) =>
  db
    .selectFrom('payment')
    .select(['created_at', 'refund_status'])
    .where('state', '=', sql.lit('refund_due'))
    .where('id', '>', '')
    .orderBy('id')
    .limit(limit)
    .execute();

export const selectUnknownTimes = (db: Db, limit: number) =>
  db.selectFrom('unknown_payment').select('seen_at').orderBy('intent').limit(limit).execute();

/** Holds of unpaid orders, the first to end first. */
export const selectHolds = (db: Db, limit: number) =>
  db
    .selectFrom('orders')
    .select(['quantity', 'hold_until'])
    .where('status', '=', sql.lit(''))
    .where('hold_until', '>=', 0)
    .orderBy('hold_until')
    .limit(limit)
    .execute();

/** The name of the last applied migration. */
export async function selectVersion(db: Db): Promise<string> {
  const last = await db
    .selectFrom('migration')
    .select('name')
    .orderBy('name', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.name ?? '';
}

/** The size of the database, in bytes; on SQLite with the write-ahead log. */
export async function selectSize({ db, engine }: Database): Promise<number> {
  if (engine === 'postgres') {
    const { rows } = await sql<{
      bytes: number;
    }>`select pg_database_size(current_database()) as bytes`.execute(db);
    return rows[0]?.bytes ?? 0;
  }
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db);
  const file = rows.find(({ name }) => name === 'main')?.file ?? '';
  const sizes = [file, `${file}-wal`].map((path) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size);
}

export async function upsertLastTimes(db: Db, times: Map<RecordedEvent, number>): Promise<void> {
  if (times.size === 0) return;
  await db
    .insertInto('last_time')
    .values(inKeyOrder(times).map(([name, at]) => ({ name, at })))
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ at: eb.ref('excluded.at') })))
    .execute();
}

export const selectLastTimes = (db: Db) =>
  db.selectFrom('last_time').selectAll().orderBy('name').limit(100).execute();

/** Adds failures, by log message, to those of the same hour. */
export async function upsertFailures(db: Db, failures: Map<string, Failure>): Promise<void> {
  if (failures.size === 0) return;
  const rows = inKeyOrder(failures).map(([what, { times, lastAt, requestId }]) => ({
    hour: Math.floor(lastAt / hourMs),
    what,
    times,
    last_at: lastAt,
    request_id: requestId,
  }));
  await db
    .insertInto('failure')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'what']).doUpdateSet((eb) => ({
        times: eb('failure.times', '+', eb.ref('excluded.times')),
        last_at: eb.ref('excluded.last_at'),
        request_id: eb.ref('excluded.request_id'),
      })),
    )
    .execute();
}

/** The failures of the last day, by message and hour. */
export const selectFailures = (db: Db, limit: number) =>
  db
    .selectFrom('failure')
    .selectAll()
    .where('hour', '>=', hoursAgo(24))
    .orderBy('hour', 'desc')
    .limit(limit)
    .execute();

export async function deleteOldFailures(db: Db): Promise<void> {
  await db.deleteFrom('failure').where('hour', '<', hoursAgo(48)).execute();
}

const hoursAgo = (hours: number): number => Math.floor(Date.now() / hourMs) - hours;

/** In the same order in every process, so that concurrent writes do not deadlock. */
const inKeyOrder = <Value>(map: Map<string, Value>): [string, Value][] =>
  [...map].toSorted(([a], [b]) => (a < b ? -1 : 1));
