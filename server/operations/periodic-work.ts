import { withLease } from '../database/lease.ts';
import { deleteOldIdempotencyKeys } from '../http/calls/idempotency.ts';
import { deleteExpiredRateLimits } from '../http/rate-limit.ts';
import { deleteOldMail } from '../mail/outbox.ts';
import { anonymizeOldOrders } from '../shop/account-data/retention.ts';
import { deleteOldContactMessages } from '../shop/contact/contact.ts';
import { deleteUnusedImages } from '../shop/images/stored-images.ts';
import { queueReminders } from '../shop/mail/queue.ts';
import { reconcilePayments } from '../shop/payments/reconcile.ts';
import { queueBackInStock } from '../shop/products/back-in-stock-mail.ts';
import { addDeletedWords } from '../shop/products/deletion.ts';
import { deleteOrphanedHistories, recordMissedChanges } from '../shop/products/stock/record.ts';
import { countSales } from '../shop/sales/daily-totals.ts';
import { repairSales } from '../shop/sales/repair-sales.ts';
import type { Shop } from '../shop/shop.ts';
import { deleteOldFailures, upsertLastTimes } from './health/notes.ts';
import { reportTroubles } from './health/report.ts';

const intervalMs = 2 * 60_000;

/** Where work that takes several runs continues in the next run. */
type Progress = {
  images: string;
  backInStock: string;
  stock: string;
  histories: string;
  words: string;
  salesDay: number;
};

const start: Progress = {
  images: '',
  backInStock: '',
  stock: '',
  histories: '',
  words: '',
  salesDay: Infinity,
};

/** Runs in one process at a time. `signal` ends the long steps early. */
export async function doPeriodicWork(
  shop: Shop,
  progress = { ...start },
  signal?: AbortSignal,
): Promise<void> {
  await withLease(shop.database, 'periodic work', async () => {
    try {
      await doSteps(shop, progress, signal);
    } finally {
      if (!signal?.aborted) await reportTroubles(shop);
    }
  });
}

async function doSteps(shop: Shop, progress: Progress, signal: AbortSignal | undefined): Promise<void> {
  const { database } = shop;
  await reconcilePayments(shop, signal);
  await deleteExpiredRateLimits(database);
  await deleteOldIdempotencyKeys(database);
  // `verification` has the tokens of links in messages, unfinished sign-ins with Google, and challenges for passkeys.
  for (const table of ['session', 'verification'] as const)
    await database.db.deleteFrom(table).where('expiresAt', '<', new Date()).execute();
  await deleteOldFailures(database.db);
  await queueReminders(shop);
  progress.backInStock = await queueBackInStock(shop, progress.backInStock);
  await deleteOldMail(database);
  await deleteOldContactMessages(database);
  await anonymizeOldOrders(shop);
  progress.stock = await recordMissedChanges(database, progress.stock);
  progress.histories = await deleteOrphanedHistories(database, progress.histories);
  progress.words = await addDeletedWords(database, progress.words);
  progress.images = await deleteUnusedImages(database, Date.now(), progress.images);
  await countSales(shop, signal);
  progress.salesDay = await repairSales(shop, progress.salesDay);
  if (!signal?.aborted) await upsertLastTimes(database.db, new Map([['periodic work', Date.now()]]));
}

/** `firstRun` resolves when the first run has ended; `stop` ends the long steps early and waits for the others. */
export function startPeriodicWork(shop: Shop): { firstRun: Promise<void>; stop: () => Promise<void> } {
  const controller = new AbortController();
  const progress = { ...start };
  let running: Promise<void> | undefined;
  const run = () =>
    (running ??= doPeriodicWork(shop, progress, controller.signal)
      .catch((error: unknown) => shop.log.error({ error }, 'the periodic work failed'))
      .finally(() => (running = undefined)));
  const firstRun = run();
  const timer = setInterval(() => void run(), intervalMs).unref();
  return {
    firstRun,
    async stop() {
      clearInterval(timer);
      controller.abort();
      await running;
    },
  };
}
