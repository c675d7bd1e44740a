import { expect, test } from 'vitest';
import type { Facts } from '../../../contract/admin/health.ts';
import type { Mode } from '../../config/config.ts';
import { findTroubles, findUntried } from './troubles.ts';

const live = { mode: 'live', timeZone: 'UTC', contactEmail: 'desk@shop.example' } as const;

const now = Date.parse('2026-11-21T12:00:00Z');
const minutes = (count: number) => new Date(now - count * 60_000).toISOString();
const hours = (count: number) => minutes(count * 60);
const days = (count: number) => hours(count * 24);

const healthy: Facts = {
  readAt: minutes(0),
  outages: [],
  webhook: { lastAt: minutes(29), lastOfPaymentAt: minutes(29) },
  payments: {
    lastPaidAt: minutes(30),
    open: 4,
    oldestOpenAt: days(2),
    unanswered: 0,
    refundsDue: 0,
    oldestRefundAt: null,
    refundsPending: 0,
    refundsFailed: 0,
    unknown: 0,
    lastUnknownAt: null,
    late: [],
  },
  orderRefunds: { unsent: 0, pending: 2, owed: [], paidTwice: [] },
  disputes: [],
  holds: { orders: 4, pieces: 20, nextEndsAt: minutes(-60), overdue: 0 },
  mail: { lastSentAt: minutes(30), waiting: 1, oldestWaitingAt: minutes(1), failedCount: 0, failed: [] },
  contact: { isFull: false },
  errors: { count: 0, lastAt: null, kinds: [] },
  periodicWork: { lastFinishedAt: minutes(1), underWay: false },
  database: { engine: 'sqlite', bytes: 1_000_000, version: '005-health' },
  lastBackupAt: hours(20),
};

/** Finds the troubles of a shop that is healthy except for `changed`, and was started an hour ago. */
function findIn(
  changed: Partial<Facts>,
  { mode = 'live', startedAt = Date.parse(hours(1)) }: { mode?: Mode; startedAt?: number } = {},
): string[] {
  return findTroubles({ ...healthy, ...changed }, { ...live, mode }, startedAt).map(({ what }) => what);
}
const payments = (changed: Partial<Facts['payments']>) => ({ payments: { ...healthy.payments, ...changed } });

test('a shop with open payments is healthy, and so is a new shop', () => {
  expect(findIn({})).toEqual([]);
  expect(
    findIn({
      webhook: { lastAt: null, lastOfPaymentAt: null },
      ...payments({ lastPaidAt: null, open: 0, oldestOpenAt: null }),
    }),
  ).toEqual([]);
});

test('a missing webhook is a trouble only after an order has been paid', () => {
  const silent = { lastAt: days(1), lastOfPaymentAt: days(3) };
  expect(findIn({ webhook: silent })).toEqual([
    'No webhook came from Stripe for the last payment, 30 minutes ago. The last webhook about a payment came 3 days ago. Orders are still marked as paid, but late.',
  ]);
  const never = { lastAt: null, lastOfPaymentAt: null };
  expect(findIn({ webhook: never }, { mode: 'sandbox' })).toEqual([
    expect.stringMatching(/ from the stand-in for Stripe .* No webhook about a payment has ever come\./),
  ]);
  // The webhook may be on its way.
  expect(findIn({ webhook: silent, ...payments({ lastPaidAt: minutes(10) }) })).toEqual([]);
  // The webhook came a minute before the order was marked as paid.
  expect(findIn({ webhook: { lastAt: minutes(31), lastOfPaymentAt: minutes(31) } })).toEqual([]);
});

test('periodic work is overdue after 15 minutes, or after 12 hours while it is under way', () => {
  const work = (lastFinishedAt: string | null, underWay = false) => ({
    periodicWork: { lastFinishedAt, underWay },
  });
  expect(findIn(work(minutes(14)))).toEqual([]);
  expect(findIn(work(minutes(16)))).toEqual([expect.stringMatching(/last succeeded 16 minutes ago\. Until/)]);
  expect(findIn(work(null))).toEqual([expect.stringMatching(/has never succeeded\. Until/)]);
  expect(findIn(work(hours(3), true))).toEqual([]);
  expect(findIn(work(hours(13), true), { startedAt: Date.parse(days(2)) })).toHaveLength(1);
  // The server has just started.
  for (const before of [days(9), null]) expect(findIn(work(before), { startedAt: now - 60_000 })).toEqual([]);
  // A command does not know when the server started.
  expect(findTroubles({ ...healthy, ...work(null) }, live)).toEqual([]);
});

