import type { Facts, Service, Trouble } from '../../../contract/admin/health.ts';
import { formatAge, formatCappedCount, formatQuantity } from '../../../contract/admin/health-format.ts';
import { contract } from '../../../contract/contract.ts';
import { dayMs, hourMs, minuteMs } from '../../../contract/durations.ts';
import { createMoney } from '../../../contract/money.ts';
import { describeDisputeReason } from '../../../contract/orders/dispute-reasons.ts';
import type { Config } from '../../config/config.ts';
import { formatTime } from '../../config/time-zone.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import { serverProblems } from '../../mail/server-problem.ts';
import { toActor } from '../../shop/audit/actor.ts';
import { providerProblems } from '../../shop/payments/stripe-client.ts';
import type { Shop } from '../../shop/shop.ts';
import { readFacts, type TroubleFacts } from './facts.ts';
import { retryMail } from './failed-mail.ts';

/** Troubles that are not reported by mail, because that message would wait, too. */
export const unmailable = ['waiting mail', 'outage of mail'];

export function mountHealth(calls: Calls, { config, database }: Shop): void {
  const startedAt = Date.now();
  route(calls, contract.getHealth, async () => {
    const facts = await readFacts(database);
    const troubles = findTroubles(facts, config, startedAt);
    return {
      troubles,
      untried: findUntried(facts, config),
      facts,
      startedAt: new Date(startedAt).toISOString(),
    };
  });
  route(calls, contract.retryMail, async ({ viewer }) => ({
    modifiedCount: await retryMail(database, toActor(viewer)),
  }));
}

type Place = Pick<Config, 'mode' | 'timeZone' | 'contactEmail'>;

/** Services that have never been used, so the shop does not know whether they work. */
export const findUntried = (
  { mail, payments }: Pick<TroubleFacts, 'mail' | 'payments'>,
  { sendsMail, settingsWithoutMail }: Pick<Config, 'sendsMail' | 'settingsWithoutMail'>,
): string[] => [
  ...(sendsMail
    ? mail.lastSentAt
      ? []
      : ['No message has been sent yet.']
    : [describeMissingMail(settingsWithoutMail)]),
  ...(payments.lastPaidAt ? [] : ['No order has been paid yet.']),
];

/** The effects of a missing SMTP_URL. `settings` are the settings that have no effect without it. */
export function describeMissingMail(settings: readonly string[]): string {
  const also =
    settings.length > 0
      ? `, and ${settings.join(' and ')} ${settings.length > 1 ? 'have' : 'has'} no effect`
      : '';
  return `The shop sends no mail, because SMTP_URL is not set: customers get no receipts${also}.`;
}

/**
 * Lists the troubles, the most urgent first, with advice for a shopkeeper. `startedAt` is when this server started; commands leave
 * it out.
 */
export const findTroubles = (facts: TroubleFacts, config: Place, startedAt?: number): Trouble[] =>
  findNamedTroubles(facts, config, startedAt).map(({ trouble }) => trouble);

/** `name` stays the same while a trouble lasts. `latest` changes when the trouble happens again. */
export type NamedTrouble = { name: string; latest: string | null; trouble: Trouble };
type Check = Trouble & { name: string; latest?: string | null | undefined; found: boolean };

