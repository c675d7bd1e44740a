import { z } from 'zod';
import { time } from './fields.ts';

/** Nothing is counted further than this, which then means "or more": a large shop is looked at as fast as a small one. */
export const mostCounted = 1000;

const count = z.int().min(0).max(mostCounted);
/** Null where it never happened. */
const lastTime = time.nullable();

/** One kind of error of the last day. */
const failure = z.object({
  /** The log's own words, which are the same each time and name nobody. */
  what: z.string(),
  times: z.int(),
  lastAt: time,
  /** Of the last one, by which the log is searched; null where no request was under way. */
  requestId: z.string().nullable(),
});

/** How the shop is, as its database knows it, whichever process asks. */
export const facts = z.object({
  readAt: time,
  webhook: z.object({
    /** The last event that the provider signed. */
    lastAt: lastTime,
    /** The last one about a payment of this shop's. */
    lastOfPaymentAt: lastTime,
  }),
  payments: z.object({
    /** When an order last became paid, however the shop heard of it. */
    lastPaidAt: lastTime,
    /** Begun by a customer, and not yet finished. */
    open: count,
    oldestOpenAt: lastTime,
    /** Of these, those that the provider has not answered for minutes. */
    unanswered: count,
    /** Money that is to be given back. */
    refundsDue: count,
    oldestRefundAt: lastTime,
    /** Money with this shop's id that its database knows nothing of. */
    unknown: count,
    lastUnknownAt: lastTime,
  }),
  holds: z.object({
    /** Unpaid orders that keep stock. */
    orders: count,
    pieces: z.int(),
    /** When the next of them gives its stock back. */
    nextEndsAt: lastTime,
    /** Those that should have given it back minutes ago. */
    overdue: count,
  }),
  /** Of the last day, by whole hours; the kinds that came last stand first. */
  errors: z.object({ count: z.int(), lastAt: lastTime, kinds: z.array(failure) }),
  periodicWork: z.object({ lastFinishedAt: lastTime, underWay: z.boolean() }),
  database: z.object({
    engine: z.enum(['sqlite', 'postgres']),
    /** Null where the engine does not say. */
    bytes: z.int().nullable(),
    /** The last step of its migrations. */
    version: z.string(),
  }),
  /** Of the shop's own command; null where backups are made in another way, too. */
  lastBackupAt: lastTime,
});
export type Facts = z.output<typeof facts>;
