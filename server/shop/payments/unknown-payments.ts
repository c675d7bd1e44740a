import { sql } from 'kysely';
import type { z } from 'zod';
import { contract } from '../../../contract/contract.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import type { unknownOutcome } from '../../../contract/orders/unknown-payments.ts';
import { formatPrice, toWire } from '../../config/currency.ts';
import type { Db } from '../../database/schema.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { listLatePayments } from './late-payments.ts';
import { addLostPayment } from './lost-payments.ts';
import type { Intent } from './provider.ts';
import { readRestoredBackup } from './restored-backup.ts';
import { findPaymentByIntent, type PaymentRow, settlePayment } from './settle.ts';

/** How long after a restore All Orders says that parcels may be missing. */
const shownForMs = 14 * 24 * 60 * 60_000;

export function mountUnknownPayments(calls: Calls, shop: Shop): void {
  route(calls, contract.listUnknownPayments, async ({ query }) => {
    const { db } = shop.database;
    const unknown = await selectUnknownPayments(db)
      .selectAll()
      // Always true: makes the engine choose the partial index.
      .where('intent', '>', '')
      .execute();
    const late = await listLatePayments(db);
    // Sort the payments, which are never many, here: each engine compares ids in its own way.
    const payments = [
      ...unknown.map((row) => ({ ...row, seenAt: row.seen_at, late: false })),
      ...late.map((row) => ({ ...row, seenAt: row.created_at, late: true })),
    ]
      .toSorted(
        (one, other) => other.seenAt - one.seenAt || (one.intent ?? '').localeCompare(other.intent ?? ''),
      )
      .map((row) => ({
        _id: row.intent ?? '',
        price: toWire(row.amount, row.currency),
        currency: row.currency,
        order: row.purchase_id,
        ...(row.number === '' ? {} : { number: row.number }),
        late: row.late,
        seenAt: new Date(row.seenAt).toISOString(),
      }));
    // If the last payment of the previous page has been settled since, the list starts again.
    const start = payments.findIndex(({ _id }) => _id === query.after) + 1;
    return payments.slice(start, start + toSqlLimit(query));
  });

  route(calls, contract.getRestoredBackup, async () => {
    const backup = await readRestoredBackup(shop.database.db);
    const isRecent = backup && backup.restored > Date.now() - shownForMs;
    return isRecent ? { madeAt: new Date(backup.made).toISOString() } : {};
  });

  route(calls, contract.settleUnknownPayment, async ({ viewer, params, body }) => {
    await settleUnknownPayment(shop, viewer, params.id, body);
    return { modifiedCount: 1 };
  });
}

/** The unknown payments that no admin has settled, without those that a reconciliation has added to `payment` since. */
export const selectUnknownPayments = (db: Db) =>
  db
    .selectFrom('unknown_payment')
    // A literal, to match the condition of the partial index.
    .where('outcome', '=', sql.lit(''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payment')
            .select('payment.id')
            .whereRef('payment.intent', '=', 'unknown_payment.intent'),
        ),
      ),
    );

/** Records a payment that has our shop's id but is missing here, for example after a restore, for an admin to settle. */
export async function recordUnknownPayment(
  shop: Shop,
  intent: Pick<Intent, 'id' | 'amount_received' | 'currency'> & {
    metadata: { order?: string; number?: string };
  },
): Promise<void> {
  const { order = '', number = '' } = intent.metadata;
  await shop.database.db
    .insertInto('unknown_payment')
    .values({
      intent: intent.id,
      amount: intent.amount_received,
      currency: intent.currency.toUpperCase(),
      purchase_id: order,
      number,
      outcome: '',
      seen_at: Date.now(),
    })
    .onConflict((conflict) => conflict.column('intent').doNothing())
    .execute();
  shop.log.error({ intent: intent.id }, 'a payment with our id is missing here: settle it in All Orders');
}

/**
 * Settles a payment that is missing here: pays the order with it, refunds the whole payment at the provider, or only dismisses it.
 * Throws 404 if there is no such payment; 409 if it is settled, if no order waits for its amount, or if the order could not take it
 * after all; 402 if the provider refuses; 503 if the provider is unreachable.
 */
async function settleUnknownPayment(
  shop: Shop,
  actor: SessionUser,
  intentId: string,
  { outcome, note }: z.output<typeof unknownOutcome>,
): Promise<void> {
  const { database } = shop;
  const unknown = await selectUnknownPayments(database.db)
    .selectAll()
    .where('intent', '=', intentId)
    .executeTakeFirst();
  if (!unknown) {
    const known = database.db.selectFrom('unknown_payment').select('intent').where('intent', '=', intentId);
    throw (await known.executeTakeFirst()) ? settledMeanwhile() : notFound('payment');
  }
  const isPaying = outcome === 'paid';
  const state = isPaying
    ? await payOrder(shop, unknown.purchase_id, await shop.provider.getIntent(intentId))
    : undefined;
  if (state === 'undecided') throw new ShopError('conflict', foundLate);
  if (outcome === 'refunded') await refundAll(shop, intentId);
  const isRefunded = isPaying && state !== 'paid';
  const result = isRefunded ? 'refunded' : outcome;
  await database.transaction(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('unknown_payment')
      .set({ outcome: result })
      .where('intent', '=', intentId)
      .where('outcome', '=', '')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw settledMeanwhile();
    const { amount, currency } = unknown;
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'settlePayment',
      target: unknown.purchase_id || intentId,
      name: intentId,
      changes: {
        outcome: [formatPrice(shop, amount, currency), result],
        ...(note ? { note: ['', note] } : {}),
      },
    });
  });
  if (isRefunded) throw new ShopError('conflict', notTaken);
}

const foundLate =
  'The order has expired, and not all of its tools are in stock. Open the order to accept or refund the payment.';
const notTaken = 'The order cannot take this payment any more, so it is being refunded.';

const settledMeanwhile = () => new ShopError('conflict', 'Another admin has settled this payment.');

/** Returns the payment's new state. It is not `paid` if the order was paid meanwhile, or has expired and lacks stock. */
async function payOrder(
  shop: Shop,
  purchaseId: string,
  intent: Intent,
): Promise<PaymentRow['state'] | undefined> {
  const isOurs = intent.status === 'succeeded' && intent.metadata.shop === shop.id;
  const payment = isOurs ? await addLostPayment(shop, purchaseId, intent) : undefined;
  if (!payment) {
    const detail = 'No unpaid order waits for exactly this amount: refund the payment, or dismiss it.';
    throw new ShopError('conflict', detail);
  }
  await settlePayment(shop, payment, intent);
  return (await findPaymentByIntent(shop.database.db, intent.id))?.state;
}

async function refundAll(shop: Shop, intentId: string): Promise<void> {
  const { status } = await shop.provider.refundRemainder(intentId);
  if (status === 'failed' || status === 'canceled')
    throw new ShopError(
      'provider_refused',
      'The payment provider could not refund it. Pay it back another way, then dismiss it.',
    );
}
