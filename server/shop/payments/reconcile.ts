import { sql } from 'kysely';
import type { Db } from '../../database/schema.ts';
import { shopItself } from '../audit/actor.ts';
import { hasOpenPayment } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { type Attempt, createAttempts } from './attempts.ts';
import { expirePurchase } from './end-order.ts';
import { getIntent } from './intents.ts';
import { reconcileAccount } from './reconcile-account.ts';
import { listOpenDisputes, recordDispute } from './refunds/disputes.ts';
import { refundPayment } from './refunds/payment-refunds.ts';
import { listPendingRefunds, listUnsyncedPurchases, reconcileRefund } from './refunds/reconcile-refunds.ts';
import { syncRefunds } from './refunds/sync.ts';
import { readRestoredBackup, saveRestoredBackup } from './restored-backup.ts';
import { type PaymentRow, settlePayment } from './settle.ts';
import { isOutage } from './stripe-client.ts';

const batchSize = 100;

/** The time between two polls of a payment, as a share of its age: every run for an hour, hourly after 30 hours. */
const pollShare = 1 / 30;

/** The state of this process between runs. */
export type PaymentProgress = {
  /** When this process last fetched each open payment, by the payment's id. */
  pollTimes: Map<string, number>;
  /** See `createAttempts`. */
  unanswered: Set<string>;
};

export const createPaymentProgress = (): PaymentProgress => ({ pollTimes: new Map(), unanswered: new Set() });

/**
 * Settles unfinished payments with the provider, makes refunds that are due, ends holds that have run out, and reads refunds
 * and disputes whose webhook was lost. A failure is logged and left to the next run. If the provider does not answer, the run
 * ends, and the next run does the unanswered step last. `signal` stops a run between two steps.
 */
export async function reconcilePayments(
  shop: Shop,
  progress: PaymentProgress,
  signal?: AbortSignal,
): Promise<void> {
  const { attempt, doPostponed } = createAttempts(shop, progress.unanswered);
  const run = { shop, attempt, signal };
  try {
    // The hold of an order that was paid after the backup must not end.
    const mayExpire = await recordLostPayments(run);
    // Without an open payment, a hold ends without the provider.
    if (mayExpire) await expireOverdue(run, { onlyWithoutPayment: true });
    await reconcileOpenPayments(run, progress.pollTimes);
    if (mayExpire) await expireOverdue(run, { onlyWithoutPayment: false });
    await reconcilePaidOrders(run);
    await doPostponed(signal);
  } catch (error) {
    if (!isOutage(error)) throw error;
    shop.log.info({ error }, 'the provider does not answer; the next run continues');
  }
}

type Run = { shop: Shop; attempt: Attempt; signal: AbortSignal | undefined };

/** The clocks of the shop and of the provider may differ by this much. */
const clockToleranceMs = 60 * 60_000;

/**
 * Once after a restore, records the payments and refunds that the provider has had since the backup. Returns false if one of them
 * could not be recorded: the next run tries again.
 */
async function recordLostPayments({ shop }: Run): Promise<boolean> {
  const { db } = shop.database;
  const backup = await readRestoredBackup(db);
  if (!backup || backup.isReconciled) return true;
  const report = (line: string) => shop.log.warn(`after the restore: ${line}`);
  try {
    const since = backup.made - clockToleranceMs;
    await reconcileAccount(shop, { since, apply: true, actor: shopItself, report });
  } catch (error) {
    if (isOutage(error)) throw error;
    shop.log.error(
      { error },
      'not all payments since the restored backup could be recorded; no hold ends until they are',
    );
    return false;
  }
  await saveRestoredBackup(db, { ...backup, isReconciled: true });
  return true;
}

async function reconcileOpenPayments(run: Run, pollTimes: PaymentProgress['pollTimes']): Promise<void> {
  const { shop, attempt, signal } = run;
  const seen = new Set<string>();
  await processInBatches(
    (after) =>
      shop.database.db
        .selectFrom('payment')
        .selectAll()
        .select(unsentRefunds.as('unsentRefunds'))
        // Here and below, literals match the condition of a partial index.
        .where('state', 'in', sql<'open' | 'refund_due'>`('open', 'refund_due')`)
        .where('id', '>', after)
        .orderBy('id')
        .limit(batchSize)
        .execute(),
    async (payment) => {
      seen.add(payment.id);
      if (!isPollDue(payment, pollTimes.get(payment.id) ?? 0)) return;
      await attempt('payment', payment.id, async () => {
        await reconcilePayment(shop, payment);
        pollTimes.set(payment.id, Date.now());
      });
    },
    signal,
  );
  if (!signal?.aborted) for (const id of pollTimes.keys()) if (!seen.has(id)) pollTimes.delete(id);
}

