import type { Database } from '../database/database.ts';
import { withLease } from '../database/lease.ts';
import { deleteOldIdempotencyKeys } from '../http/idempotency.ts';
import { deleteExpiredRateLimits } from '../http/rate-limit.ts';
import { deleteUnusedImages } from '../shop/images/stored-images.ts';
import { reconcilePayments } from '../shop/payments/reconcile.ts';
import type { Shop } from '../shop/shop.ts';
import { deleteOldFailures, upsertLastTimes } from './health/queries.ts';

const intervalMs = 2 * 60_000;

/** Where the next run continues. */
type Progress = { images: string };

/** Runs at start and every two minutes, in one process at a time. Aborting `signal` stops it after the current step. */
export async function doPeriodicWork(
  shop: Shop,
  progress: Progress = { images: '' },
  signal?: AbortSignal,
): Promise<void> {
  const { database } = shop;
  await withLease(database, async () => {
    await reconcilePayments(shop, signal);
    await deleteExpiredRateLimits(database);
    await deleteOldIdempotencyKeys(database);
    await sweepSessions(database);
    await deleteOldFailures(database.db);
    progress.images = await deleteUnusedImages(database, Date.now(), progress.images);
    if (!signal?.aborted) await upsertLastTimes(database.db, new Map([['periodic work', Date.now()]]));
  });
}

/** Returns a function that stops the work and waits for the current step. */
export function startPeriodicWork(shop: Shop): () => Promise<void> {
  const controller = new AbortController();
  const progress = { images: '' };
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= doPeriodicWork(shop, progress, controller.signal)
      .catch((error: unknown) => shop.log.error({ error }, 'the periodic work failed'))
      .finally(() => {
        running = undefined;
      });
  };
  run();
  const timer = setInterval(run, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    controller.abort();
    await running;
  };
}

/** Deletes expired sessions and unfinished Google sign-ins. */
async function sweepSessions(database: Database): Promise<void> {
  const { db } = database;
  const now = new Date();
  await db.deleteFrom('session').where('expiresAt', '<', now).execute();
  await db.deleteFrom('verification').where('expiresAt', '<', now).execute();
}
