import type { Database } from './database/database.ts';
import { moment } from './identity/accounts.ts';
import { removeUnusedPictures } from './images/pictures.ts';
import { takeLease } from './lease.ts';
import { sweepFirstAnswers } from './once.ts';
import { lookAtPayments } from './payments/look.ts';
import type { Shop } from './shop.ts';
import { sweepTries } from './tries.ts';

const everyMinutes = 2;

/** What is done at start and every few minutes, by one process of all. */
export async function doPeriodicWork(shop: Shop): Promise<void> {
  const letGo = await takeLease(shop.database, 'periodic work', everyMinutes * 5 * 60_000);
  if (!letGo) return;
  try {
    await lookAtPayments(shop);
    await sweepTries(shop.database);
    await sweepFirstAnswers(shop.database);
    await sweepSessions(shop.database);
    await removeUnusedPictures(shop.database, Date.now());
  } finally {
    await letGo();
  }
}

/** Starts it; the function that it gives stops it and waits for what is under way. */
export function startPeriodicWork(shop: Shop): () => Promise<void> {
  let running: Promise<void> | undefined;
  const look = () => {
    running ??= doPeriodicWork(shop)
      .catch((error: unknown) => shop.log.error({ error }, 'periodic work failed'))
      .finally(() => {
        running = undefined;
      });
  };
  look();
  const timer = setInterval(look, everyMinutes * 60_000).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Sessions and sign-ins with Google that are over. */
async function sweepSessions(database: Database): Promise<void> {
  const { db } = database;
  const now = moment(database);
  await db.deleteFrom('session').where('expiresAt', '<', now).execute();
  await db.deleteFrom('verification').where('expiresAt', '<', now).execute();
}
