import type Stripe from 'stripe';
import type { Db } from '../../database/schema.ts';
import { isNotAutomatic } from '../orders/refund-rows.ts';

/** How many of the newest payments are compared. */
const maxPayments = 1000;
/** How many refunds and disputes since the oldest of these payments are read: the most that Stripe's client returns at once. */
const maxLater = 10_000;
/** How far the two clocks may differ. */
const maxSkewMs = 60 * 60_000;

/** Amounts in minor units, by payment intent. */
type Balances = Map<string, number>;

/**
 * Compares the newest payments of the provider's account with the payments here. Each must have the same balance: received −
 * refunded − disputed. Returns how many of the payments belong to this shop, and the intents of the payments that differ. These
 * may include payments that change during the comparison. Throws Stripe's errors.
 */
export async function compareBalances(
  db: Db,
  shopId: string,
  stripe: Stripe,
): Promise<{ payments: number; different: string[] }> {
  const intents = await stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: maxPayments });
  // If the account has fewer payments, compare everything.
  const since = intents.length < maxPayments ? 0 : (intents.at(-1)?.created ?? 0);
  const theirs: Balances = new Map(
    intents
      .filter(({ status, metadata }) => status === 'succeeded' && metadata.shop === shopId)
      .map(({ id, amount_received }) => [id, amount_received]),
  );
  const later = { created: { gte: since }, limit: 100 };
  const refunds = await stripe.refunds.list(later).autoPagingToArray({ limit: maxLater });
  const disputes = await stripe.disputes.list(later).autoPagingToArray({ limit: maxLater });
  for (const { payment_intent, amount, status } of refunds)
    if (status !== 'failed' && status !== 'canceled') subtract(theirs, payment_intent, amount);
  for (const { payment_intent, amount, status } of disputes)
    if (isWithdrawn(status)) subtract(theirs, payment_intent, amount);
  const { balances: ours, due } = await readBalances(db, [...theirs.keys()], since * 1000);
  const all = new Set([...theirs.keys(), ...ours.keys()]);
  const differs = (intent: string) => (theirs.get(intent) ?? 0) !== (ours.get(intent) ?? 0);
  return {
    payments: theirs.size,
    different: [...all].filter((intent) => differs(intent) && !due.has(intent)),
  };
}

function subtract(balances: Balances, intent: unknown, amount: number): void {
  const balance = typeof intent === 'string' ? balances.get(intent) : undefined;
  if (typeof intent === 'string' && balance !== undefined) balances.set(intent, balance - amount);
}

/** Whether the bank has taken the money back: https://docs.stripe.com/disputes/how-disputes-work */
function isWithdrawn(status: string): boolean {
  return status !== 'won' && status !== 'prevented' && !status.startsWith('warning_');
}

/** Reads the balances of `intents` and of all payments since `since`. `due` has the payments that await a refund or a decision. */
async function readBalances(
  db: Db,
  intents: string[],
  since: number,
): Promise<{ balances: Balances; due: Set<string> }> {
  const payments = await db
    .selectFrom('payment')
    .select(['intent', 'amount', 'state'])
    .where('state', 'in', ['paid', 'refunded', 'refund_due', 'undecided'])
    .where((eb) =>
      eb.or([
        eb('created_at', '>=', since === 0 ? 0 : since + maxSkewMs),
        eb('intent', 'in', [...intents, '']),
      ]),
    )
    .execute();
  // Refunds and disputes are later than their payments. `subtract` ignores them if they belong to other payments.
  const refunds = await db
    .selectFrom('refund')
    .innerJoin('payment', 'payment.id', 'refund.payment_id')
    .select(['payment.intent', 'refund.amount'])
    .where('refund.status', 'in', ['pending', 'succeeded'])
    .where('refund.provider_id', 'is not', null)
    // A payment that did not count towards its purchase has no balance.
    .where(isNotAutomatic)
    .where('refund.created_at', '>=', since - maxSkewMs)
    .execute();
  const disputes = await db
    .selectFrom('dispute')
    .select(['intent', 'amount', 'status'])
    .where('created_at', '>=', since - maxSkewMs)
    .execute();
  const balances: Balances = new Map(
    payments.map(({ intent, amount, state }) => [intent ?? '', state === 'paid' ? amount : 0]),
  );
  for (const { intent, amount } of refunds) subtract(balances, intent, amount);
  for (const { intent, amount, status } of disputes)
    if (isWithdrawn(status)) subtract(balances, intent, amount);
  const due = payments
    .filter(({ state }) => state === 'refund_due' || state === 'undecided')
    .map(({ intent }) => intent ?? '');
  return { balances, due: new Set(due) };
}
