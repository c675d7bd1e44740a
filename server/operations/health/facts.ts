import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { jsonArrayFrom as jsonOnPostgres } from 'kysely/helpers/postgres';
import { jsonArrayFrom as jsonOnSqlite } from 'kysely/helpers/sqlite';
import type { Facts } from '../../../contract/admin/health.ts';
import { dayMs } from '../../../contract/durations.ts';
import { toWire } from '../../config/currency.ts';
import type { Database } from '../../database/database.ts';
import { isPeriodicWork } from '../../database/lease.ts';
import { listApplied } from '../../database/migrate.ts';
import type { Schema } from '../../database/schema.ts';
import { countUnanswered, isFull } from '../../shop/contact/messages.ts';
import type { RecordedEvent } from '../../shop/shop.ts';
import {
  selectDisputes,
  selectFailedMail,
  selectFailures,
  selectHolds,
  selectLastFailedMail,
  selectLatePayments,
  selectLeases,
  selectOpenPayments,
  selectOutages,
  selectOwed,
  selectOwedCharges,
  selectPaidTwice,
  selectPendingRefunds,
  selectRefundsDue,
  selectTimes,
  selectUnknownTimes,
  selectWaitingMail,
} from './fact-queries.ts';

/**
 * The periodic work checks payments, refunds and holds every two minutes. If one of them waits longer than this, it needs
 * attention.
 */
const overdueMs = 10 * 60_000;
const shownKinds = 10;
const shownOrders = 10;

type Source = Pick<Database, 'db' | 'engine'>;

/** The facts that `findTroubles` reads. */
export type TroubleFacts = Omit<Facts, 'database'> & { database: Pick<Facts['database'], 'engine'> };

/** Reads only the database, so that every process reports the same. */
export async function readFacts(database: Source): Promise<Facts> {
  const facts = await readTroubleFacts(database);
  const version = (await listApplied(database.db)).at(-1) ?? '';
  return { ...facts, database: { ...facts.database, bytes: await readSize(database), version } };
}

/** One statement, because the overview reads these facts every few seconds. */
export async function readTroubleFacts({ db, engine }: Source): Promise<TroubleFacts> {
  const now = Date.now();
  const toJson: typeof jsonOnSqlite = engine === 'sqlite' ? jsonOnSqlite : jsonOnPostgres;
  const lists = await db
    .selectNoFrom([
      toJson(selectTimes(db)).as('times'),
      toJson(selectOutages(db)).as('outages'),
      toJson(selectOpenPayments(db)).as('open'),
      toJson(selectRefundsDue(db)).as('refundsDue'),
      toJson(selectUnknownTimes(db)).as('unknown'),
      toJson(selectLatePayments(db)).as('late'),
      toJson(selectPendingRefunds(db)).as('pendingRefunds'),
      toJson(selectOwed(db)).as('owed'),
      toJson(selectOwedCharges(db)).as('owedCharges'),
      toJson(selectPaidTwice(db)).as('paidTwice'),
      toJson(selectDisputes(db)).as('disputes'),
      toJson(selectHolds(db)).as('holds'),
      toJson(selectWaitingMail(db)).as('waitingMail'),
      toJson(selectFailedMail(db)).as('failedMail'),
      toJson(selectLastFailedMail(db)).as('lastFailedMail'),
      toJson(countUnanswered(db)).as('unansweredMessages'),
      toJson(selectFailures(db)).as('failures'),
      toJson(selectLeases(db)).as('leases'),
    ])
    .executeTakeFirstOrThrow();
  const lastTimes = parseRows(lists.times);
  const lastTime = (event: RecordedEvent) => toTime(lastTimes.find(({ name }) => name === event)?.at);
  return {
    readAt: new Date(now).toISOString(),
    outages: parseRows(lists.outages).map(({ service, since, problem }) => ({
      service,
      problem,
      since: new Date(since).toISOString(),
    })),
    webhook: { lastAt: lastTime('webhook'), lastOfPaymentAt: lastTime('webhook of a payment') },
    payments: {
      lastPaidAt: lastTime('paid'),
      ...describeOpenPayments(parseRows(lists.open), now),
      ...describeRefundsDue(parseRows(lists.refundsDue)),
      ...describeUnknownPayments(parseRows(lists.unknown)),
      late: parseRows(lists.late).map(({ number }) => number),
    },
    orderRefunds: {
      ...describePendingRefunds(parseRows(lists.pendingRefunds), now),
      owed: describeOwed([...parseRows(lists.owed), ...parseRows(lists.owedCharges)]),
      paidTwice: describePaidTwice(parseRows(lists.paidTwice), now),
    },
    disputes: describeDisputes(parseRows(lists.disputes)),
    holds: describeHolds(parseRows(lists.holds), now),
    mail: {
      lastSentAt: lastTime('mail sent'),
      ...describeMail(
        parseRows(lists.waitingMail),
        parseRows(lists.failedMail).length,
        parseRows(lists.lastFailedMail),
      ),
    },
    contact: { isFull: parseRows(lists.unansweredMessages).some(isFull) },
    errors: describeErrors(parseRows(lists.failures)),
    periodicWork: {
      lastFinishedAt: lastTime('periodic work'),
      underWay: parseRows(lists.leases).some((lease) => isPeriodicWork(lease, now)),
    },
    database: { engine },
    lastBackupAt: lastTime('backup'),
  };
}