export function findNamedTroubles(
  facts: TroubleFacts,
  { mode, timeZone, contactEmail }: Place,
  startedAt?: number,
): NamedTrouble[] {
  const sandbox = mode === 'sandbox';
  const { payments, orderRefunds, disputes, periodicWork, webhook, holds, mail, contact, errors } = facts;
  const { lastBackupAt, readAt } = facts;
  const { owed, paidTwice } = orderRefunds;
  const { unanswered, refundsDue, refundsFailed, unknown } = payments;
  const provider = sandbox ? 'the stand-in for Stripe' : 'Stripe';
  const ago = (time: string | null) => (time === null ? '' : `${formatAge(time, readAt)} ago`);
  const lastWebhook = webhook.lastOfPaymentAt
    ? `The last webhook about a payment came ${ago(webhook.lastOfPaymentAt)}.`
    : 'No webhook about a payment has ever come.';
  const outages = facts.outages.map((outage) => describeOutage(outage, { sandbox, timeZone }));
  const isFailing = (service: Service) => facts.outages.some((outage) => outage.service === service);
  const checks: Check[] = [
    ...outages,
    {
      name: 'periodic work',
      found: isWorkOverdue(facts, startedAt),
      what: `The periodic work, due every two minutes, ${periodicWork.lastFinishedAt ? `last succeeded ${ago(periodicWork.lastFinishedAt)}` : 'has never succeeded'}. Until it does, payments may not be checked, and unpaid orders may keep their stock.`,
      advice:
        'Restart the shop. If the problem remains, look for “periodic work” in the log: it names the step that fails.',
    },
    {
      name: 'webhook',
      found: isWebhookMissing(facts),
      what: `No webhook came from ${provider} for the last payment, ${ago(payments.lastPaidAt)}. ${lastWebhook} Orders are still marked as paid, but late.`,
      advice: sandbox
        ? 'Restart the shop: the stand-in runs in the same process.'
        : 'Check at Stripe, under Developers and Webhooks, whether its events reach this shop. `npm run doctor` helps.',
    },
    {
      name: 'unanswered payments',
      found: unanswered > 0 && !isFailing('payments'),
      what: `${formatCappedCount(unanswered, 'payment')} got no response from ${provider}: these customers cannot pay.`,
      advice: `The shop tries again every two minutes. If the problem remains, ${sandbox ? 'restart it' : 'see status.stripe.com and run `npm run doctor`'}.`,
    },
    {
      name: 'refunds due',
      found: refundsDue > 0,
      what: `${formatCappedCount(refundsDue, 'payment')} came without an order to pay, and must be refunded.`,
      advice: `The shop retries every two minutes. If the problem remains for an hour, refund the payment at ${provider} yourself: the log names it, under “refund”.`,
    },
    {
      name: 'failed refunds of payments',
      found: refundsFailed > 0,
      what: `${formatCappedCount(refundsFailed, 'refund')} failed: the customer has not received the money.`,
      advice: `The log names the payment, under “refund”, and ${provider} shows why it failed. Try again there, or repay the customer another way; only a refund there clears this problem.`,
    },
    {
      name: 'unsent refunds',
      found: orderRefunds.unsent > 0,
      what: `${formatCappedCount(orderRefunds.unsent, 'refund')} could not be requested from ${provider}.`,
      advice: `The shop retries every two minutes, and the customer gets the money once it succeeds. Do not refund it a second time.${sandbox ? '' : ' If the log says “restore the key”, STRIPE_SECRET_KEY belongs to another account than the payment: the log names both.'}`,
    },
    {
      name: 'failed refunds',
      latest: owed.map(describeOwed).join(' '),
      found: owed.length > 0,
      what: `A refund failed, so the customer has not received the money: ${owed.map(describeOwed).join(', ')}.`,
      advice:
        'Open the order to see why. Refund it again there, or pay the customer back another way and record that.',
      orders: owed.map(({ number }) => number),
    },
    {
      name: 'refunds paid twice',
      latest: paidTwice.map(({ number }) => number).join(' '),
      found: paidTwice.length > 0,
      what: `An admin recorded a refund as paid back another way, but ${provider} then made it after all. The customer may have been paid twice: ${paidTwice.map(describePrice).join(', ')}.`,
      advice:
        'Check whether both payments left your account. If so, ask the customer to return one, and record what you agree in the order’s internal notes. After a week, this leaves Health, but stays in the order’s history.',
      orders: paidTwice.map(({ number }) => number),
    },
    ...disputes.map((dispute) => ({
      name: `dispute of ${dispute.number ?? 'a deleted order'}`,
      found: true,
      ...describeDispute(dispute, timeZone),
    })),
    {
      name: 'unknown payments',
      latest: payments.lastUnknownAt,
      // All Orders lists unknown payments until they are settled. Health reports them for a week.
      found: payments.lastUnknownAt !== null && age(payments.lastUnknownAt, readAt) <= 7 * dayMs,
      what: `${formatCappedCount(unknown, 'payment')} came for orders that are not in this shop, the last one ${ago(payments.lastUnknownAt)}. Perhaps the shop was restored from a backup.`,
      advice: 'They are listed above All Orders: for each, pay its order with it, refund it, or dismiss it.',
    },
    {
      name: 'late payments',
      latest: payments.late.join(' '),
      found: payments.late.length > 0,
      what: `A payment was found after its order had expired and its stock was gone: ${payments.late.join(', ')}. The customer had paid in time.`,
      advice: 'Open the order, and accept the payment once you have the pieces, or refund it.',
      orders: payments.late,
    },
    {
      name: 'overdue holds',
      found: holds.overdue > 0,
      what: `${formatCappedCount(holds.overdue, 'unpaid order')} should have released the stock, but could not.`,
      advice: `The shop first cancels the payment at ${provider}, and tries every two minutes. An order whose payment is being processed waits for it.`,
    },
    {
      name: 'waiting mail',
      found:
        !isFailing('mail') &&
        mail.oldestWaitingAt !== null &&
        age(mail.oldestWaitingAt, readAt) >= 15 * minuteMs,
      what: `${formatCappedCount(mail.waiting, 'message')} could not be sent yet, the oldest added ${ago(mail.oldestWaitingAt)}.`,
      advice:
        'The shop tries again for three days. `npm run doctor` shows whether the mail server accepts the connection and the password.',
    },
    {
      name: 'rejected mail',
      latest: mail.failed[0]?.failedAt,
      found: mail.failedCount > 0,
      // Admins also get this text by mail, which must not contain a customer's address.
      what: `${formatCappedCount(mail.failedCount, 'message')} could not be sent.`,
      advice:
        'The Mail section of the Health page shows the recipients and the mail server’s responses. Usually the address does not exist: contact the customer another way. Otherwise fix the cause, then send the messages again there.',
    },
    {
      name: 'contact form',
      // Without an address there is no form.
      found: contact.isFull && contactEmail !== undefined,
      what: 'The contact form accepts no more messages: 10,000 are unanswered.',
      advice:
        'Mark messages as answered under Messages. If strangers send too many, remove CONTACT_EMAIL until they stop.',
    },
    {
      name: 'backup',
      found: !sandbox && isBackupMissing(facts),
      what: lastBackupAt
        ? `The last backup was made ${ago(lastBackupAt)}.`
        : 'Orders have been paid, and no backup was ever made.',
      advice:
        '`npm run backup -- FILE` makes one while the shop runs. Schedule one every night, and if it fails, find out why: docs/operations.md.',
    },
    {
      name: 'errors',
      latest: errors.lastAt,
      found: errors.lastAt !== null,
      what: `${formatQuantity(errors.count, 'error')} in the last day, most recently ${ago(errors.lastAt)}.`,
      advice: 'See the errors below. To find one in the log, search for its request id.',
    },
  ];
  return checks
    .filter(({ found }) => found)
    .map(({ name, latest = null, found: _, ...trouble }) => ({ name, latest, trouble }));
}

