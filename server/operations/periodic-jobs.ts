import type { Database } from '../database/database.ts';
import { withLease } from '../database/lease.ts';
import { sweepFirstAnswers } from '../http/idempotency.ts';
import { sweepTries } from '../http/rate-limit.ts';
import { deleteUnusedImages } from '../shop/images/images.ts';
import { reconcilePayments } from '../shop/payments/reconcile.ts';
import type { Shop } from '../shop/shop.ts';
import { deleteOldFailures, upsertLastTimes } from './health/queries.ts';

const intervalMs = 2 * 60_000;

/** Where the steps that work in portions continue next time. */
type Progress = { images: string };

/** Runs at start and every two minutes, in one process at a time. An aborted `signal` ends it between two steps. */
export async function doPeriodicWork(
  shop: Shop,
  progress: Progress = { images: '' },
  signal?: AbortSignal,
): Promise<void> {
  const { database } = shop;
  await withLease(database, 'periodic work', async () => {
    await reconcilePayments(shop, signal);
    await sweepTries(database);
    await sweepFirstAnswers(database);
    await sweepSessions(database);
    await deleteOldFailures(database.db);
    progress.images = await deleteUnusedImages(database, Date.now(), progress.images);
    if (!signal?.aborted) await upsertLastTimes(database.db, new Map([['periodic work', Date.now()]]));
  });
}

/** The returned function stops it and waits for the current step. */
export function startPeriodicWork(shop: Shop): () => Promise<void> {
  const stopping = new AbortController();
  const progress = { images: '' };
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= doPeriodicWork(shop, progress, stopping.signal)
      .catch((error: unknown) => shop.log.error({ error }, 'the periodic work failed'))
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const timer = setInterval(run, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}

/** Deletes expired sessions and expired sign-ins with Google. */
async function sweepSessions(database: Database): Promise<void> {
  const { db } = database;
  const now = new Date();
  await db.deleteFrom('session').where('expiresAt', '<', now).execute();
  await db.deleteFrom('verification').where('expiresAt', '<', now).execute();
}
