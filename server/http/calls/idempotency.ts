import { createHash } from 'node:crypto';
import { invalid } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import { deleteInBatches } from '../../database/deletion-batches.ts';
import type { Tx } from '../../database/schema.ts';

/** A user's `Idempotency-Key` and the request that it was sent with. */
export type IdempotencyKey = { userId: string; key: string; request: unknown };

const maxAgeMs = 24 * 60 * 60 * 1000;

/**
 * Runs `write` in a transaction and returns the id that it inserts. With an `Idempotency-Key` it runs only once: a replay
 * returns the first id. The key is inserted first, in the same transaction, so that the second of two
 * simultaneous requests waits. Throws `invalid` if the key was used for a different request.
 */
export async function runIdempotently(
  database: Database,
  idempotencyKey: IdempotencyKey | undefined,
  id: string,
  write: (tx: Tx) => Promise<void>,
): Promise<string> {
  return database.transaction(async (tx) => {
    if (idempotencyKey) {
      const { userId: scope, key } = idempotencyKey;
      const request = createHash('sha256').update(JSON.stringify(idempotencyKey.request)).digest('hex');
      const inserted = await tx
        .insertInto('idempotency_key')
        .values({ scope, key, request, inserted_id: id, created_at: Date.now() })
        .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows !== 1n) return findFirstAnswer(tx, idempotencyKey, request);
    }
    await write(tx);
    return id;
  });
}

async function findFirstAnswer(tx: Tx, { userId, key }: IdempotencyKey, request: string): Promise<string> {
  const first = await tx
    .selectFrom('idempotency_key')
    .select(['request', 'inserted_id'])
    .where('scope', '=', userId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  if (first.request === request) return first.inserted_id;
  const detail = 'This Idempotency-Key was already used for a different request: send a new one';
  throw invalid('Idempotency-Key', detail);
}

/** Deletes keys after a day. */
export async function deleteOldIdempotencyKeys({ db }: Database, signal?: AbortSignal): Promise<void> {
  const before = Date.now() - maxAgeMs;
  const deleteSome = (limit: number) =>
    db
      .deleteFrom('idempotency_key')
      .where(({ eb, refTuple, selectFrom }) =>
        eb(
          refTuple('scope', 'key'),
          'in',
          selectFrom('idempotency_key')
            .select(['scope', 'key'])
            .where('created_at', '<', before)
            .limit(limit)
            .$asTuple('scope', 'key'),
        ),
      )
      .where('created_at', '<', before);
  await deleteInBatches(deleteSome, signal);
}
