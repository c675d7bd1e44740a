import type { Facts, Trouble } from '../../contract/health.ts';
import { ageOf, amount, counted } from '../../contract/health-words.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** What else has to be known to judge the facts. */
type Standing = {
  sandbox: boolean;
  /** When this server started; undefined where it is not a server that asks. */
  startedAt: number | undefined;
};

/** What is not well, the most urgent first, each with what to do: for whoever keeps the shop, who need be no engineer. */
export function findTroubles(facts: Facts, standing: Standing): Trouble[] {
  const judges = [
    ...[judgePeriodicWork, judgeWebhook, judgePayments, judgeUnknown, judgeHolds],
    ...[judgeBackup, judgeErrors],
  ];
  return judges.flatMap((judge) => judge(facts, standing));
}

function judgePeriodicWork({ periodicWork, readAt }: Facts, { startedAt }: Standing): Trouble[] {
  const { lastFinishedAt, underWay } = periodicWork;
  // A server that has just started has had no time for it.
  const since = lastFinishedAt === null ? startedAt : Math.max(Date.parse(lastFinishedAt), startedAt ?? 0);
  const patience = underWay ? 12 * hour : 15 * minute;
  if (since === undefined || Date.parse(readAt) - since < patience) return [];
  return [
    {
      what: `The regular work of every two minutes ${lastFinishedAt ? `was last done ${ago(lastFinishedAt, readAt)}` : 'has never been done'}: nobody asks after payments, and unpaid orders keep their stock.`,
      act: 'Start the shop anew. If this stays, the log says why, under “regular work”.',
    },
  ];
}

/** Every payment that succeeds is told to a webhook, within seconds. */
function judgeWebhook({ payments, webhook, readAt }: Facts, { sandbox }: Standing): Trouble[] {
  const { lastPaidAt } = payments;
  const { lastOfPaymentAt } = webhook;
  if (lastPaidAt === null || Date.parse(readAt) - Date.parse(lastPaidAt) < 15 * minute) return [];
  if (lastOfPaymentAt !== null && Date.parse(lastOfPaymentAt) > Date.parse(lastPaidAt) - 15 * minute)
    return [];
  const last = lastOfPaymentAt
    ? `its last word of one came ${ago(lastOfPaymentAt, readAt)}`
    : 'it has never told of one';
  const who = sandbox ? 'The stand-in for Stripe' : 'Stripe';
  return [
    {
      what: `${who} has not told the shop of the last payment, ${ago(lastPaidAt, readAt)}: ${last}. Orders still become paid, but late.`,
      act: sandbox
        ? 'Start the shop anew: here the stand-in tells it, in the same process.'
        : 'See at Stripe, under Developers and Webhooks, whether its events reach this shop and what is wrong with them; `npm run doctor` helps.',
    },
  ];
}

function judgePayments({ payments }: Facts, { sandbox }: Standing): Trouble[] {
  const { unanswered, refundsDue, refundsFailed } = payments;
  const name = provider(sandbox);
  return [
    ...when(unanswered, {
      what: `${counted(unanswered, 'payment')} that customers began had no answer of ${name}: they cannot pay.`,
      act: sandbox
        ? 'The shop asks again every two minutes. If this stays, start it anew.'
        : 'The shop asks again every two minutes. If this stays, see status.stripe.com, and run `npm run doctor`.',
    }),
    ...when(refundsDue, {
      what: `${counted(refundsDue, 'payment')} came without an order to pay, and the money is still to be given back.`,
      act: `The shop tries every two minutes. If this stays for an hour, give it back at ${name} yourself: the log names the payment, under “refund”.`,
    }),
    ...when(refundsFailed, {
      what: `${counted(refundsFailed, 'refund')} failed: the customer has not got the money back.`,
      act: `The log names the payment, under “refund”. ${name} says why it failed. Try again there, or pay the customer in another way; only a refund there clears this problem.`,
    }),
  ];
}

/** Nothing takes it off the list, so it is told for a week. */
function judgeUnknown({ payments, readAt }: Facts, { sandbox }: Standing): Trouble[] {
  const { unknown, lastUnknownAt } = payments;
  if (lastUnknownAt === null || Date.parse(readAt) - Date.parse(lastUnknownAt) > 7 * day) return [];
  return [
    {
      what: `${counted(unknown, 'payment')} came for orders that are not here, the last one ${ago(lastUnknownAt, readAt)}: perhaps the shop was restored from a backup.`,
      act: `They stand over All Orders. Look at each at ${provider(sandbox)}, and give the money back there where no order is to be sent.`,
    },
  ];
}

function judgeHolds({ holds: { overdue } }: Facts, { sandbox }: Standing): Trouble[] {
  return when(overdue, {
    what: `${counted(overdue, 'unpaid order')} should have given the stock back, and cannot.`,
    act: `The shop first cancels the payment at ${provider(sandbox)}, and tries every two minutes. An order whose payment is on its way waits for it.`,
  });
}

/** A server of databases may have backups of its own, of which the shop knows nothing. */
function judgeBackup({ lastBackupAt, payments, database, readAt }: Facts, { sandbox }: Standing): Trouble[] {
  if (sandbox) return [];
  if (lastBackupAt === null && (database.engine === 'postgres' || payments.lastPaidAt === null)) return [];
  if (lastBackupAt !== null && Date.parse(readAt) - Date.parse(lastBackupAt) < 2 * day) return [];
  return [
    {
      what: lastBackupAt
        ? `The last backup was made ${ago(lastBackupAt, readAt)}.`
        : 'Orders have been paid, and no backup was ever made.',
      act: '`npm run backup -- FILE` makes one while the shop serves. Let one be made each night, and see why it fails where that is so: docs/operations.md.',
    },
  ];
}

function judgeErrors({ errors: { count, lastAt }, readAt }: Facts): Trouble[] {
  if (lastAt === null) return [];
  return [
    {
      what: `In the last day ${amount(count, 'thing')} went wrong, the last ${ago(lastAt, readAt)}.`,
      act: 'See the errors below: whoever looks after the shop finds them in the log by their number.',
    },
  ];
}

const when = (count: number, trouble: Trouble): Trouble[] => (count > 0 ? [trouble] : []);

const provider = (sandbox: boolean) => (sandbox ? 'the stand-in for Stripe' : 'Stripe');

const ago = (from: string, to: string) => `${ageOf(from, to)} ago`;
