import type { Database } from '../database/database.ts';
import { deleteInBatches } from '../database/deletion-batches.ts';
import { isUnavailable } from '../database/errors.ts';
import { withLease } from '../database/lease.ts';
import { deleteOldIdempotencyKeys } from '../http/calls/idempotency.ts';
import { deleteExpiredRateLimits } from '../http/rate-limit.ts';
import { deleteOldMail } from '../mail/outbox.ts';
import { anonymizeOldOrders } from '../shop/account-data/retention.ts';
import { deleteOldContactMessages } from '../shop/contact/messages.ts';
import { deleteUnusedImages } from '../shop/images/stored-images.ts';
import { queueReminders } from '../shop/mail/queue.ts';
import {
  createPaymentProgress,
  type PaymentProgress,
  reconcilePayments,
} from '../shop/payments/reconcile.ts';
import { queueBackInStock } from '../shop/products/back-in-stock-mail.ts';
import { addDeletedWords } from '../shop/products/deletion.ts';
import { countSales } from '../shop/sales/daily-totals.ts';
import { repairSales } from '../shop/sales/repair-sales.ts';
import type { Shop } from '../shop/shop.ts';
import { deleteOldFailures, upsertLastTimes } from './health/notes.ts';
import { reportTroubles } from './health/report.ts';

const intervalMs = 2 * 60_000;

/** Where work that takes several runs continues in the next run. */
type Progress = {
  payments: PaymentProgress;
  images: string;
  backInStock: string;
  words: string;
  salesDay: number;
};

const createProgress = (): Progress => ({
  payments: createPaymentProgress(),
  images: '',
  backInStock: '',
  words: '',
  salesDay: Infinity,
});

/**
 * Runs in one process at a time. `signal` ends the long steps early. If a step fails, the others still run. Throws at the end if
 * any has failed.
 */
export async function doPeriodicWork(
  shop: Shop,
  progress = createProgress(),
  signal?: AbortSignal,
): Promise<void> {
  await withLease(shop.database, 'periodic work', async () => {
    const failed = await doSteps(shop, listSteps(shop, progress, signal));
    if (!signal?.aborted) {
      if (failed.length === 0)
        await upsertLastTimes(shop.database.db, new Map([['periodic work', Date.now()]]));
      await reportTroubles(shop);
    }
    if (failed.length > 0) throw new Error(`These steps failed: ${failed.join(', ')}.`);
  });
}

type Steps = Record<string, () => Promise<unknown>>;

function listSteps(shop: Shop, progress: Progress, signal: AbortSignal | undefined): Steps {
  const { database } = shop;
  const { db } = database;
  function deleteExpired(table: 'session' | 'verification'): Promise<void> {
    const now = new Date();
    const deleteSome = (limit: number) =>
      db
        .deleteFrom(table)
        .where('id', 'in', ({ selectFrom }) =>
          selectFrom(table).select('id').where('expiresAt', '<', now).limit(limit),
        )
        .where('expiresAt', '<', now);
    return deleteInBatches(deleteSome, signal);
  }
  return {
    payments: () =>
      reconcilePayments({ ...shop, provider: shop.backgroundProvider }, progress.payments, signal),
    'rate limits': () => deleteExpiredRateLimits(database, signal),
    'idempotency keys': () => deleteOldIdempotencyKeys(database, signal),
    sessions: () => deleteExpired('session'),
    // Tokens of links in messages, unfinished sign-ins with Google, and challenges for passkeys.
    verifications: () => deleteExpired('verification'),
    'old failures': () => deleteOldFailures(db),
    reminders: () => queueReminders(shop),
    'back in stock': async () => {
      progress.backInStock = await queueBackInStock(shop, progress.backInStock);
    },
    'old mail': () => deleteOldMail(database, signal),
    'old contact messages': () => deleteOldContactMessages(database, signal),
    'old orders': () => anonymizeOldOrders(shop),
    'deleted words': async () => {
      progress.words = await addDeletedWords(database, progress.words);
    },
    images: async () => {
      progress.images = await deleteUnusedImages(database, Date.now(), progress.images);
    },
    sales: () => countSales(shop, signal),
    'sales repair': async () => {
      progress.salesDay = await repairSales(shop, progress.salesDay);
    },
  };
}

/**
 * Returns the names of the steps that failed. Throws during an outage of the database, so that not every step waits for its
 * timeout.
 */
async function doSteps({ database, log }: Shop, steps: Steps): Promise<string[]> {
  const failed: string[] = [];
  for (const [step, work] of Object.entries(steps)) {
    try {
      await work();
    } catch (error) {
      log.error({ error }, `a step of the periodic work failed: ${step}`);
      failed.push(step);
      // A single slow statement times out, too, and must not keep the later steps from running.
      if (isUnavailable(error)) await checkDatabase(database);
    }
  }
  return failed;
}

/** Throws if the database cannot be written. Changes nothing. */
async function checkDatabase({ db }: Database): Promise<void> {
  await db
    .updateTable('lease')
    .set((eb) => ({ until: eb.ref('until') }))
    .where('name', '=', 'periodic work')
    .execute();
}

/** `firstRun` resolves when the first run has ended; `stop` ends the long steps early and waits for the others. */
export function startPeriodicWork(shop: Shop): { firstRun: Promise<void>; stop: () => Promise<void> } {
  const controller = new AbortController();
  const progress = createProgress();
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