type OutagePlace = { sandbox: boolean; timeZone: string };

function describeOutage(
  { service, since, problem }: Facts['outages'][number],
  { sandbox, timeZone }: OutagePlace,
): Check {
  const at = formatTime(Date.parse(since), timeZone);
  const outage = { name: `outage of ${service}`, latest: since, found: true };
  if (service === 'mail') {
    const { finding, advice } = getOr(serverProblems, problem, 'silent');
    return {
      ...outage,
      what: `Mail has not left since ${at}: the server ${finding}.`,
      advice: `${advice} \`npm run doctor\` tests the connection. Unsent messages wait, and the shop tries again for three days.`,
    };
  }
  const { finding, advice } = getOr(providerProblems, problem, 'silent');
  const provider = sandbox ? 'the stand-in for Stripe' : 'Stripe';
  return {
    ...outage,
    what:
      service === 'payments'
        ? `Customers cannot pay since ${at}: ${provider} ${finding}.`
        : `Customers may have been unable to pay since ${at}: ${provider} ${finding}, and no payment has been started since.`,
    advice: `${sandbox ? 'Restart the shop: the stand-in runs in the same process.' : `${advice} \`npm run doctor\` tests the keys.`} Unpaid orders can still be paid until their stock is released.`,
  };
}

/** After an upgrade, another process may have recorded a problem that this one does not know. */
const getOr = <Key extends string, Value>(table: Record<Key, Value>, key: string, fallback: Key): Value =>
  new Map<string, Value>(Object.entries(table)).get(key) ?? table[fallback];

function describeDispute(dispute: Facts['disputes'][number], timeZone: string): Trouble {
  const { number, amount, currency, reason, status, respondBy } = dispute;
  const price = formatAmount(amount, currency);
  const what = `The customer has disputed the payment of ${price} for ${number ?? 'a deleted order'}. ${describeDisputeReason(reason)}`;
  const orders = number ? { orders: [number] } : {};
  if (!status.endsWith('needs_response'))
    return { what, advice: 'Evidence has been submitted. Wait for the bank’s decision.', ...orders };
  const deadline = respondBy ? ` by ${formatTime(Date.parse(respondBy), timeZone)}` : '';
  return {
    what,
    advice: `Respond in Stripe’s dashboard${deadline}, or accept the dispute there. Without a response, the money is lost.`,
    ...orders,
  };
}

const formatAmount = (amount: number, currency: string): string =>
  createMoney({ currency: undefined, chargedCurrency: currency }).charged(amount, currency);

type OrderAmount = TroubleFacts['orderRefunds']['owed'][number];

const describePrice = ({ number, amount, currency }: OrderAmount): string =>
  `${formatAmount(amount, currency)} for order ${number}`;

const describeOwed = ({ number, amount, currency }: OrderAmount): string =>
  `${formatAmount(amount, currency)} still owed for ${number}`;

function isWorkOverdue({ periodicWork, readAt }: TroubleFacts, startedAt: number | undefined): boolean {
  const { lastFinishedAt, underWay } = periodicWork;
  // Counts from the start of the server at the earliest, because a new server has not had time for the work.
  const since = lastFinishedAt === null ? startedAt : Math.max(Date.parse(lastFinishedAt), startedAt ?? 0);
  return since !== undefined && Date.parse(readAt) - since >= (underWay ? 12 * hourMs : 15 * minuteMs);
}

/** Stripe sends a webhook within seconds of each successful payment. */
function isWebhookMissing({ payments, webhook, readAt }: TroubleFacts): boolean {
  const { lastPaidAt } = payments;
  const { lastOfPaymentAt } = webhook;
  if (lastPaidAt === null || age(lastPaidAt, readAt) < 15 * minuteMs) return false;
  return lastOfPaymentAt === null || age(lastOfPaymentAt, lastPaidAt) >= 15 * minuteMs;
}

/** The shop does not know about the backups of a PostgreSQL server. */
function isBackupMissing({ lastBackupAt, payments, database, readAt }: TroubleFacts): boolean {
  if (lastBackupAt === null) return database.engine === 'sqlite' && payments.lastPaidAt !== null;
  return age(lastBackupAt, readAt) >= 2 * dayMs;
}

const age = (from: string, to: string): number => Date.parse(to) - Date.parse(from);
