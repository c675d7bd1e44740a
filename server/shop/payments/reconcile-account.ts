import { formatPrice } from '../../config/currency.ts';
import type { Actor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { addLostPayment } from './lost-payments.ts';
import type { Intent } from './provider.ts';
import { findUnsyncedPurchases } from './refunds/reconcile-refunds.ts';
import { syncRefunds } from './refunds/sync.ts';
import { findPaymentByIntent, type PaymentRow, settlePayment } from './settle.ts';
import { isOutage } from './stripe-client.ts';
import { recordUnknownPayment } from './unknown-payments.ts';

/** A payment or refund that is missing or different here. */
type Difference = {
  what: string;
  intent: string;
  purchaseId: string;
  /** Brings the database into line with the provider. Returns the result; undefined if only an admin can do that. */
  apply: () => Promise<string | undefined>;
};

/** Refunds per query. */
const batchSize = 500;

/**
 * For use after a restore, or after a failover that lost commits. Compares this shop's payments and refunds on the provider's
 * account, since `since` (milliseconds), with the database, and reports each one that is missing or different here. With `apply`,
 * settles and syncs them. A payment without an order to pay is left to an admin if it is missing here; otherwise it is refunded, as
 * always. Idempotent, and safe while the shop runs.
 *
 * Returns the number of differences, and how many of them were not applied. Throws 503 if the provider is unreachable. Throws any
 * other error only after all other differences have been applied.
 */
export async function reconcileAccount(
  shop: Shop,
  options: { since: number; apply: boolean; actor: Actor; report: (line: string) => void },
): Promise<{ found: number; left: number }> {
  const { since, apply, actor, report } = options;
  const counts = { found: 0, left: 0 };
  let failure: unknown;
  async function handle({ what, intent, purchaseId, apply: run }: Difference): Promise<void> {
    counts.found += 1;
    let result: string | undefined;
    try {
      result = apply ? await run() : undefined;
    } catch (error) {
      if (isOutage(error)) throw error;
      failure ??= error;
      return report(`${what}: not applied, because of an error`);
    }
    if (result)
      await shop.database.transaction((tx) =>
        writeAudit(tx, {
          ...actor,
          action: 'reconcile',
          target: purchaseId,
          name: intent,
          changes: { payment: [what, result] },
        }),
      );
    if (!result) counts.left += 1;
    report(apply ? `${what}: ${result ?? 'left to an admin, under All Orders'}` : what);
  }

  const intents = await shop.provider.listPaidIntents(shop.id, since);
  const listRefunds = () => shop.provider.listRefundsSince(since);
  const refunded = new Set((await listRefunds()).map(({ payment_intent }) => payment_intent));
  const unsettled = new Set<string>();
  // An order is paid by its first successful payment, so payments that have not been refunded come first.
  for (const intent of [
    ...intents.filter(({ id }) => !refunded.has(id)),
    ...intents.filter(({ id }) => refunded.has(id)),
  ]) {
    const difference = await findPaymentDifference(shop, intent);
    if (!difference) continue;
    await handle(difference);
    if (!isSettled(await findPaymentByIntent(shop.database.db, intent.id))) unsettled.add(intent.id);
  }

  // List the refunds again: some may be new.
  const refunds = await listRefunds();
  // Report the refunds of payments that could not be applied above.
  for (const { id, payment_intent, amount, currency } of refunds)
    if (unsettled.has(payment_intent ?? ''))
      await handle({
        what: `refund ${id} of ${format(shop, amount, currency)}, of payment ${payment_intent}, is missing here`,
        intent: payment_intent ?? '',
        purchaseId: '',
        apply: async () => undefined,
      });
  for (let index = 0; index < refunds.length; index += batchSize)
    for (const purchase of await findUnsyncedPurchases(shop, refunds.slice(index, index + batchSize)))
      await handle({
        what: `the refunds of payment ${purchase.intent}, order ${purchase.purchaseId}, differ here`,
        intent: purchase.intent,
        purchaseId: purchase.purchaseId,
        async apply() {
          await syncRefunds(shop, purchase);
          return 'applied';
        },
      });
  if (failure) throw failure;
  return counts;
}

/** Whether a payment's success has been recorded: its orders are paid, or it is being refunded. */
const isSettled = (payment: PaymentRow | undefined) =>
  payment !== undefined && payment.state !== 'open' && payment.state !== 'cancelled';

async function findPaymentDifference(shop: Shop, intent: Intent): Promise<Difference | undefined> {
  const { db } = shop.database;
  const payment = await findPaymentByIntent(db, intent.id);
  if (isSettled(payment)) return undefined;
  const order = intent.metadata.order ?? '';
  const label = `payment ${intent.id} of ${format(shop, intent.amount_received, intent.currency)}, order ${order}`;
  return {
    what: payment ? `${label}, is ${payment.state} here` : `${label}, is missing here`,
    intent: intent.id,
    purchaseId: order,
    async apply() {
      const found = payment ?? (await addLostPayment(shop, order, intent));
      if (!found) {
        await recordUnknownPayment(shop, intent);
        return undefined;
      }
      await settlePayment(shop, found, await shop.provider.getIntent(intent.id));
      const settled = await findPaymentByIntent(db, intent.id);
      if (settled?.state === 'paid') return 'applied';
      return settled?.state === 'undecided'
        ? undefined
        : 'being refunded, because no unpaid order has this amount';
    },
  };
}

const format = (shop: Shop, amount: number, currency: string) =>
  formatPrice(shop, amount, currency.toUpperCase());
