import type { Facts, Trouble } from '../../../contract/health.ts';
import { formatAge, formatCappedCount, formatQuantity } from '../../../contract/health-format.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Context = {
  sandbox: boolean;
  /** When this server started; undefined outside a server. */
  startedAt: number | undefined;
};

/** Finds problems, the most urgent first, each with advice for a shopkeeper who is not an engineer. */
export function findTroubles(facts: Facts, context: Context): Trouble[] {
  const checks = [
    ...[checkPeriodicWork, checkWebhook, checkPayments, checkUnknownPayments, checkHolds],
    ...[checkBackup, checkErrors],
  ];
  return checks.flatMap((check) => check(facts, context));
}

function checkPeriodicWork({ periodicWork, readAt }: Facts, { startedAt }: Context): Trouble[] {
  const { lastFinishedAt, underWay } = periodicWork;
  // Count from the start: a new server has not had time for it.
  const since = lastFinishedAt === null ? startedAt : Math.max(Date.parse(lastFinishedAt), startedAt ?? 0);
  const limitMs = underWay ? 12 * hourMs : 15 * minuteMs;
  if (since === undefined || Date.parse(readAt) - since < limitMs) return [];
  return [
    {
      what: `The periodic work, due every two minutes, ${lastFinishedAt ? `was last done ${ago(lastFinishedAt, readAt)}` : 'has never been done'}. Until it runs, payments are not checked and unpaid orders keep their stock.`,
      act: 'Restart the shop. If the problem remains, look for “periodic work” in the log.',
    },
  ];
}

/** Stripe sends a webhook within seconds of each successful payment. */
function checkWebhook({ payments, webhook, readAt }: Facts, { sandbox }: Context): Trouble[] {
  const { lastPaidAt } = payments;
  const { lastOfPaymentAt } = webhook;
  if (lastPaidAt === null || age(lastPaidAt, readAt) < 15 * minuteMs) return [];
  if (lastOfPaymentAt !== null && age(lastOfPaymentAt, lastPaidAt) < 15 * minuteMs) return [];
  const last = lastOfPaymentAt
    ? `The last webhook about a payment came ${ago(lastOfPaymentAt, readAt)}.`
    : 'No webhook about a payment has ever come.';
  return [
    {
      what: `${sandbox ? 'The stand-in for Stripe' : 'Stripe'} sent no webhook for the last payment, ${ago(lastPaidAt, readAt)}. ${last} Orders are still marked as paid, but late.`,
      act: sandbox
        ? 'Restart the shop: the stand-in runs in the same process.'
        : 'Check at Stripe, under Developers and Webhooks, whether its events reach this shop. `npm run doctor` helps.',
    },
  ];
}

function checkPayments({ payments }: Facts, { sandbox }: Context): Trouble[] {
  const { unanswered, refundsDue, refundsFailed } = payments;
  const provider = providerName(sandbox);
  return [
    ...troubleIf(unanswered > 0, {
      what: `${formatCappedCount(unanswered, 'payment')} got no response from ${provider}: these customers cannot pay.`,
      act: sandbox
        ? 'The shop tries again every two minutes. If the problem remains, restart it.'
        : 'The shop tries again every two minutes. If the problem remains, see status.stripe.com and run `npm run doctor`.',
    }),
    ...troubleIf(refundsDue > 0, {
      what: `${formatCappedCount(refundsDue, 'payment')} came without an order to pay, and must be refunded.`,
      act: `The shop tries every two minutes. If the problem remains for an hour, refund the payment at ${provider} yourself: the log names it, under “refund”.`,
    }),
    ...troubleIf(refundsFailed > 0, {
      what: `${formatCappedCount(refundsFailed, 'refund')} failed: the customer has not got the money back.`,
      act: `The log names the payment, under “refund”, and ${provider} shows why it failed. Try again there, or repay the customer in another way; only a refund there clears this problem.`,
    }),
  ];
}

/** Nothing removes these payments, so report them for a week only. */
function checkUnknownPayments({ payments, readAt }: Facts, { sandbox }: Context): Trouble[] {
  const { unknown, lastUnknownAt } = payments;
  if (lastUnknownAt === null || age(lastUnknownAt, readAt) > 7 * dayMs) return [];
  return [
    {
      what: `${formatCappedCount(unknown, 'payment')} came for orders that are not in this shop, the last one ${ago(lastUnknownAt, readAt)}. Perhaps the shop was restored from a backup.`,
      act: `They are listed above All Orders. Look at each at ${providerName(sandbox)}, and refund it there unless you ship the order.`,
    },
  ];
}

function checkHolds({ holds: { overdue } }: Facts, { sandbox }: Context): Trouble[] {
  return troubleIf(overdue > 0, {
    what: `${formatCappedCount(overdue, 'unpaid order')} should have released the stock, but could not.`,
    act: `The shop first cancels the payment at ${providerName(sandbox)}, and tries every two minutes. An order whose payment is being processed waits for it.`,
  });
}

/** The shop does not know about the backups of a PostgreSQL server. */
function checkBackup({ lastBackupAt, payments, database, readAt }: Facts, { sandbox }: Context): Trouble[] {
  if (sandbox) return [];
  if (lastBackupAt === null && (database.engine === 'postgres' || payments.lastPaidAt === null)) return [];
  if (lastBackupAt !== null && age(lastBackupAt, readAt) < 2 * dayMs) return [];
  return [
    {
      what: lastBackupAt
        ? `The last backup was made ${ago(lastBackupAt, readAt)}.`
        : 'Orders have been paid, and no backup was ever made.',
      act: '`npm run backup -- FILE` makes one while the shop runs. Schedule one every night, and if it fails, find out why: docs/operations.md.',
    },
  ];
}

function checkErrors({ errors: { count, lastAt }, readAt }: Facts): Trouble[] {
  if (lastAt === null) return [];
  return [
    {
      what: `In the last day ${formatQuantity(count, 'thing')} went wrong, the last ${ago(lastAt, readAt)}.`,
      act: 'See the errors below. Their numbers find them in the log.',
    },
  ];
}

const troubleIf = (condition: boolean, trouble: Trouble): Trouble[] => (condition ? [trouble] : []);

const providerName = (sandbox: boolean) => (sandbox ? 'the stand-in for Stripe' : 'Stripe');

const age = (from: string, to: string): number => Date.parse(to) - Date.parse(from);
const ago = (from: string, to: string): string => `${formatAge(from, to)} ago`;
