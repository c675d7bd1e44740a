import type Stripe from 'stripe';
import { formatAmount } from './amounts.ts';
import { type CallContext, nowInSeconds, type StripeCall } from './call.ts';
import { rejectDisputed } from './disputes.ts';
import { invalidRequest, missingParam, type StripeResponse } from './errors.ts';
import { pendingDelayMs, recordEvent, schedule, unschedule } from './events.ts';
import { findInteger, findText, params, readMetadata } from './form.ts';
import { getObject, insertObject, listObjects, replaceObject, type StoredObject } from './objects.ts';
import { getMethod } from './payment-methods.ts';
import { newId, type StripeDatabase } from './tables.ts';

export const refundCalls: StripeCall[] = [
  {
    name: 'POST /v1/refunds',
    params: { ...params('amount payment_intent reason'), metadata: { '*': true } },
    handle: createRefund,
  },
  {
    name: 'GET /v1/refunds',
    params: { ...params('payment_intent limit starting_after'), created: params('gte') },
    handle: async ({ db, form }) => {
      const intent = findText(form, 'payment_intent');
      if (intent !== undefined) await getObject(db, 'payment_intent', intent, 'payment_intent');
      return { status: 200, body: await listObjects(db, 'refund', form, '/v1/refunds', intent) };
    },
  },
  {
    name: 'GET /v1/refunds/:id',
    params: {},
    handle: async ({ db, id }) => ({ status: 200, body: (await getObject(db, 'refund', id)).object }),
  },
  {
    name: 'POST /v1/refunds/:id/cancel',
    params: {},
    handle: cancelRefund,
  },
];

const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;

/** Refunds `amount`, by default the rest of the charge. Concurrent refunds never exceed the paid amount. */
async function createRefund(context: CallContext) {
  const { db, form } = context;
  const reasonParam = findText(form, 'reason');
  const reason = reasons.find((value) => value === reasonParam) ?? null;
  if (reasonParam && !reason) throw invalidRequest('Invalid reason', { param: 'reason' });
  const stored = await getChargeOfIntent(context);
  const { object: charge } = stored;
  await rejectDisputed(db, charge);
  const remaining = charge.amount_captured - (await sumRefunds(db, charge, ['pending', 'succeeded']));
  if (remaining === 0) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
      charge: charge.id,
    });
  }
  const amount = findInteger(form, 'amount') ?? remaining;
  if (amount < 1) {
    const message = 'This value must be greater than or equal to 1.';
    throw invalidRequest(message, { code: 'parameter_invalid_integer', param: 'amount' });
  }
  if (amount > remaining) {
    // Stripe sends no code for this error.
    const [requested, available] = [amount, remaining].map((money) => formatAmount(money, charge.currency));
    throw invalidRequest(
      `Refund amount (${requested}) is greater than unrefunded amount on charge (${available})`,
      {
        param: 'amount',
      },
    );
  }
  const { behaviour } = await getMethod(context, String(charge.payment_method));
  const refund: Stripe.Refund = {
    id: newId('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: nowInSeconds(),
    currency: charge.currency,
    customer: null,
    customer_account: null,
    metadata: readMetadata(form),
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: behaviour.refundLater === 'succeeds' ? 'pending' : 'succeeded',
    transfer_reversal: null,
  };
  await insertObject(db, 'refund', refund, { belongs_to: String(charge.payment_intent) });
  await recordEvent(context, 'refund.created', refund);
  await updateCharge(context, stored, refund);
  if (behaviour.refundLater) await schedule(db, refund.id, pendingDelayMs);
  return { status: 200, body: refund };
}

/** Applies the bank's later result: a pending refund succeeds, and a succeeded one fails. */
export async function finishRefund(context: CallContext): Promise<void> {
  const stored = await getObject(context.db, 'refund', context.id);
  const isPending = stored.object.status === 'pending';
  const refund: Stripe.Refund = {
    ...stored.object,
    status: isPending ? 'succeeded' : 'failed',
    ...(isPending ? {} : { failure_reason: 'expired_or_canceled_card' }),
  };
  await replaceObject(context.db, stored, refund);
  await recordEvent(context, 'refund.updated', refund);
  if (refund.status === 'failed') await recordEvent(context, 'refund.failed', refund);
  await updateCharge(context, await getObject(context.db, 'charge', String(refund.charge)), refund);
}

/**
 * Stripe cancels a refund only if it requires the customer's action. Refunds to a card never do, so cancelled refunds could not be
 * tried out. The stand-in therefore cancels pending refunds, too.
 */
async function cancelRefund(context: CallContext): Promise<StripeResponse> {
  const { db, id } = context;
  const stored = await getObject(db, 'refund', id);
  if (stored.object.status !== 'pending') {
    // Stripe does not document the wording.
    throw invalidRequest(
      `This refund cannot be canceled because it has a status of ${stored.object.status}.`,
    );
  }
  const refund: Stripe.Refund = {
    ...stored.object,
    status: 'canceled',
    failure_reason: 'merchant_request',
  };
  await unschedule(db, id);
  await replaceObject(db, stored, refund);
  await recordEvent(context, 'refund.updated', refund);
  await updateCharge(context, await getObject(db, 'charge', String(refund.charge)), refund);
  return { status: 200, body: refund };
}

async function updateCharge(
  context: CallContext,
  stored: StoredObject<'charge'>,
  refund: Stripe.Refund,
): Promise<void> {
  const amount_refunded = await sumRefunds(context.db, stored.object, ['succeeded']);
  const charge = {
    ...stored.object,
    amount_refunded,
    refunded: amount_refunded === stored.object.amount_captured,
  };
  // Written even if unchanged, so that the second of two concurrent refunds conflicts and is retried.
  await replaceObject(context.db, stored, charge);
  if (refund.status === 'succeeded') await recordEvent(context, 'charge.refunded', charge);
}

async function sumRefunds(db: StripeDatabase, charge: Stripe.Charge, statuses: string[]): Promise<number> {
  const rows = await db
    .selectFrom('stripe_object')
    .select('body')
    .where('kind', '=', 'refund')
    .where('belongs_to', '=', String(charge.payment_intent))
    .execute();
  const refunds = rows.map(({ body }): Stripe.Refund => JSON.parse(body));
  return refunds
    .filter(({ status }) => status !== null && statuses.includes(status))
    .reduce((sum, { amount }) => sum + amount, 0);
}

async function getChargeOfIntent({ db, form }: CallContext): Promise<StoredObject<'charge'>> {
  const id = findText(form, 'payment_intent');
  if (!id) throw missingParam('payment_intent');
  const { object: intent } = await getObject(db, 'payment_intent', id, 'payment_intent', 400);
  if (intent.status !== 'succeeded' || typeof intent.latest_charge !== 'string') {
    throw invalidRequest(`This PaymentIntent (${id}) does not have a successful charge to refund.`);
  }
  return getObject(db, 'charge', intent.latest_charge);
}
