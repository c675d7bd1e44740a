import { setImmediate } from 'node:timers/promises';
import type { DeleteResult } from 'kysely';

/** Rows per statement, which so takes only milliseconds: on SQLite, nothing else runs meanwhile. */
const batchSize = 500;

/**
 * Runs `deleteSome`, which deletes up to `limit` rows, until none is left. Requests are answered in between. `signal` ends it
 * early; the next run continues. `deleteSome` must repeat the condition of its subquery: on PostgreSQL, rows may change after
 * the subquery has read them.
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
