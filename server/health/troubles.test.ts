import { expect, test } from 'vitest';
import type { Facts } from '../../contract/health.ts';
import { findTroubles } from './troubles.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const minutes = (count: number) => new Date(now - count * 60_000).toISOString();
const hours = (count: number) => minutes(count * 60);
const days = (count: number) => hours(count * 24);

const well: Facts = {
  readAt: minutes(0),
  webhook: { lastAt: minutes(29), lastOfPaymentAt: minutes(29) },
  payments: {
    lastPaidAt: minutes(30),
    ...{ open: 4, oldestOpenAt: days(2), unanswered: 0 },
    ...{ refundsDue: 0, oldestRefundAt: null, refundsPending: 0, refundsFailed: 0 },
    ...{ unknown: 0, lastUnknownAt: null },
  },
  holds: { orders: 4, pieces: 20, nextEndsAt: minutes(-60), overdue: 0 },
  errors: { count: 0, lastAt: null, kinds: [] },
  periodicWork: { lastFinishedAt: minutes(1), underWay: false },
  database: { engine: 'sqlite', bytes: 1_000_000, version: '005-health' },
  lastBackupAt: hours(20),
};

/** What is said of a shop that is well but for this; it has run for an hour. */
function say(but: Partial<Facts>, { sandbox = false, startedAt = Date.parse(hours(1)) } = {}): string[] {
  return findTroubles({ ...well, ...but }, { sandbox, startedAt }).map(({ what }) => what);
}
const payments = (but: Partial<Facts['payments']>) => ({ payments: { ...well.payments, ...but } });

test('a shop with customers who have not yet paid is well, and so is a new one', () => {
  expect(say({})).toEqual([]);
  expect(
    say({
      webhook: { lastAt: null, lastOfPaymentAt: null },
      ...payments({ lastPaidAt: null, open: 0, oldestOpenAt: null }),
    }),
  ).toEqual([]);
});

test('that the provider says nothing matters once an order was paid', () => {
  const silent = { lastAt: days(1), lastOfPaymentAt: days(3) };
  expect(say({ webhook: silent })).toEqual([
    'Stripe has not told the shop of the last payment, 30 minutes ago: its last word of one came 3 days ago. Orders still become paid, but late.',
  ]);
  const never = { lastAt: null, lastOfPaymentAt: null };
  expect(say({ webhook: never }, { sandbox: true })).toEqual([
    expect.stringMatching(/^The stand-in for Stripe .* it has never told of one\./),
  ]);
  // It may be on its way.
  expect(say({ webhook: silent, ...payments({ lastPaidAt: minutes(10) }) })).toEqual([]);
  // It came before the order was settled by it.
  expect(say({ webhook: { lastAt: minutes(31), lastOfPaymentAt: minutes(31) } })).toEqual([]);
});

test('the regular work is missed after a quarter of an hour, where one does it now after half a day', () => {
  const work = (lastFinishedAt: string | null, underWay = false) => ({
    periodicWork: { lastFinishedAt, underWay },
  });
  expect(say(work(minutes(14)))).toEqual([]);
  expect(say(work(minutes(16)))).toEqual([
    expect.stringMatching(/was last done 16 minutes ago: nobody asks/),
  ]);
  expect(say(work(null))).toEqual([expect.stringMatching(/has never been done: nobody asks/)]);
  expect(say(work(hours(3), true))).toEqual([]);
  expect(say(work(hours(13), true), { startedAt: Date.parse(days(2)) })).toHaveLength(1);
  // A server that has just started.
  for (const before of [days(9), null]) expect(say(work(before), { startedAt: now - 60_000 })).toEqual([]);
  // Nobody says that a server runs.
  expect(findTroubles({ ...well, ...work(null) }, { sandbox: false, startedAt: undefined })).toEqual([]);
});

test('a live shop is told of backups that are missing, where nobody else can make them', () => {
  const never = { lastBackupAt: null };
  expect(say(never)).toEqual(['Orders have been paid, and no backup was ever made.']);
  expect(say({ ...never, ...payments({ lastPaidAt: null }) })).toEqual([]);
  expect(say({ ...never, database: { ...well.database, engine: 'postgres' } })).toEqual([]);
  expect(say({ lastBackupAt: days(9) })).toEqual(['The last backup was made 9 days ago.']);
  expect(say({ lastBackupAt: days(9) }, { sandbox: true })).toEqual([]);
});

test('each thing that waits for somebody is counted in words, the most urgent first', () => {
  const said = say({
    ...payments({ unanswered: 1, refundsDue: 2, refundsFailed: 1, unknown: 3, lastUnknownAt: days(6) }),
    holds: { ...well.holds, overdue: 1000 },
    errors: { count: 1234, lastAt: hours(5), kinds: [] },
  });
  expect(said.map((what) => what.split(/ that | came | should | went /)[0])).toEqual([
    '1 payment',
    '2 payments',
    '1 refund failed: the customer has not got the money back.',
    '3 payments',
    '1,000 or more unpaid orders',
    'In the last day 1,234 things',
  ]);
  expect(say(payments({ unknown: 3, lastUnknownAt: days(8) }))).toEqual([]);
});