test('a live shop on SQLite is warned of missing backups', () => {
  const never = { lastBackupAt: null };
  expect(findIn(never)).toEqual(['Orders have been paid, and no backup was ever made.']);
  expect(findIn({ ...never, ...payments({ lastPaidAt: null }) })).toEqual([]);
  expect(findIn({ ...never, database: { ...healthy.database, engine: 'postgres' } })).toEqual([]);
  expect(findIn({ lastBackupAt: days(9) })).toEqual(['The last backup was made 9 days ago.']);
  expect(findIn({ lastBackupAt: days(9) }, { mode: 'sandbox' })).toEqual([]);
});

test('each trouble says how many cases there are, and the most urgent trouble comes first', () => {
  const found = findIn({
    ...payments({ unanswered: 1, refundsDue: 2, refundsFailed: 1, unknown: 3, lastUnknownAt: days(6) }),
    holds: { ...healthy.holds, overdue: 1000 },
    errors: { count: 1234, lastAt: hours(5), kinds: [] },
  });
  expect(found.map((what) => what.split(/ got no | came | should | in the last/)[0])).toEqual([
    '1 payment',
    '2 payments',
    '1 refund failed: the customer has not received the money.',
    '3 payments',
    '1,000 or more unpaid orders',
    '1,234 errors',
  ]);
  expect(findIn(payments({ unknown: 3, lastUnknownAt: days(8) }))).toEqual([]);
});

test('an outage says since when, in the shop’s time zone, and replaces the troubles that follow from it', () => {
  const find = (
    service: 'mail' | 'payments' | 'new payments',
    problem: string,
    since: string,
    timeZone = 'UTC',
  ) =>
    findTroubles(
      {
        ...healthy,
        ...payments({ unanswered: 2 }),
        mail: { ...healthy.mail, oldestWaitingAt: hours(5) },
        outages: [{ service, problem, since }],
      },
      { ...live, timeZone },
    );
  const [mail, unanswered, ...others] = find('mail', 'refused', '2026-11-21T09:41:30Z');
  expect(mail).toEqual({
    what: 'Mail has not left since 21 Nov 2026, 09:41 UTC: the server refuses the connection.',
    advice:
      'Check the host and port in SMTP_URL, and that the mail server is running. `npm run doctor` tests the connection. Unsent messages wait, and the shop tries again for three days.',
  });
  expect(unanswered?.what).toMatch(/^2 payments got no response/);
  expect(others).toEqual([]);
  const [pay, waiting, ...more] = find('payments', 'silent', '2026-11-20T22:30:00Z', 'Europe/Berlin');
  expect(pay).toEqual({
    what: 'Customers cannot pay since 20 Nov 2026, 23:30 UTC+1: Stripe does not respond.',
    advice:
      'See status.stripe.com, and check this machine’s network: DNS, firewall, and STRIPE_API_URL if it is set. `npm run doctor` tests the keys. Unpaid orders can still be paid until their stock is released.',
  });
  expect(waiting?.what).toMatch(/^1 message could not be sent yet/);
  expect(more).toEqual([]);
  // A problem that a later release has recorded.
  expect(find('mail', 'later', minutes(1))[0]?.what).toMatch(/: the server does not respond\.$/);
  expect(find('new payments', 'refused', minutes(1))[0]?.what).toBe(
    'Customers may have been unable to pay since 21 Nov 2026, 11:59 UTC: Stripe refuses to start payments, and no payment has been started since.',
  );
});