async function reconcilePaidOrders(run: Run): Promise<void> {
  const { shop, attempt, signal } = run;
  const { db } = shop.database;
  await processInBatches(
    (after) => listPendingRefunds(db, after, batchSize),
    (refund) => attempt('refund', refund.id, () => reconcileRefund(shop, refund)),
    signal,
  );
  // Without a payment there is nothing to compare, and the provider's client stays unloaded.
  if (signal?.aborted || !(await hasBeenPaid(db))) return;
  await attempt('read', 'newest refunds', () => reconcileNewestRefunds(run));
  await attempt('read', 'disputes', () => reconcileDisputes(run));
}

async function expireOverdue(
  { shop, attempt, signal }: Run,
  { onlyWithoutPayment }: { onlyWithoutPayment: boolean },
): Promise<void> {
  // Only one batch per run: purchases that cannot be ended stay overdue, and a loop until none is left would not end.
  const overdue = await shop.database.db
    .selectFrom('purchase')
    .select('id')
    .where('status', '=', sql.lit(''))
    .where('hold_until', '<', Date.now())
    .$if(onlyWithoutPayment, (query) => query.where(({ not }) => not(hasOpenPayment)))
    .orderBy('hold_until')
    .limit(batchSize * 10)
    .execute();
  for (const { id } of overdue) {
    if (signal?.aborted) return;
    await attempt('purchase', id, () => expirePurchase(shop, id));
  }
}

/** How many refunds of a payment are not requested yet. With `exists` instead, PostgreSQL may read all refunds. */
const unsentRefunds = sql<number>`(
  select count(*) from refund where refund.payment_id = payment.id and refund.provider_id is null)`;

/** Whether this run fetches a payment. A payment with a refund that has not been requested yet is always due. */
function isPollDue(
  { unsentRefunds, created_at }: Pick<PaymentRow, 'created_at'> & { unsentRefunds: number },
  polledAt: number,
): boolean {
  if (unsentRefunds > 0) return true;
  const now = Date.now();
  // The differences may be negative after the clock has been set back.
  return Math.abs(now - polledAt) >= Math.abs(now - created_at) * pollShare;
}

/** Syncs the purchases whose newest refunds differ here. */
async function reconcileNewestRefunds({ shop, attempt, signal }: Run): Promise<void> {
  for (const purchase of await listUnsyncedPurchases(shop)) {
    if (signal?.aborted) return;
    await attempt('refunds of purchase', purchase.purchaseId, () => syncRefunds(shop, purchase));
  }
}

/** Syncs the newest disputes from the provider, in case a webhook was lost, and all disputes that are open here. */
async function reconcileDisputes({ shop, attempt, signal }: Run): Promise<void> {
  const newest = await shop.provider.listNewestDisputes();
  for (const dispute of newest) await attempt('dispute', dispute.id, () => recordDispute(shop, dispute));
  const read = new Set(newest.map(({ id }) => id));
  await processInBatches(
    (after) => listOpenDisputes(shop.database.db, after, batchSize),
    async ({ id }) => {
      if (read.has(id)) return;
      await attempt('dispute', id, async () => recordDispute(shop, await shop.provider.getDispute(id)));
    },
    signal,
  );
}

/** Calls `work` for each row that `list` returns, in the order of their ids. */
async function processInBatches<Row extends { id: string }>(
  list: (after: string) => Promise<Row[]>,
  work: (row: Row) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await list(after);
    for (const row of rows) {
      if (signal?.aborted) return;
      await work(row);
      after = row.id;
    }
    if (rows.length < batchSize) return;
  }
}

async function hasBeenPaid(db: Db): Promise<boolean> {
  const paid = db.selectFrom('payment').select('id').where('state', '=', sql.lit('paid')).limit(1);
  return (await paid.execute()).length > 0;
}

async function reconcilePayment(shop: Shop, payment: PaymentRow): Promise<void> {
  if (payment.state === 'refund_due') return refundPayment(shop, payment);
  // Without an intent id, the provider's response was lost, or the request is still running. Wait a minute before
  // retrying. A time in the future means that the clock has been set back.
  if (!payment.intent && Math.abs(payment.created_at - Date.now()) < 60_000) return;
  const intent = await getIntent(shop, payment);
  if (intent) await settlePayment(shop, payment, intent);
}
