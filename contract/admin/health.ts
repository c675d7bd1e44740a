import { z } from 'zod';
import type { Call } from '../call.ts';
import { modifiedCount, time } from '../fields.ts';
import { paths } from '../paths.ts';
import { maxCount } from './health-format.ts';

const count = (description: string) =>
  z.int().min(0).max(maxCount).describe(`${description}; ${maxCount} means that many or more.`);
const lastTime = (description: string) => time.nullable().describe(`${description}; null: never.`);

const failure = z.object({
  what: z.string().describe('The log message, without personal data.'),
  times: z.int(),
  lastAt: time,
  requestId: z
    .string()
    .nullable()
    .describe('The last affected request, to search the log for; null outside of requests.'),
});

/** The services that the shop depends on. `new payments` fails if the payment provider responds, but refuses to start payments. */
const services = ['mail', 'payments', 'new payments'] as const;
export type Service = (typeof services)[number];

/** The shop's health according to its database, the same for every process. */
export const facts = z.object({
  readAt: time,
  outages: z
    .array(
      z.object({
        service: z.enum(services),
        since: time.describe('The first failure since the service last worked.'),
        problem: z.string(),
      }),
    )
    .describe('Services that failed when they were last used.'),
  webhook: z.object({
    lastAt: lastTime('When the last signed event arrived'),
    lastOfPaymentAt: lastTime("When the last event about one of this shop's payments arrived"),
  }),
  payments: z.object({
    lastPaidAt: lastTime('When an order was last paid'),
    open: count('Payments started by customers and not yet finished'),
    oldestOpenAt: time.nullable(),
    unanswered: count('Open payments for which the provider has not responded for minutes'),
    refundsDue: count('Refunds that the provider has not accepted yet'),
    oldestRefundAt: time.nullable().describe('When the oldest refund in `refundsDue` was started.'),
    refundsPending: count('Pending refunds'),
    refundsFailed: count('Failed refunds'),
    unknown: count("Payments at the provider that carry this shop's id but are not in its database"),
    lastUnknownAt: lastTime('When such a payment was last seen'),
    late: z
      .array(z.string())
      .describe(
        'Numbers of orders with a payment that was found after they had expired, for an admin to accept or refund; at most 10.',
      ),
  }),
  orderRefunds: z.object({
    unsent: count('Order refunds that the provider has not accepted for ten minutes'),
    pending: count('Pending order refunds'),
    owed: z
      .array(z.object({ number: z.string(), amount: z.number(), currency: z.string() }))
      .describe('What the shop still owes for orders because a refund has failed; at most 10 orders.'),
    paidTwice: z
      .array(z.object({ number: z.string(), amount: z.number(), currency: z.string() }))
      .describe(
        'Refunds of the last week that the provider has made although an admin had recorded them as repaid another way; at most 10.',
      ),
  }),
  disputes: z
    .array(
      z.object({
        number: z.string().nullable().describe("The purchase's number; null if its orders were deleted."),
        amount: z.number(),
        currency: z.string(),
        reason: z.string(),
        status: z.string(),
        respondBy: time.nullable().describe("The provider's deadline for evidence."),
      }),
    )
    .describe('Undecided disputes, the earliest deadline first; at most 10.'),
  holds: z.object({
    orders: count('Unpaid orders that hold stock'),
    pieces: z.int().describe('Number of pieces on hold.'),
    nextEndsAt: time.nullable().describe('When the next hold ends.'),
    overdue: count('Holds that should have ended minutes ago'),
  }),
  mail: z.object({
    lastSentAt: lastTime('When the mail server last accepted a message'),
    waiting: count('Messages that are not sent yet'),
    oldestWaitingAt: time.nullable().describe('When the oldest of them was added to the outbox.'),
    failedCount: count('Messages that could not be sent'),
    failed: z
      .array(
        z.object({
          to: z.string(),
          kind: z.string(),
          addedAt: time,
          failedAt: time.nullable().describe('When the last attempt ended.'),
          response: z.string().describe("The mail server's response to the last attempt."),
        }),
      )
      .describe('The last 10 of these messages, latest failure first.'),
  }),
  contact: z.object({
    isFull: z
      .boolean()
      .describe('Whether the contact form accepts no more messages because 10,000 are unanswered.'),
  }),
  errors: z
    .object({ count: z.int(), lastAt: lastTime('When the last error occurred'), kinds: z.array(failure) })
    .describe(
      'Errors of the last day, which begins on the hour, because errors are counted per hour; the most recent kind first.',
    ),
  periodicWork: z.object({
    lastFinishedAt: lastTime('When the work that runs every two minutes last succeeded'),
    underWay: z.boolean(),
  }),
  database: z.object({
    engine: z.enum(['sqlite', 'postgres']),
    bytes: z.int(),
    version: z.string().describe('The last migration.'),
  }),
  lastBackupAt: lastTime('When `npm run backup` last made a backup'),
});
export type Facts = z.output<typeof facts>;

export const trouble = z.object({
  what: z.string().describe('The problem, in a sentence.'),
  advice: z.string().describe('What to do about it.'),
  orders: z.array(z.string()).optional().describe('The numbers of the affected orders.'),
});
export type Trouble = z.output<typeof trouble>;

export const untried = z
  .array(z.string())
  .describe('Sentences about what has never been used, so the shop cannot say whether it works.');

export const healthCalls = {
  getHealth: {
    ...paths.getHealth,
    summary: "Get the shop's health: problems, what to do about them, and the figures behind them",
    access: 'admin',
    response: z.object({
      troubles: z.array(trouble).describe('Most urgent first; empty if the shop knows of none.'),
      untried,
      facts,
      startedAt: time.describe('When the responding process started.'),
    }),
  },
  retryMail: {
    ...paths.retryMail,
    summary: 'Retry all messages that could not be sent',
    access: 'admin',
    response: modifiedCount,
  },
} as const satisfies Record<string, Call>;
