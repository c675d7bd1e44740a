import { z } from 'zod';
import type { Call } from './call.ts';
import { time } from './fields.ts';
import { mostCounted } from './health-words.ts';
import { paths } from './paths.ts';

const count = (what: string) =>
  z.int().min(0).max(mostCounted).describe(`${what}; ${mostCounted} means that many or more.`);
const lastTime = (what: string) => time.nullable().describe(`${what}; null: never.`);

const failure = z.object({
  what: z.string().describe('The log message, which is constant and contains no personal data.'),
  times: z.int(),
  lastAt: time,
  requestId: z
    .string()
    .nullable()
    .describe('The id of the last request that failed, to search the log for; null outside a request.'),
});

/** The state of the shop according to its database, the same in every process. */
export const facts = z.object({
  readAt: time,
  webhook: z.object({
    lastAt: lastTime('The last event that the provider has signed'),
    lastOfPaymentAt: lastTime('The last one about a payment of this shop'),
  }),
  payments: z.object({
    lastPaidAt: lastTime('When an order was last paid'),
    open: count('Payments begun and not finished'),
    oldestOpenAt: time.nullable(),
    unanswered: count('Open payments that the provider has not answered for minutes'),
    refundsDue: count('Refunds that the provider has not accepted yet'),
    oldestRefundAt: time.nullable().describe('When the oldest due refund was begun.'),
    refundsPending: count('Pending refunds'),
    refundsFailed: count('Failed refunds'),
    unknown: count("Payments at the provider with this shop's id that its database does not know"),
    lastUnknownAt: lastTime('When an unknown payment was last seen'),
  }),
  holds: z.object({
    orders: count('Unpaid orders that hold stock'),
    pieces: z.int().describe('The pieces that they hold.'),
    nextEndsAt: time.nullable().describe('When the next hold ends.'),
    overdue: count('Holds that should have ended minutes ago'),
  }),
  errors: z
    .object({ count: z.int(), lastAt: lastTime('The last one'), kinds: z.array(failure) })
    .describe('Errors of the last day, by whole hours; the most recent first.'),
  periodicWork: z.object({
    lastFinishedAt: lastTime('When a process last finished the regular work of every two minutes'),
    underWay: z.boolean(),
  }),
  database: z.object({
    engine: z.enum(['sqlite', 'postgres']),
    bytes: z.int(),
    version: z.string().describe('The last migration that was applied.'),
  }),
  lastBackupAt: lastTime('When `npm run backup` last made a backup'),
});
export type Facts = z.output<typeof facts>;

const trouble = z.object({
  what: z.string().describe('The trouble, in a sentence.'),
  act: z.string().describe('What to do about it.'),
});
export type Trouble = z.output<typeof trouble>;

export const getHealth = {
  ...paths.getHealth,
  summary: 'The state of the shop: troubles, what to do about them, and the figures behind them',
  who: 'admin',
  answer: z.object({
    troubles: z.array(trouble).describe('The most urgent first; empty if all is well.'),
    facts,
    startedAt: time.describe('When the responding process started.'),
  }),
  errors: [401, 403],
} as const satisfies Call;
