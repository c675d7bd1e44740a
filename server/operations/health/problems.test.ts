import { expect, test } from 'vitest';
import type { Facts } from '../../../contract/health.ts';
import { findTroubles } from './problems.ts';

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

/** The troubles of a healthy shop that differs in these facts and has run for an hour. */
function troublesOf(
  but: Partial<Facts>,
  { sandbox = false, startedAt = Date.parse(hours(1)) } = {},
): string[] {
  return findTroubles({ ...well, ...but }, { sandbox, startedAt }).map(({ what }) => what);
}
const payments = (but: Partial<Facts['payments']>) => ({ payments: { ...well.payments, ...but } });

test('a shop with open payments is healthy, and so is a new shop', () => {
  expect(troublesOf({})).toEqual([]);
  expect(
    troublesOf({
      webhook: { lastAt: null, lastOfPaymentAt: null },
      ...payments({ lastPaidAt: null, open: 0, oldestOpenAt: null }),
    }),
  ).toEqual([]);
});

test('a missing webhook is a trouble only once an order was paid', () => {
  const silent = { lastAt: days(1), lastOfPaymentAt: days(3) };
  expect(troublesOf({ webhook: silent })).toEqual([
    'Stripe sent no webhook for the last payment, 30 minutes ago. The last webhook about a payment came 3 days ago. Orders are still marked as paid, but late.',
  ]);
  const never = { lastAt: null, lastOfPaymentAt: null };
  expect(troublesOf({ webhook: never }, { sandbox: true })).toEqual([
    expect.stringMatching(/^The stand-in for Stripe .* No webhook about a payment has ever come\./),
  ]);
  // It may be on its way.
  expect(troublesOf({ webhook: silent, ...payments({ lastPaidAt: minutes(10) }) })).toEqual([]);
  // The webhook came before it settled the order.
  expect(troublesOf({ webhook: { lastAt: minutes(31), lastOfPaymentAt: minutes(31) } })).toEqual([]);
});

test('regular work is overdue after 15 minutes, or after 12 hours while it is under way', () => {
  const work = (lastFinishedAt: string | null, underWay = false) => ({
    periodicWork: { lastFinishedAt, underWay },
  });
  expect(troublesOf(work(minutes(14)))).toEqual([]);
  expect(troublesOf(work(minutes(16)))).toEqual([
    expect.stringMatching(/was last done 16 minutes ago\. Until/),
  ]);
  expect(troublesOf(work(null))).toEqual([expect.stringMatching(/has never been done\. Until/)]);
  expect(troublesOf(work(hours(3), true))).toEqual([]);
  expect(troublesOf(work(hours(13), true), { startedAt: Date.parse(days(2)) })).toHaveLength(1);
  // A server that has just started.
  for (const before of [days(9), null])
    expect(troublesOf(work(before), { startedAt: now - 60_000 })).toEqual([]);
  // Outside a server.
  expect(findTroubles({ ...well, ...work(null) }, { sandbox: false, startedAt: undefined })).toEqual([]);
});

test('a live shop on SQLite is warned of missing backups', () => {
  const never = { lastBackupAt: null };
  expect(troublesOf(never)).toEqual(['Orders have been paid, and no backup was ever made.']);
  expect(troublesOf({ ...never, ...payments({ lastPaidAt: null }) })).toEqual([]);
  expect(troublesOf({ ...never, database: { ...well.database, engine: 'postgres' } })).toEqual([]);
  expect(troublesOf({ lastBackupAt: days(9) })).toEqual(['The last backup was made 9 days ago.']);
  expect(troublesOf({ lastBackupAt: days(9) }, { sandbox: true })).toEqual([]);
});

test('troubles are counted in words, the most urgent first', () => {
  const found = troublesOf({
    ...payments({ unanswered: 1, refundsDue: 2, refundsFailed: 1, unknown: 3, lastUnknownAt: days(6) }),
    holds: { ...well.holds, overdue: 1000 },
    errors: { count: 1234, lastAt: hours(5), kinds: [] },
  });
  expect(found.map((what) => what.split(/ got no | came | should | went /)[0])).toEqual([
    '1 payment',
    '2 payments',
    '1 refund failed: the customer has not got the money back.',
    '3 payments',
    '1,000 or more unpaid orders',
    'In the last day 1,234 things',
  ]);
  expect(troublesOf(payments({ unknown: 3, lastUnknownAt: days(8) }))).toEqual([]);
});
