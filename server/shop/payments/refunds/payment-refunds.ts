import { uuidv7 } from 'uuidv7';
import type { RefundStatus } from '../../../../contract/orders/refunds.ts';
import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { queueOrderRefunded, queueRefundFailed } from '../../mail/queue.ts';
import { lockPurchase } from '../../orders/queries.ts';
import { type AutomaticRefundRow, listAutomaticRefunds } from '../../orders/refund-rows.ts';
import type { Shop } from '../../shop.ts';
import type { PaymentRow } from '../settle.ts';
import type { PaymentRefund } from './refund-calls.ts';

/*
 * A payment that did not count towards its purchase is refunded in full. Its refund is one row without lines, which stands for
 * everything that the provider has refunded of this payment. It changes neither the purchase nor the orders.
 */

/**
 * Records that a payment, which the transaction has made `refund_due`, is to be refunded; `amount` is what was charged, in minor
 * units. `actor` is the admin who decided so; absent if the shop did.
 */
export async function addAutomaticRefund(
  tx: Tx,
  {
    id: payment_id,
    purchase_id,
    amount,
    currency,
  }: Pick<PaymentRow, 'id' | 'purchase_id' | 'amount' | 'currency'>,
  actor?: SessionUser,
): Promise<void> {
  const now = Date.now();
  await tx
    .insertInto('refund')
    .values({
      id: uuidv7(),
      payment_id,
      purchase_id,
      amount,
      currency,
      reason: 'automatic',
      note: '',
      status: 'pending',
      failure: '',
      actor_id: actor?.id ?? null,
      actor: actor?.email ?? '',
      created_at: now,
      updated_at: now,
    })
    .execute();
}

/**
 * Refunds a `refund_due` payment or records the status of its refund, which can fail even after it has succeeded. Idempotent. A
 * failed refund is not retried: the card does not accept the money, so it is left to a person, and Health shows it.
 */
export async function refundPayment(
  shop: Shop,
  { id, intent }: Pick<PaymentRow, 'id' | 'intent'>,
): Promise<void> {
  if (!intent) return;
  // If another call has changed the row in the meantime, fetch again: an older status must not replace a newer one.
  for (let attempt = 0; attempt < 3; attempt++) {
    const [refund] = await listAutomaticRefunds(shop.database.db, 'payment_id', [id]);
    if (!refund) return;
    const reported = await (refund.provider_id === null
      ? shop.provider.refundRemainder(intent)
      : shop.provider.getPaymentRefund(intent));
    const isKnown = reported.providerId === refund.provider_id && reported.status === refund.status;
    if (isKnown) return;
    if (!(await recordStatus(shop, refund, reported))) continue;
    reportRefund(shop, intent, reported.status);
    return;
  }
}

/** Returns false, and changes nothing, if the refund has changed since it was read. */
function recordStatus(
  shop: Shop,
  { id, payment_id, purchase_id, provider_id, status: before }: AutomaticRefundRow,
  { providerId, status, failure }: PaymentRefund,
): Promise<boolean> {
  const { database } = shop;
  return database.transaction(async (tx) => {
    // The deletion of an account relies on this lock, too: no message about a purchase is added meanwhile.
    await lockPurchase(tx, database.engine, purchase_id);
    const { numUpdatedRows } = await tx
      .updateTable('refund')
      .set({ provider_id: providerId, status, failure, updated_at: Date.now() })
      .where('id', '=', id)
      .where('status', '=', before)
      .where('provider_id', provider_id === null ? 'is' : '=', provider_id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await tx
      .updateTable('payment')
      .set({ state: status === 'succeeded' ? 'refunded' : 'refund_due' })
      .where('id', '=', payment_id)
      .execute();
    if (status === before || (status !== 'succeeded' && before !== 'succeeded')) return true;
    // The purchase may have been deleted.
    const purchase = await tx
      .selectFrom('purchase')
      .select('user_id as userId')
      .where('id', '=', purchase_id)
      .executeTakeFirst();
    const queue = status === 'succeeded' ? queueOrderRefunded : queueRefundFailed;
    if (purchase && status !== 'pending') await queue(shop, tx, { id, userId: purchase.userId });
    return true;
  });
}

function reportRefund(shop: Shop, intent: string, status: RefundStatus): void {
  if (status === 'pending') shop.log.info({ intent }, 'the refund of a payment is pending');
  else if (status === 'succeeded') {
    shop.countEvent('payment refunded');
    shop.log.info({ intent }, 'a payment was refunded');
  } else {
    shop.countEvent('payment refund failed');
    // Only a warning: Health reports the refund, and would count a logged error as another problem.
    shop.log.warn({ intent, status }, 'the refund of a payment failed: pay the customer back another way');
  }
}
