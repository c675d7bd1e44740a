import type { Facts } from '../../../contract/health.ts';
import { maxCount } from '../../../contract/health-format.ts';
import type { Database } from '../../database/database.ts';
import { isLeased } from '../../database/lease.ts';
import type { Db } from '../../database/schema.ts';
import type { RecordedEvent } from '../../shop/shop.ts';
import * as queries from './queries.ts';

/** Payments and holds are checked every two minutes. One that has waited longer than this needs attention. */
const overdueMs = 10 * 60_000;
const maxFailures = 2000;
const shownKinds = 10;

/**
 * Reads the state of the shop for the Health page, the metrics and `npm run doctor`. It comes from the database alone, so
 * that every process reports the same. The statements run one after another, to occupy a single connection.
 */
export async function readFacts(database: Database): Promise<Facts> {
  const { db, engine } = database;
  const now = Date.now();
  const lastTimes = new Map((await queries.selectLastTimes(db)).map(({ name, at }) => [name, at]));
  const lastTime = (event: RecordedEvent) => toTime(lastTimes.get(event));
  const open = await queries.selectOpenPayments(db, maxCount);
  const refunds = Map.groupBy(await queries.selectRefundsDue(db, maxCount), ({ refund_status: status }) =>
    status === 'canceled' ? 'failed' : (status ?? 'due'),
  );
  const due = refunds.get('due') ?? [];
  const unknown = await queries.selectUnknownTimes(db, maxCount);
  const holds = await queries.selectHolds(db, maxCount);
  return {
    readAt: new Date(now).toISOString(),
    webhook: { lastAt: lastTime('webhook'), lastOfPaymentAt: lastTime('webhook of a payment') },
    payments: {
      lastPaidAt: lastTime('paid'),
      open: open.length,
      oldestOpenAt: earliest(open.map(({ created_at }) => created_at)),
      unanswered: open.filter(({ intent, created_at }) => intent === null && created_at < now - overdueMs)
        .length,
      refundsDue: due.length,
      oldestRefundAt: earliest(due.map(({ created_at }) => created_at)),
      refundsPending: refunds.get('pending')?.length ?? 0,
      refundsFailed: refunds.get('failed')?.length ?? 0,
      unknown: unknown.length,
      lastUnknownAt: toTime(unknown.map(({ seen_at }) => seen_at).toSorted((a, b) => b - a)[0]),
    },
    holds: {
      orders: holds.length,
      pieces: holds.reduce((sum, { quantity }) => sum + quantity, 0),
      nextEndsAt: toTime(holds[0]?.hold_until),
      overdue: holds.filter(({ hold_until }) => hold_until < now - overdueMs).length,
    },
    errors: await readErrors(db),
    periodicWork: {
      lastFinishedAt: lastTime('periodic work'),
      underWay: await isLeased(database),
    },
    database: { engine, bytes: await queries.selectSize(database), version: await queries.selectVersion(db) },
    lastBackupAt: lastTime('backup'),
  };
}

/** The errors of the last day by log message, the most recent first. */
async function readErrors(db: Db): Promise<Facts['errors']> {
  const rows = (await queries.selectFailures(db, maxFailures)).toSorted((a, b) => b.last_at - a.last_at);
  const kinds: Facts['errors']['kinds'] = [];
  for (const { what, times, last_at: lastAt, request_id: requestId } of rows) {
    const kind = kinds.find((known) => known.what === what);
    if (kind) kind.times += times;
    else kinds.push({ what, times, lastAt: new Date(lastAt).toISOString(), requestId });
  }
  return {
    count: rows.reduce((sum, { times }) => sum + times, 0),
    lastAt: kinds[0]?.lastAt ?? null,
    kinds: kinds.slice(0, shownKinds),
  };
}

const toTime = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();
const earliest = (times: number[]) => toTime(times.toSorted((a, b) => a - b)[0]);
