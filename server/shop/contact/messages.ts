import type { z } from 'zod';
import type { ContactMessage, markedMessages } from '../../../contract/admin/contact-messages.ts';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { dayMs } from '../../../contract/durations.ts';
import type { Database } from '../../database/database.ts';
import { deleteInBatches } from '../../database/deletion-batches.ts';
import { firstIdAt } from '../../database/id-range.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';

const keepMs = 90 * dayMs;
/** These messages contain at most 100 MB of text. */
const maxAnswered = 10_000;
/**
 * At the rate limits (720 messages an hour), strangers reach this limit in 14 hours. The form then accepts no more messages.
 * Unanswered messages are not deleted to make room.
 */
const maxUnanswered = 10_000;

/** Counts the unanswered messages, up to `maxUnanswered`. */
export const countUnanswered = (db: Db | Tx) =>
  db
    .selectFrom(({ selectFrom }) =>
      selectFrom('contact_message')
        .select('id')
        .where('answered_at', 'is', null)
        // This condition is always true. It lets the engine read only the part of the index that it needs.
        .where('id', '>', '')
        .limit(maxUnanswered)
        .as('matches'),
    )
    .select(({ fn }) => fn.countAll<string | number>().as('count'));

/** Whether the contact form accepts no more messages. `count` is from `countUnanswered`. */
export const isFull = ({ count }: { count: string | number }): boolean => Number(count) >= maxUnanswered;

/** The unanswered messages, or the answered ones, newest first. */
export async function listContactMessages(
  db: Db,
  query: Query<typeof contract.listContactMessages>,
): Promise<ContactMessage[]> {
  const rows = await db
    .selectFrom('contact_message')
    .selectAll()
    // This condition is always true. It lets the engine read only the part of an index that it needs.
    .where('id', '>', '')
    .where('answered_at', query.answered ? 'is not' : 'is', null)
    .$if(query.after !== undefined, (next) => next.where('id', '<', query.after ?? ''))
    .orderBy('id', 'desc')
    .limit(toSqlLimit(query))
    .execute();
  return rows.map(({ id, email, text, created_at, answered_at }) => ({
    _id: id,
    email,
    message: text,
    createdAt: new Date(created_at).toISOString(),
    ...(answered_at === null ? {} : { answeredAt: new Date(answered_at).toISOString() }),
  }));
}

/** Marks messages as answered or not. Returns the number of changed messages. Ignores unknown ids. */
export function markMessages(
  { database }: Shop,
  { ids, answered }: z.output<typeof markedMessages>,
  actor: SessionUser,
): Promise<number> {
  return database.transaction(async (tx) => {
    const marked = await tx
      .updateTable('contact_message')
      .set({ answered_at: answered ? Date.now() : null })
      .where('id', 'in', ids)
      .where('answered_at', answered ? 'is' : 'is not', null)
      .returning('id')
      .execute();
    const [first] = marked;
    if (!first) return 0;
    await writeAudit(tx, {
      ...toActor(actor),
      action: answered ? 'answerMessage' : 'reopenMessage',
      target: first.id,
      // Without the address: the log outlives the message.
      name: marked.length === 1 ? 'Contact message' : `${marked.length} contact messages`,
    });
    return marked.length;
  });
}

/** Deletes messages after three months, and the oldest answered ones above `maxAnswered`. */
export async function deleteOldContactMessages({ db }: Database, signal?: AbortSignal): Promise<void> {
  const deleteBefore = (before: string, { onlyAnswered }: { onlyAnswered: boolean }) =>
    deleteInBatches(
      (limit) =>
        db
          .deleteFrom('contact_message')
          .where('id', 'in', ({ selectFrom }) =>
            selectFrom('contact_message')
              .select('id')
              .where('id', '<', before)
              .$if(onlyAnswered, (next) => next.where('answered_at', 'is not', null))
              .orderBy('id')
              .limit(limit),
          )
          .where('id', '<', before)
          .$if(onlyAnswered, (next) => next.where('answered_at', 'is not', null)),
      signal,
    );
  await deleteBefore(firstIdAt(Date.now() - keepMs), { onlyAnswered: false });
  const { first } = await db
    .selectFrom(({ selectFrom }) =>
      selectFrom('contact_message')
        .select('id')
        .where('answered_at', 'is not', null)
        .where('id', '>', '')
        .orderBy('id', 'desc')
        .limit(maxAnswered)
        .as('newest'),
    )
    .select(({ fn }) => fn.min<string | null>('id').as('first'))
    .executeTakeFirstOrThrow();
  if (first !== null) await deleteBefore(first, { onlyAnswered: true });
}
