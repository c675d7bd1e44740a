import { createHash } from 'node:crypto';
import { ShopError } from '../../contract/errors.ts';
import type { Database } from '../database/database.ts';
import type { Tx } from '../database/schema.ts';

/** A write that is done once: a person's `Idempotency-Key` and what they asked with it. */
export type IdempotencyKey = { userId: string; key: string; request: unknown };

const day = 24 * 60 * 60 * 1000;

/**
 * Runs `write` in a transaction and gives the id that it wrote. With an `Idempotency-Key` it runs once: the
 * same key from the same person gives the first id again; with another body it is refused. The key is
 * written in the same transaction, and first, so that of two requests sent together the second one waits.
 */
export async function runIdempotently(
  database: Database,
  once: IdempotencyKey | undefined,
  id: string,
  write: (tx: Tx) => Promise<void>,
): Promise<string> {
  return database.transaction(async (tx) => {
    if (once) {
      const request = createHash('sha256').update(JSON.stringify(once.request)).digest('hex');
      const taken = await tx
        .insertInto('first_answer')
        .values({ person: once.userId, key: once.key, request, inserted_id: id, created_at: Date.now() })
        .onConflict((conflict) => conflict.columns(['person', 'key']).doNothing())
        .executeTakeFirst();
      if (taken.numInsertedOrUpdatedRows !== 1n) return firstAnswer(tx, once, request);
    }
    await write(tx);
    return id;
  });
}

async function firstAnswer(tx: Tx, once: IdempotencyKey, request: string): Promise<string> {
  const first = await tx
    .selectFrom('first_answer')
    .select(['request', 'inserted_id'])
    .where('person', '=', once.userId)
    .where('key', '=', once.key)
    .executeTakeFirstOrThrow();
  if (first.request === request) return first.inserted_id;
  const message = 'This Idempotency-Key was used for another request: send a new one';
  throw new ShopError('invalid', message, { errors: [{ field: 'Idempotency-Key', message }] });
}

/** Forgets keys after a day. */
export async function deleteOldIdempotencyKeys({ db }: Database): Promise<void> {
  await db
    .deleteFrom('first_answer')
    .where('created_at', '<', Date.now() - day)
    .execute();
}
