import { setTimeout } from 'node:timers/promises';
import type { CallContext } from './call.ts';
import { finishProcessing } from './confirm.ts';
import { StripeApiError } from './errors.ts';
import { unschedule } from './events.ts';
import { getObject } from './objects.ts';
import { finishRefund } from './refunds.ts';
import type { StripeDatabase, StripeKeys } from './tables.ts';

/** Runs a change in a transaction and retries it from the start after a conflict. */
export async function runTransaction<T>(
  db: StripeDatabase,
  work: (transaction: StripeDatabase) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (!isConflict(error) || attempt >= 20) throw error;
      // Random, so that two conflicting changes don't collide again.
      await setTimeout(Math.random() * Math.min(250, 2 ** attempt));
    }
  }
}

/** Makes the change that Stripe makes later: finishes a processing payment, or moves a refund to its final state. */
export async function finishPending(db: StripeDatabase, keys: StripeKeys, id: string): Promise<void> {
  await runTransaction(db, async (transaction) => {
    // Another process has already made this change.
    if (!(await unschedule(transaction, id))) return;
    const context: CallContext = {
      db: transaction,
      keys,
      id,
      form: {},
      base: '',
      requestId: null,
      idempotencyKey: null,
    };
    if (id.startsWith('re_')) await finishRefund(context);
    else await finishProcessing(context, await getObject(transaction, 'payment_intent', id));
  });
}

/** Whether a concurrent change won: the object's version differs, or PostgreSQL reports a serialization failure or deadlock. */
function isConflict(error: unknown): boolean {
  if (error instanceof StripeApiError) return error.error.code === 'lock_timeout';
  return error instanceof Error && 'code' in error && (error.code === '40001' || error.code === '40P01');
}
