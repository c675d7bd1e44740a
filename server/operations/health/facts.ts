import { statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Facts } from '../../../contract/health.ts';
import { maxCount } from '../../../contract/health-format.ts';
import type { Database } from '../../database/database.ts';
import { isLeased } from '../../database/lease.ts';
import { listApplied } from '../../database/migrate.ts';
import type { Db } from '../../database/schema.ts';
import type { RecordedEvent } from '../../shop/shop.ts';
import { hoursAgo } from './notes.ts';

/** Payments and holds are checked every two minutes. One that has waited longer than this needs attention. */
const overdueMs = 10 * 60_000;
const maxFailures = 2000;
const shownKinds = 10;

type Source = Pick<Database, 'db' | 'engine'>;

/** Reads only the database, so that every process reports the same, one statement at a time on one connection. */
export async function readFacts(database: Source): Promise<Facts> {
  const { db, engine } = database;
  const now = Date.now();
  const times = await db.selectFrom('last_time').selectAll().orderBy('name').limit(100).execute();
  const lastTime = (event: RecordedEvent) => toTime(times.find(({ name }) => name === event)?.at);
  return {
    readAt: new Date(now).toISOString(),
    webhook: { lastAt: lastTime('webhook'), lastOfPaymentAt: lastTime('webhook of a payment') },
    payments: { lastPaidAt: lastTime('paid'), ...(await readPayments(db, now)) },
    holds: await readHolds(db, now),
    errors: await readErrors(db),
    periodicWork: { lastFinishedAt: lastTime('periodic work'), underWay: await isLeased(database) },
    database: { engine, bytes: await readSize(database), version: (await listApplied(db)).at(-1) ?? '' },
    lastBackupAt: lastTime('backup'),
  };
}

/*
 * Every select reads the start of one index, up to a limit. Conditions that are always true make the engine choose that
 * index. Values are literals where the condition of a partial index contains the same literal.
 */

async function readPayments(db: Db, now: number) {
  const payments = db.selectFrom('payment').select(['intent', 'created_at', 'refund_status']).limit(maxCount);
  const open = await payments
    .where('state', '=', sql.lit('open'))
    .where('order_id', '>', '')
    .orderBy('order_id')
    .execute();
  const refunds = await payments
    .where('state', '=', sql.lit('refund_due'))
    .where('id', '>', '')
    .orderBy('id')
    .execute();
  const unknown = await db
    .selectFrom('unknown_payment')
    .select('seen_at')
    .orderBy('intent')
    .limit(maxCount)
    .execute();
  const refundsBy = Object.groupBy(refunds, ({ refund_status: status }) =>
    status === 'canceled' ? 'failed' : (status ?? 'due'),
  );
  const { due = [], pending = [], failed = [] } = refundsBy;
  return {
    open: open.length,
    oldestOpenAt: earliest(open.map(({ created_at }) => created_at)),
    unanswered: open.filter(({ intent, created_at }) => intent === null && created_at < now - overdueMs)
      .length,
    refundsDue: due.length,
    oldestRefundAt: earliest(due.map(({ created_at }) => created_at)),
    refundsPending: pending.length,
    refundsFailed: failed.length,
    unknown: unknown.length,
    lastUnknownAt: toTime(unknown.map(({ seen_at }) => seen_at).toSorted((a, b) => b - a)[0]),
  };
}

async function readHolds(db: Db, now: number): Promise<Facts['holds']> {
  const holds = await db
    .selectFrom('orders')
    .select(['quantity', 'hold_until'])
    .where('status', '=', sql.lit(''))
    .where('hold_until', '>=', 0)
    .orderBy('hold_until')
    .limit(maxCount)
    .execute();
  return {
    orders: holds.length,
    pieces: holds.reduce((sum, { quantity }) => sum + quantity, 0),
    nextEndsAt: toTime(holds[0]?.hold_until),
    overdue: holds.filter(({ hold_until }) => hold_until < now - overdueMs).length,
  };
}

/** The errors of the last day by log message, the most recent first. */
async function readErrors(db: Db): Promise<Facts['errors']> {
  const failures = await db
    .selectFrom('failure')
    .selectAll()
    .where('hour', '>=', hoursAgo(24))
    .orderBy('hour', 'desc')
    .limit(maxFailures)
    .execute();
  const kinds = new Map<string, Facts['errors']['kinds'][number]>();
  for (const { what, times, last_at, request_id } of failures.toSorted((a, b) => b.last_at - a.last_at)) {
    const lastAt = new Date(last_at).toISOString();
    kinds.getOrInsert(what, { what, times: 0, lastAt, requestId: request_id }).times += times;
  }
  const list = [...kinds.values()];
  const count = list.reduce((sum, { times }) => sum + times, 0);
  return { count, lastAt: list[0]?.lastAt ?? null, kinds: list.slice(0, shownKinds) };
}

/** The size of the database, in bytes; on SQLite with the write-ahead log. */
async function readSize({ db, engine }: Source): Promise<number> {
  if (engine === 'postgres') {
    const size = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
    return (await size.execute(db)).rows[0]?.bytes ?? 0;
  }
  const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(db);
  const file = rows.find(({ name }) => name === 'main')?.file ?? '';
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(file) + sizeOf(`${file}-wal`);
}

const toTime = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
const earliest = (times: number[]) => toTime(times.toSorted((a, b) => a - b)[0]);
