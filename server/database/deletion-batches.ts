import { setImmediate } from 'node:timers/promises';
import type { DeleteResult } from 'kysely';

/** Rows per statement. A statement then takes only milliseconds; on SQLite, nothing else runs meanwhile. */
const batchSize = 500;

/**
 * Runs `deleteSome`, which deletes up to `limit` rows, until no rows are left. Requests are answered between the statements.
 * `signal` stops it early; the next run continues. On PostgreSQL, a row may change after the subquery of `deleteSome` has read it,
 * so the statement must repeat the subquery's condition.
 */
export async function deleteInBatches(
  deleteSome: (limit: number) => { executeTakeFirst: () => Promise<DeleteResult> },
  signal: AbortSignal | undefined,
): Promise<void> {
  while (!signal?.aborted) {
    const { numDeletedRows } = await deleteSome(batchSize).executeTakeFirst();
    if (numDeletedRows < batchSize) return;
    await setImmediate();
  }
}