/** SQLite returns JSON as text. */
const parseRows = <Row>(rows: Row[]): Row[] => (typeof rows === 'string' ? JSON.parse(rows) : rows);

const describeOpenPayments = (open: Pick<Schema['payment'], 'intent' | 'created_at'>[], now: number) => ({
  open: open.length,
  oldestOpenAt: earliest(open.map(({ created_at }) => created_at)),
  unanswered: open.filter(({ intent, created_at }) => intent === null && created_at < now - overdueMs).length,
});

function describeRefundsDue(refunds: Pick<Schema['refund'], 'created_at' | 'status' | 'provider_id'>[]) {
  const refundsBy = Object.groupBy(refunds, ({ status, provider_id }) =>
    provider_id === null ? 'due' : status === 'pending' ? 'pending' : 'failed',
  );
  const { due = [], pending = [], failed = [] } = refundsBy;
  return {
    refundsDue: due.length,
    oldestRefundAt: earliest(due.map(({ created_at }) => created_at)),
    refundsPending: pending.length,
    refundsFailed: failed.length,
  };
}

const describeUnknownPayments = (unknown: { seen_at: number }[]) => ({
  unknown: unknown.length,
  lastUnknownAt: toTime(unknown.map(({ seen_at }) => seen_at).toSorted((a, b) => b - a)[0]),
});

const describePendingRefunds = (
  pending: { created_at: number; provider_id: string | null }[],
  now: number,
) => ({
  unsent: pending.filter(({ created_at, provider_id }) => !provider_id && created_at < now - overdueMs)
    .length,
  pending: pending.length,
});

/** Sums the owed amounts by purchase. */
function describeOwed(
  lines: { number: string; currency: string; owed: number }[],
): Facts['orderRefunds']['owed'] {
  return [...Map.groupBy(lines, ({ number }) => number).values()].slice(0, shownOrders).flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const owed = group.reduce((sum, line) => sum + line.owed, 0);
    return { number: first.number, amount: toWire(owed, first.currency), currency: first.currency };
  });
}

/** Lists only those of the last week, because the shop has no way to record that such a refund was resolved. */
const describePaidTwice = (
  refunds: { number: string; currency: string; amount: number; updated_at: number }[],
  now: number,
): Facts['orderRefunds']['paidTwice'] =>
  refunds
    .filter(({ updated_at }) => updated_at > now - 7 * dayMs)
    .slice(0, shownOrders)
    .map(({ number, currency, amount }) => ({ number, amount: toWire(amount, currency), currency }));

type DisputeRow = Pick<Schema['dispute'], 'amount' | 'currency' | 'reason' | 'status' | 'respond_by'> & {
  number: string | null;
};

function describeDisputes(disputes: DisputeRow[]): Facts['disputes'] {
  const byDeadline = disputes.toSorted((a, b) => (a.respond_by ?? Infinity) - (b.respond_by ?? Infinity));
  return byDeadline.slice(0, shownOrders).map(({ number, amount, currency, reason, status, respond_by }) => ({
    number,
    amount: toWire(amount, currency),
    currency,
    reason,
    status,
    respondBy: respond_by === null ? null : toTime(respond_by),
  }));
}

const describeHolds = (holds: { quantity: number; hold_until: number }[], now: number): Facts['holds'] => ({
  orders: holds.length,
  pieces: holds.reduce((sum, { quantity }) => sum + quantity, 0),
  nextEndsAt: toTime(holds[0]?.hold_until),
  overdue: holds.filter(({ hold_until }) => hold_until < now - overdueMs).length,
});

type FailedMail = Pick<Schema['mail'], 'recipient' | 'kind' | 'created_at'> & {
  at: number | null;
  response: string | null;
};

const describeMail = (
  waiting: { created_at: number }[],
  failedCount: number,
  failed: FailedMail[],
): Omit<Facts['mail'], 'lastSentAt'> => ({
  waiting: waiting.length,
  oldestWaitingAt: earliest(waiting.map(({ created_at }) => created_at)),
  failedCount,
  failed: failed.map(({ recipient, kind, created_at, at, response }) => ({
    to: recipient,
    kind,
    addedAt: new Date(created_at).toISOString(),
    failedAt: toTime(at ?? undefined),
    response: response ?? '',
  })),
});

/** The errors of the last day by log message, the most recent first. */
function describeErrors(failures: Omit<Schema['error_count'], 'hour'>[]): Facts['errors'] {
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
