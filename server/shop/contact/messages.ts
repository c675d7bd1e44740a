import type { ContactMessage } from '../../../contract/admin/contact-messages.ts';
import type { Query } from '../../../contract/call.ts';
import type { contract } from '../../../contract/contract.ts';
import { dayMs } from '../../../contract/durations.ts';
import { notFound } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { deleteInBatches } from '../../database/deletion-batches.ts';
import { firstIdAt } from '../../database/id-range.ts';
import type { Db } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';

const keepMs = 90 * dayMs;
/** At most 200 MB of text. Strangers on 300 networks, who use up the rate limits (360 messages an hour), reach it in two days. */
const maxMessages = 20_000;

/** Newest first: those that are not answered, or the answered ones. */
export async function listContactMessages(
  db: Db,
  query: Query<typeof contract.listContactMessages>,
): Promise<ContactMessage[]> {
  const rows = await db
    .selectFrom('contact_message')
    .selectAll()
    // Always true: the engine then reads only the part of an index that it needs.
    .where('id', '>', '')
    .where('answered_at', query.answered ? 'is not' : 'is', null)
    .$if(query.after !== undefined, (next) => next.where('id', '<', query.after ?? ''))
    .orderBy('id', 'desc')
    .limit(toSqlLimit(query))
    .execute();
  return rows.map(({ id, email, text, created_at, answered_at }) => ({
    ...{ _id: id, email, message: text, createdAt: new Date(created_at).toISOString() },
    ...(answered_at === null ? {} : { answeredAt: new Date(answered_at).toISOString() }),
  }));
}

/** Marks a message as answered or not. Returns 1, or 0 if it is already. Throws 404. */
export function markAnswered(
  { database }: Shop,
  id: string,
  actor: SessionUser,
  isAnswered: boolean,
): Promise<number> {
  return database.transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('contact_message')
      .set({ answered_at: isAnswered ? Date.now() : null })
      .where('id', '=', id)
      .where('answered_at', isAnswered ? 'is' : 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      const message = tx.selectFrom('contact_message').select('id').where('id', '=', id);
      if (!(await message.executeTakeFirst())) throw notFound('message');
      return 0;
    }
    // Without the address: the log outlives the message.
    const action = isAnswered ? 'answerMessage' : 'reopenMessage';
    await writeAudit(tx, { ...toActor(actor), action, target: id, name: 'Contact message' });
    return 1;
  });
}

/**
 * Deletes messages after three months. Above `maxMessages`, deletes the answered ones, then the oldest of the days with the most: a
 * flood, which fills a few days, leaves the messages of all other days.
 */
export async function deleteOldContactMessages({ db }: Database, signal?: AbortSignal): Promise<void> {
  const now = Date.now();
  const deleteBefore = (before: string) => (limit: number) =>
    db
      .deleteFrom('contact_message')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('contact_message').select('id').where('id', '<', before).orderBy('id').limit(limit),
      )
      .where('id', '<', before);
  await deleteInBatches(deleteBefore(firstIdAt(now - keepMs)), signal);
  if ((await countMessages(db, '', lastId)) <= maxMessages) return;
  const deleteAnswered = (limit: number) =>
    db
      .deleteFrom('contact_message')
      .where('id', 'in', ({ selectFrom }) =>
        selectFrom('contact_message')
          .select('id')
          .where('id', '>', '')
          .where('answered_at', 'is not', null)
          .orderBy('id')
          .limit(limit),
      )
      .where('answered_at', 'is not', null);
  await deleteInBatches(deleteAnswered, signal);
  const days: { from: string; before: string; count: number }[] = [];
  for (let before = lastId, daysAgo = 1; daysAgo * dayMs <= keepMs; daysAgo++) {
    const from = firstIdAt(now - daysAgo * dayMs);
    days.push({ from, before, count: await countMessages(db, from, before) });
    before = from;
  }
  const maxPerDay = shareMessages(days.map(({ count }) => count));
  for (const { from, before, count } of days) {
    if (count <= maxPerDay) continue;
    const newest = db
      .selectFrom('contact_message')
      .select('id')
      .where('id', '>=', from)
      .where('id', '<', before)
      .orderBy('id', 'desc')
      .limit(maxPerDay);
    const { first } = await db
      .selectFrom(newest.as('newest'))
      .select(({ fn }) => fn.min<string | null>('id').as('first'))
      .executeTakeFirstOrThrow();
    const deleteOldest = (limit: number) =>
      db
        .deleteFrom('contact_message')
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom('contact_message')
            .select('id')
            .where('id', '>=', from)
            .where('id', '<', first ?? before)
            .orderBy('id')
            .limit(limit),
        )
        .where('id', '>=', from);
    await deleteInBatches(deleteOldest, signal);
  }
}

/** Above every id. */
const lastId = 'g';

async function countMessages(db: Db, from: string, before: string): Promise<number> {
  const { count } = await db
    .selectFrom('contact_message')
    .select(({ fn }) => fn.countAll<string | number>().as('count'))
    .where('id', '>=', from)
    .where('id', '<', before)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** How many messages each day may keep, so that all days together keep `maxMessages`. */
function shareMessages(counts: number[]): number {
  let left = maxMessages;
  for (const [at, count] of counts.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (counts.length - at));
    if (count > share) return share;
    left -= count;
  }
  return maxMessages;
}
