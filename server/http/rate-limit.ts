import { sql } from 'kysely';
import { formatQuantity } from '../../contract/admin/health-format.ts';
import { dayMs, hourMs, minuteMs } from '../../contract/durations.ts';
import { ShopError } from '../../contract/errors.ts';
import { yieldToEventLoop } from '../config/event-loop.ts';
import type { Database } from '../database/database.ts';
import { deleteInBatches } from '../database/deletion-batches.ts';
import type { Db, Tx } from '../database/schema.ts';

/** The maximum number of attempts of each kind per ten minutes, unless stated otherwise. Tests pass their own. */
export const defaultRateLimits = {
  /** Failed sign-ins per pair of network address and email. */
  signInsPerAddressAndEmail: 10,
  signInsPerAddress: 50,
  /** Per minute. Correct passwords: each costs as much as a wrong one. */
  correctPasswordsPerAccount: 30,
  signUpsPerAddress: 30,
  /** Wrong codes in the second step of a sign-in, after the correct password. */
  codesPerUser: 10,
  codesPerAddress: 50,
  /**
   * Challenges of each kind. Starting a sign-in with a passkey or with Google stores a challenge, and so does adding one of these
   * to an account.
   */
  challengesPerAddress: 100,
  intentsPerUser: 30,
  uploadsPerUser: 60,
  /** Per day, as stored in every width. Enough for the largest images of 20 reviews. Admins have no such limit. */
  imageBytesPerUser: 50_000_000,
  exportsPerUser: 10,
  /** Per day. A quota: only reviews that are added count. */
  reviewsPerUser: 20,
  /** Per day, in a live shop: anybody can sign up with many addresses. */
  reviewsPerAddress: 20,
  /** Per day. Each edit clears the cached pages of all visitors. */
  reviewEditsPerUser: 60,
  /** Per day. Reports of reviews, including repeated ones. */
  reportsPerUser: 20,
  /*
   * Messages are limited per recipient: a confirmed address, or the mailbox that unconfirmed addresses reach. Messages
   * above a limit are not sent.
   */
  /** Per hour. Messages about new, unpaid orders. */
  orderMessagesPerRecipient: 10,
  /** Per hour. Messages to an admin about low stock. */
  stockMessagesPerRecipient: 20,
  /** Per hour. Notices of each kind about an account. */
  noticesPerRecipient: 3,
  /** Messages with a link, for each purpose: per hour, or per day for the newsletter. */
  linksPerRecipient: 10,
  /** Per hour and purpose. Requests for messages with a link, and sign-ups that send one, from a network address. */
  linkRequestsPerAddress: 30,
  /** How many of these requests may be for the same mailbox: per hour, or per day for the newsletter. */
  linkRequestsPerAddressAndMailbox: 3,
  /** Per hour. Messages from the contact form, from a network address or from a user with a confirmed email address. */
  contactMessagesPerSender: 5,
  /** Per hour, for all users with confirmed email addresses at one network address, because anyone can sign up many users. */
  contactMessagesOfUsersPerAddress: 30,
  /**
   * Per hour: the first message of each sender, so that a few senders cannot use up the form. Users with confirmed email addresses
   * are counted together, and all others together.
   */
  firstContactMessages: 300,
  /** Per hour: senders' further messages, counted in the same two groups. */
  contactMessages: 60,
  /** Words in product searches: at once, and how many more each second. Each process counts its own. */
  searchedWordsPerAddress: 300,
  searchedWordsPerAddressAndSecond: 30,
  /** Additions to the basket, each of which stores its `Idempotency-Key` for a day. Each process counts its own. */
  basketAdditionsPerUser: 200,
  basketAdditionsPerUserAndSecond: 0.3,
  /** Products in quotes for everyone (`POST /quote`): at once, and how many more each second. Each process counts its own. */
  quotedLinesPerAddress: 500,
  quotedLinesPerAddressAndSecond: 20,
};
export type RateLimits = typeof defaultRateLimits;

const defaultWindowMs = 10 * minuteMs;
const defaultMessage = 'Too many attempts';
type Options = { windowMs?: number; message?: string; amount?: number };

/**
 * Counts an attempt, or `amount` of something, against the limit `name`: `max` per `windowMs` (ten minutes by default). Returns
 * the sum of the window. Uses one statement, so that simultaneous attempts all count. Throws 429 with `Retry-After` and a text
 * that starts with `message`. The error rolls back the transaction, and with it the attempt.
 */
export async function consumeRateLimit(
  tx: Tx,
  name: string,
  max: number,
  { windowMs = defaultWindowMs, message = defaultMessage, amount = 1 }: Options = {},
): Promise<number> {
  const { count, endsAt } = await countAttempt({ db: tx }, name, windowMs, amount);
  if (count > max) throw tooManyAttempts(endsAt, message);
  return count;
}

/**
 * Counts an attempt against each limit, or against none of them if one is used up. Throws 429. `restoreRateLimits` takes the attempt
 * back.
 */
export async function consumeRateLimits(
  database: Pick<Database, 'db' | 'transaction'>,
  limits: Readonly<Record<string, number>>,
  options: Options = {},
): Promise<void> {
  const entries = Object.entries(limits);
  for (const [name, max] of entries) await checkRateLimit(database, name, max, options);
  await database.transaction(async (tx) => {
    for (const [name, max] of entries) await consumeRateLimit(tx, name, max, options);
  });
}

/**
 * Throws 429 if the limit is used up. Otherwise returns the sum of the window. Counts nothing, so rejecting an attempt here needs
 * no write. Each write waits for the disk and, on SQLite, makes everyone else wait, too.
 */
