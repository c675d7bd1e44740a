import { withLease } from '../database/lease.ts';
import { deleteOldIdempotencyKeys } from '../http/calls/idempotency.ts';
import { deleteExpiredRateLimits } from '../http/rate-limit.ts';
import { deleteUnusedImages } from '../shop/images/stored-images.ts';
import { reconcilePayments } from '../shop/payments/reconcile.ts';
import type { Shop } from '../shop/shop.ts';
import { deleteOldFailures, upsertLastTimes } from './health/notes.ts';

const intervalMs = 2 * 60_000;

/** Runs in one process at a time. `progress.images`: where deleting unused images continues. `signal` stops it after the current step. */
export async function doPeriodicWork(
  shop: Shop,
  progress = { images: '' },
  signal?: AbortSignal,
): Promise<void> {
  const { database } = shop;
  await withLease(database, async () => {
    await reconcilePayments(shop, signal);
    await deleteExpiredRateLimits(database);
    await deleteOldIdempotencyKeys(database);
    // `verification` has unfinished sign-ins with Google.
    for (const table of ['session', 'verification'] as const)
      await database.db.deleteFrom(table).where('expiresAt', '<', new Date()).execute();
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
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, intervalMs).unref();
  return async () => {
    clearInterval(timer);
    controller.abort();
    await running;
  };
}
