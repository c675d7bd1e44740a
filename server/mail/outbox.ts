import { type Selectable, sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { dayMs, minuteMs } from '../../contract/durations.ts';
import { accountMailKinds, accountNoticeKinds, type MailKind, mailKinds } from '../../contract/mail.ts';
import type { Database } from '../database/database.ts';
import { deleteInBatches } from '../database/deletion-batches.ts';
import { firstIdAt } from '../database/id-range.ts';
import { executePrepared } from '../database/prepared-statements.ts';
import type { Db, Engine, Schema, Tx } from '../database/schema.ts';
import type { ServerProblem } from './server-problem.ts';

export type MailRow = Selectable<Schema['mail']>;

/** A message that could not be sent within this time has failed. */
const retryForMs = 3 * dayMs;
/** How long no other process sends a claimed message. If the process dies, the message is then due again. */
export const claimMs = 5 * minuteMs;
const keepMs = 30 * dayMs;
const maxResponseLength = 500;

/** The wait after each failed attempt; the last one repeats. */
const backoffMs = [1, 5, 15, 30, 60, 2 * 60, 4 * 60].map((minutes) => minutes * minuteMs);

export type NewMail = {
  kind: MailKind;
  /** The id of what the message reports, such as a purchase. Its text is written when it is sent. */
  about: string;
  /** Immediately, by default. */
  dueAt?: number;
  /** Set it to add a message only once: a second message with the same id is ignored. */
  id?: string;
} & (
  | {
      /**
       * The user who gets the message, at the address that they have when it is sent. If null, the account is deleted, and nothing
       * is sent.
       */
      userId: string | null;
    }
  | { recipient: string }
);

/** Adds messages to the outbox, in the transaction of the change that they report. */
export async function addMail(db: Db | Tx, messages: NewMail[]): Promise<void> {
  const deliverable = messages.filter((mail) => 'recipient' in mail || mail.userId !== null);
  if (deliverable.length === 0) return;
  const query = db
    .insertInto('mail')
    .values(deliverable.map(toMailRow))
    .onConflict((conflict) => conflict.column('id').doNothing());
  await executePrepared(db, query.compile());
}

/** The row of a new message. */
export function toMailRow({ id = uuidv7(), kind, about, dueAt, ...to }: NewMail) {
  const now = Date.now();
  const due = dueAt ?? now;
  return {
    id,
    kind,
    about,
    state: 'waiting' as const,
    ...('recipient' in to
      ? { user_id: null, recipient: to.recipient }
      : { user_id: to.userId, recipient: '' }),
    due_at: due,
    give_up_at: due + retryForMs,
    created_at: now,
  };
}

/** Whether a message is due. */
export async function hasDueMail({ db }: Database): Promise<boolean> {
  return (await selectDue(db).executeTakeFirst()) !== undefined;
}

/** A user's address may have changed since the message was added. '' if the account is deleted. */
const currentRecipient = sql<string>`case when user_id is null then recipient
  else coalesce((select email from "user" where id = user_id), '') end`;

/**
 * Claims the message that has been due the longest. Messages about accounts come before all others. No other process can claim it
 * until the claim ends. Uses a transaction, which on SQLite returns to the event loop first.
 */
export const claimMail = ({ transaction, engine }: Database): Promise<MailRow | undefined> =>
  transaction(async (tx) => {
    const now = Date.now();
    const claim = (isWanted: typeof isWaiting) =>
      tx
        .updateTable('mail')
        .set((eb) => ({
          attempts: eb('attempts', '+', 1),
          due_at: now + claimMs,
          recipient: currentRecipient,
        }))
        .where('id', '=', lockFirst(engine, selectDue(tx, now).where(isWanted)))
        .where('state', '=', 'waiting')
        .where('due_at', '<=', now)
        .returningAll()
        .executeTakeFirst();
    return (await claim(isAccountMail)) ?? (await claim(isWaiting));
  });

/**
 * Ends the claims of a process that was killed. A message is claimed if its last attempt has no record. Only for SQLite, where no
 * other process sends mail.
 */
export async function endClaims({ db, engine }: Database): Promise<void> {
  if (engine !== 'sqlite') return;
  const now = Date.now();
  await db
    .updateTable('mail')
    .set({ due_at: now })
    .where(isWaiting)
    .where('due_at', '>', now)
    .where('attempts', '>', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mail_attempt')
            .select('mail_attempt.at')
            .whereRef('mail_attempt.mail_id', '=', 'mail.id')
            .whereRef('mail_attempt.attempt', '=', 'mail.attempts'),
        ),
      ),
    )
    .execute();
}

