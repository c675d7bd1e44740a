import type { Database } from './database/database.ts';
import { sweepFailures } from './health/failures.ts';
import { writeLastTimes } from './health/last-times.ts';
import { removeUnusedPictures } from './images/pictures.ts';
import { withLease } from './lease.ts';
import { sweepFirstAnswers } from './once.ts';
import { reconcilePayments } from './payments/reconcile.ts';
import type { Shop } from './shop.ts';
import { sweepTries } from './tries.ts';

const everyMinutes = 2;

/** How far this process has come with what takes several looks. */
type Progress = { pictures: string };

/** What is done at start and every few minutes, by one process of all. `signal` ends it between two steps. */
export async function doPeriodicWork(
  shop: Shop,
  progress: Progress = { pictures: '' },
  signal?: AbortSignal,
): Promise<void> {
  const { database } = shop;
  await withLease(database, 'periodic work', async () => {
    await reconcilePayments(shop, signal);
    await sweepTries(database);
    await sweepFirstAnswers(database);
    await sweepSessions(database);
    await sweepFailures(database.db);
    progress.pictures = await removeUnusedPictures(database, Date.now(), progress.pictures);
    if (!signal?.aborted) await writeLastTimes(database.db, new Map([['periodic work', Date.now()]]));
  });
}

/** Starts it; the function that it gives stops it, and waits for the step that is under way. */
export function startPeriodicWork(shop: Shop): () => Promise<void> {
  const stopping = new AbortController();
  const progress = { pictures: '' };
  let running: Promise<void> | undefined;
  const look = () => {
    running ??= doPeriodicWork(shop, progress, stopping.signal)
      .catch((error: unknown) => shop.log.error({ error }, 'the regular work of every two minutes failed'))
      .finally(() => {
        running = undefined;
      });
  };
  look();
  const timer = setInterval(look, everyMinutes * 60_000).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}

/** Sessions and sign-ins with Google that are over. */
async function sweepSessions(database: Database): Promise<void> {
  const { db } = database;
  const now = new Date();
  await db.deleteFrom('session').where('expiresAt', '<', now).execute();
  await db.deleteFrom('verification').where('expiresAt', '<', now).execute();
}