export async function checkRateLimit(
  { db }: { db: Db },
  name: string,
  max: number,
  { windowMs = defaultWindowMs, message = defaultMessage }: Options,
): Promise<number> {
  const window = await db
    .selectFrom('rate_limit')
    .select(['count', 'ends_at'])
    .where('name', '=', name)
    .where(({ not }) => not(isExpired(Date.now(), windowMs)))
    .executeTakeFirst();
  if (window && window.count >= max) throw tooManyAttempts(window.ends_at, message);
  return window?.count ?? 0;
}

/** The error for a limit whose window ends at `endsAt`. */
export function tooManyAttempts(endsAt: number, message: string): ShopError {
  const waitMs = Math.max(1, endsAt - Date.now());
  const wait =
    waitMs > 2 * hourMs
      ? formatQuantity(Math.ceil(waitMs / hourMs), 'hour')
      : formatQuantity(Math.ceil(waitMs / minuteMs), 'minute');
  return new ShopError('too_many_attempts', `${message}: wait ${wait} and try again.`, {
    retryAfter: Math.ceil(waitMs / 1000),
  });
}

/** Counts an attempt, or `amount` of something. Returns the sum of the window, and when the window ends. */
export async function countAttempt(
  { db }: { db: Db },
  name: string,
  windowMs: number,
  amount = 1,
): Promise<{ count: number; endsAt: number }> {
  const now = Date.now();
  const { count, ends_at } = await db
    .insertInto('rate_limit')
    .values({ name, count: amount, ends_at: now + windowMs })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({
        count: sql`case when ${isExpired(now, windowMs)} then excluded.count else rate_limit.count + excluded.count end`,
        ends_at: sql`case when ${isExpired(now, windowMs)} then ${now + windowMs} else rate_limit.ends_at end`,
      }),
    )
    .returning(['count', 'ends_at'])
    .executeTakeFirstOrThrow();
  return { count, endsAt: ends_at };
}

/** Also true for a window too far in the future, which was opened before the clock was set back. */
const isExpired = (now: number, windowMs: number) =>
  sql<boolean>`(rate_limit.ends_at <= ${now} or rate_limit.ends_at > ${now + 2 * windowMs})`;

/**
 * Takes back counted attempts. Deletes a row whose count becomes 0, because strangers choose some of the names and could add any
 * number of rows.
 */
export const restoreRateLimits = (
  { transaction }: Pick<Database, 'transaction'>,
  names: readonly string[],
): Promise<void> =>
  transaction(async (tx) => {
    for (const name of names) await restoreRateLimit(tx, name);
  });

async function restoreRateLimit(tx: Tx, name: string): Promise<void> {
  const only = tx.deleteFrom('rate_limit').where('name', '=', name).where('count', '<=', 1);
  const { numDeletedRows } = await only.executeTakeFirst();
  if (numDeletedRows > 0n) return;
  await tx
    .updateTable('rate_limit')
    .set((eb) => ({ count: eb('count', '-', 1) }))
    .where('name', '=', name)
    .where('count', '>', 0)
    .execute();
}

/** Deletes expired windows. `dayMs` is the longest window. */
export async function deleteExpiredRateLimits({ db }: Database, signal?: AbortSignal): Promise<void> {
  const isOver = isExpired(Date.now(), dayMs);
  const deleteSome = (limit: number) =>
    db
      .deleteFrom('rate_limit')
      .where('name', 'in', ({ selectFrom }) =>
        selectFrom('rate_limit').select('name').where(isOver).limit(limit),
      )
      .where(isOver);
  await deleteInBatches(deleteSome, signal);
}

/** The error of a request whose client has gone. Nobody reads it. */
const interrupted = () => new ShopError('unreadable', 'The request was interrupted.');

export type FairQueue = ReturnType<typeof createFairQueue>;

type Queue = { running: number; waiting: PromiseWithResolvers<void>[] };

/**
 * Runs at most `concurrency` jobs per key at a time, first come, first served. If more than `maxWaiting` jobs wait across
 * all keys, the newest job of the key with the most waiting jobs is rejected with `unavailable`. A job whose `signal` aborts
 * before it starts is dropped: otherwise clients that send a request and disconnect could make any number of jobs wait.
 */
export function createFairQueue(concurrency: number, maxWaiting: number) {
  const queues = new Map<string, Queue>();
  let waitingCount = 0;

  function rejectOne(): void {
    let longest: Queue['waiting'] = [];
    for (const { waiting } of queues.values()) if (waiting.length >= longest.length) longest = waiting;
    waitingCount -= 1;
    const message = 'Too many requests are waiting. Try again shortly.';
    longest.pop()?.reject(new ShopError('unavailable', message, { retryAfter: 10 }));
  }

  return async <T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    queues.set(key, queue);
    if (queue.running < concurrency) queue.running++;
    else {
      const turn = Promise.withResolvers<void>();
      queue.waiting.push(turn);
      waitingCount += 1;
      if (waitingCount > maxWaiting) rejectOne();
      const leave = () => {
        const position = queue.waiting.indexOf(turn);
        if (position < 0) return;
        queue.waiting.splice(position, 1);
        waitingCount -= 1;
        turn.reject(interrupted());
      };
      signal?.addEventListener('abort', leave, { once: true });
      await turn.promise;
      await yieldToEventLoop();
    }
    try {
      if (signal?.aborted) throw interrupted();
      return await work();
    } finally {
      const next = queue.waiting.shift();
      if (next) {
        waitingCount -= 1;
        next.resolve();
      } else if (--queue.running === 0) queues.delete(key);
    }
  };
}