/** A literal, to match the condition of the partial index. */
const isWaiting = sql<boolean>`state = ${sql.lit('waiting')}`;
/** Literals, to match the conditions of the partial indexes. */
const isKindIn = (kinds: readonly MailKind[]) =>
  sql<boolean>`kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})`;
/** The condition of the index `mail_account_waiting`. */
const isAccountMail = isKindIn(accountMailKinds);
/** The condition of the index `mail_account_notice`. */
export const isAccountNotice = isKindIn(accountNoticeKinds);

/** During an upgrade, a message of a new kind waits for a process that can write it. */
const selectDue = (db: Db | Tx, now = Date.now()) =>
  db
    .selectFrom('mail')
    .select('id')
    .where(isWaiting)
    .where('due_at', '<=', now)
    .where('kind', 'in', mailKinds)
    .orderBy('due_at')
    .limit(1);

/** On PostgreSQL, two processes would otherwise choose the same row, and one of them would find nothing. */
const lockFirst = (engine: Engine, query: ReturnType<typeof selectDue>) =>
  engine === 'sqlite' ? query : query.forUpdate().skipLocked();

export type AttemptResult = {
  /** Sent, permanently rejected, or to be retried. */
  state: 'sent' | 'failed' | 'waiting';
  /** The mail server's response, or why there was none. */
  response: string;
  /** Set if the attempt says nothing about the message, because the server or the settings are at fault. */
  problem?: ServerProblem;
};

/** Records an attempt, unless another process has claimed the message since. */
export async function recordAttempt(
  { transaction }: Database,
  mail: Pick<MailRow, 'id' | 'attempts' | 'give_up_at'>,
  { state: result, response, problem }: AttemptResult,
): Promise<void> {
  const now = Date.now();
  const wait = backoffMs[problem ? 0 : Math.min(mail.attempts, backoffMs.length) - 1] ?? 0;
  const state = result === 'waiting' && now + wait > mail.give_up_at ? 'failed' : result;
  await transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('mail')
      // Health lists failed messages by `due_at`, the latest first.
      .set({
        state,
        due_at: state === 'waiting' ? now + wait : now,
        ...(state === 'sent' ? { sent_at: now } : {}),
      })
      .where('id', '=', mail.id)
      .where('state', '=', 'waiting')
      .where('attempts', '=', mail.attempts)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await tx
      .insertInto('mail_attempt')
      // PostgreSQL rejects NUL characters.
      .values({
        mail_id: mail.id,
        attempt: mail.attempts,
        at: now,
        response: response.slice(0, maxResponseLength).replaceAll('\0', ''),
      })
      .execute();
  });
}

/** Deletes a message that has nothing left to report, for example because its order was deleted. */
export async function dropMail({ transaction }: Database, { id }: Pick<MailRow, 'id'>): Promise<void> {
  // On SQLite, a transaction returns to the event loop first: requests are answered while thousands of messages are dropped.
  await transaction((tx) => tx.deleteFrom('mail').where('id', '=', id).execute());
}

/** Deletes messages that have not been sent. */
export async function deleteUnsentMail(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('mail').where('id', 'in', ids).where('state', '<>', 'sent').execute();
}

/** Makes all failed messages due again. Returns their number. */
export async function retryFailedMail(db: Db | Tx): Promise<number> {
  const now = Date.now();
  const { numUpdatedRows } = await db
    .updateTable('mail')
    .set({ state: 'waiting', due_at: now, give_up_at: now + retryForMs })
    .where('state', '=', sql.lit('failed'))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes messages a month after they were added. */
export async function deleteOldMail({ db }: Database, signal?: AbortSignal): Promise<void> {
  const before = Date.now() - keepMs;
  const deleteSome = (limit: number) =>
    db
      .deleteFrom('mail')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('mail')
          .select('id')
          // A range of the primary key. A reminder's id starts with its purchase's id, so it is as old as the purchase. If the row
          // were deleted early, the reminder would be sent again.
          .where('id', '<', firstIdAt(before))
          .where('created_at', '<', before)
          .where('state', '<>', 'waiting')
          .orderBy('id')
          .limit(limit),
      )
      .where('state', '<>', 'waiting');
  await deleteInBatches(deleteSome, signal);
}
