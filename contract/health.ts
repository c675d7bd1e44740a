import { z } from 'zod';
import type { Call } from './call.ts';
import { time } from './fields.ts';
import { mostCounted } from './health-words.ts';
import { paths } from './paths.ts';

const count = (what: string) =>
  z.int().min(0).max(mostCounted).describe(`${what}; ${mostCounted} means so many or more.`);
const lastTime = (what: string) => time.nullable().describe(`${what}; null: never.`);

const failure = z.object({
  what: z.string().describe("The log's own words, which are the same each time and name nobody."),
  times: z.int(),
  lastAt: time,
  requestId: z
    .string()
    .nullable()
    .describe('Of the last one, by which the log is searched; null where no request was under way.'),
});

/** How the shop is, as its database knows it, whichever process asks. */
export const facts = z.object({
  readAt: time,
  webhook: z.object({
    lastAt: lastTime('The last event that the provider has signed'),
    lastOfPaymentAt: lastTime("The last one about a payment of this shop's"),
  }),
  payments: z.object({
    lastPaidAt: lastTime('When an order last became paid, however the shop heard of it'),
    open: count('Begun by a customer, and not yet finished'),
    oldestOpenAt: time.nullable(),
    unanswered: count('Of these, those that the provider has not answered for minutes'),
    refundsDue: count('Refunds that the provider has not accepted yet'),
    oldestRefundAt: time.nullable().describe('When the oldest of these was begun.'),
    refundsPending: count('Pending refunds'),
    refundsFailed: count('Failed refunds'),
    unknown: count("Those at the provider with this shop's id that its database does not know"),
    lastUnknownAt: lastTime('When such a one was last seen'),
  }),
  holds: z.object({
    orders: count('Unpaid orders that keep stock'),
    pieces: z.int().describe('What they keep.'),
    nextEndsAt: time.nullable().describe('When the next of them gives its stock back.'),
    overdue: count('Those that should have given it back minutes ago'),
  }),
  errors: z
    .object({ count: z.int(), lastAt: lastTime('The last one'), kinds: z.array(failure) })
    .describe('Of the last day, by whole hours; the kinds that came last stand first.'),
  periodicWork: z.object({
    lastFinishedAt: lastTime('When one of the processes last did what is done every two minutes'),
    underWay: z.boolean(),
  }),
  database: z.object({
    engine: z.enum(['sqlite', 'postgres']),
    bytes: z.int().nullable().describe('Null where the engine does not say.'),
    version: z.string().describe('The last step of its migrations.'),
  }),
  lastBackupAt: lastTime("When the shop's own command last made a backup"),
});
export type Facts = z.output<typeof facts>;

const trouble = z.object({
  what: z.string().describe('What is not well, in a sentence.'),
  act: z.string().describe('What to do about it.'),
});
export type Trouble = z.output<typeof trouble>;

export const getHealth = {
  ...paths.getHealth,
  summary: 'How the shop is: what is not well and what to do about it, and the figures behind it',
  who: 'admin',
  answer: z.object({
    troubles: z.array(trouble).describe('The most urgent first; none: all is well.'),
    facts,
    startedAt: time.describe('When the process that answers started.'),
  }),
  errors: [401, 403],
} as const satisfies Call;