test('a contact form that accepts no more messages is a problem, until its address is removed', () => {
  const full = { contact: { isFull: true } };
  expect(findIn(full)).toEqual(['The contact form accepts no more messages: 10,000 are unanswered.']);
  expect(findTroubles({ ...healthy, ...full }, { ...live, contactEmail: undefined })).toEqual([]);
});

test('what has never been used is named', () => {
  const unused = { mail: { ...healthy.mail, lastSentAt: null }, ...payments({ lastPaidAt: null }) };
  expect(findUntried(healthy, { sendsMail: true, settingsWithoutMail: [] })).toEqual([]);
  expect(findUntried(unused, { sendsMail: true, settingsWithoutMail: [] })).toEqual([
    'No message has been sent yet.',
    'No order has been paid yet.',
  ]);
  expect(findUntried(healthy, { sendsMail: false, settingsWithoutMail: ['NEWSLETTER'] })).toEqual([
    'The shop sends no mail, because SMTP_URL is not set: customers get no receipts, and NEWSLETTER has no effect.',
  ]);
});

test('late payments name their orders', () => {
  expect(findIn(payments({ late: ['K7QD-2M4X', 'B2ZC-09TR'] }))).toEqual([
    'A payment was found after its order had expired and its stock was gone: K7QD-2M4X, B2ZC-09TR. The customer had paid in time.',
  ]);
});

test('failed refunds and undecided disputes name their orders, with the provider’s deadline', () => {
  const owed = [
    { number: 'K7QD-2M4X', amount: 30, currency: 'USD' },
    { number: 'B2ZC-09TR', amount: 5.5, currency: 'USD' },
  ];
  expect(findIn({ orderRefunds: { unsent: 1, pending: 1, owed, paidTwice: [] } })).toEqual([
    '1 refund could not be requested from Stripe.',
    'A refund failed, so the customer has not received the money: USD 30.00 still owed for K7QD-2M4X, USD 5.50 still owed for B2ZC-09TR.',
  ]);
  const unsent = { orderRefunds: { unsent: 1, pending: 1, owed: [], paidTwice: [] } };
  const [trouble] = findTroubles({ ...healthy, ...unsent }, live);
  expect(trouble?.advice).toContain('STRIPE_SECRET_KEY belongs to another account');
  const dispute = {
    number: 'K7QD-2M4X',
    amount: 45.5,
    currency: 'USD',
    reason: 'product_not_received',
    status: 'needs_response',
    respondBy: '2026-11-29T14:00:00.000Z',
  };
  const disputes = [dispute, { ...dispute, number: null, status: 'under_review' }];
  expect(findTroubles({ ...healthy, disputes }, live)).toEqual([
    {
      what: 'The customer has disputed the payment of USD 45.50 for K7QD-2M4X. The cardholder says the order has not arrived.',
      advice:
        'Respond in Stripe’s dashboard by 29 Nov 2026, 14:00 UTC, or accept the dispute there. Without a response, the money is lost.',
      orders: ['K7QD-2M4X'],
    },
    {
      what: 'The customer has disputed the payment of USD 45.50 for a deleted order. The cardholder says the order has not arrived.',
      advice: 'Evidence has been submitted. Wait for the bank’s decision.',
    },
  ]);
  const [inBerlin] = findTroubles({ ...healthy, disputes }, { ...live, timeZone: 'Europe/Berlin' });
  expect(inBerlin?.advice).toContain('by 29 Nov 2026, 15:00 UTC+1, or');
});

test('mail that waits or could not be sent is a trouble', () => {
  const mail = { ...healthy.mail, waiting: 1000, oldestWaitingAt: minutes(20), failedCount: 0, failed: [] };
  expect(findIn({ mail })).toEqual([
    '1,000 or more messages could not be sent yet, the oldest added 20 minutes ago.',
  ]);
  const refused = {
    to: 'gone@mail.example',
    kind: 'order paid',
    addedAt: hours(1),
    failedAt: hours(1),
    response: '550 No such user',
  };
  const failed = { failedCount: 12, failed: [refused, refused] };
  expect(findIn({ mail: { ...healthy.mail, waiting: 0, oldestWaitingAt: null, ...failed } })).toEqual([
    '12 messages could not be sent.',
  ]);
});
