import type { Facts } from '../../contract/health.ts';
import { mostCounted } from '../../contract/health-words.ts';
import type { Database } from '../database/database.ts';
import { isLeased } from '../lease.ts';
import { readErrors } from './failures.ts';
import { readLastTimes } from './last-times.ts';
import * as queries from './queries.ts';
import { readSize } from './size.ts';

/** The shop asks the provider, and ends holds, every two minutes: what has waited longer, waits for somebody. */
const patience = 10 * 60_000;

/**
 * How the shop is, by its database alone: for the page Health, the metrics and the command `doctor`. A dozen small
 * statements, one after another, so that they never take all connections of a process.
 */
export async function readFacts(database: Database): Promise<Facts> {
  const { db, engine } = database;
  const now = Date.now();
  const last = await readLastTimes(db);
  const open = await queries.selectOpenPayments(db, mostCounted);
  const refunds = Map.groupBy(await queries.selectRefundsDue(db, mostCounted), ({ refund_status: status }) =>
    status === 'canceled' ? 'failed' : (status ?? 'due'),
  );
  const due = refunds.get('due') ?? [];
  const unknown = await queries.selectUnknownTimes(db, mostCounted);
  const holds = await queries.selectHolds(db, mostCounted);
  return {
    readAt: written(now),
    webhook: { lastAt: last('webhook'), lastOfPaymentAt: last('webhook of a payment') },
    payments: {
      lastPaidAt: last('paid'),
      open: open.length,
      oldestOpenAt: least(open.map(({ created_at }) => created_at)),
      unanswered: open.filter(({ intent, created_at }) => intent === null && created_at < now - patience)
        .length,
      refundsDue: due.length,
      oldestRefundAt: least(due.map(({ created_at }) => created_at)),
      refundsPending: refunds.get('pending')?.length ?? 0,
      refundsFailed: refunds.get('failed')?.length ?? 0,
      unknown: unknown.length,
      lastUnknownAt: greatest(unknown.map(({ seen_at }) => seen_at)),
    },
    holds: {
      orders: holds.length,
      pieces: holds.reduce((sum, { quantity }) => sum + quantity, 0),
      nextEndsAt: least(holds.map(({ hold_until }) => hold_until)),
      overdue: holds.filter(({ hold_until }) => hold_until < now - patience).length,
    },
    errors: await readErrors(db, now),
    periodicWork: {
      lastFinishedAt: last('periodic work'),
      underWay: await isLeased(database, 'periodic work'),
    },
    database: { engine, bytes: await readSize(database), version: await queries.selectVersion(db) },
    lastBackupAt: last('backup'),
  };
}

const written = (at: number) => new Date(at).toISOString();
const least = (times: number[]) => (times.length > 0 ? written(Math.min(...times)) : null);
const greatest = (times: number[]) => (times.length > 0 ? written(Math.max(...times)) : null);
