import type Stripe from 'stripe';
import { type Asked, type Call, nowInSeconds } from './call.ts';
import { missing, refuse } from './errors.ts';
import { recordEvent } from './events.ts';
import { findInteger, findText, readMetadata } from './form.ts';
import { formatAmount } from './intents.ts';
import { expandObject, type Found, getObject, insertObject, listObjects, replaceObject } from './objects.ts';
import { newId } from './tables.ts';

export const refundCalls: Call[] = [
  {
    name: 'POST /v1/refunds',
    params: ['amount', 'charge', 'payment_intent', 'reason', 'metadata', 'expand'],
    answer: createRefund,
  },
  {
    name: 'GET /v1/refunds',
    params: ['charge', 'payment_intent', 'created', 'limit', 'starting_after', 'expand'],
    async answer(asked) {
      const { db, form } = asked;
      const of = (await findCharge(asked))?.object.payment_intent ?? findText(form, 'payment_intent');
      const belongsTo = typeof of === 'string' ? [of] : [];
      const list = await listObjects(db, 'refund', form, '/v1/refunds', belongsTo);
      return { status: 200, body: await expandObject(db, list, form) };
    },
  },
  {
    name: 'GET /v1/refunds/:id',
    params: ['expand'],
    async answer({ db, id, form }) {
      const { object } = await getObject(db, 'refund', id);
      return { status: 200, body: await expandObject(db, object, form) };
    },
  },
  {
    name: 'GET /v1/charges/:id',
    params: ['expand'],
    async answer({ db, id, form }) {
      const { object } = await getObject(db, 'charge', id);
      return { status: 200, body: await expandObject(db, object, form) };
    },
  },
];

const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'] as const;

/** Gives back all that is left of a charge, or `amount` of it. Two at once never give back more than was paid. */
async function createRefund(asked: Asked) {
  const { db, form } = asked;
  const givenReason = findText(form, 'reason');
  const reason = reasons.find((known) => known === givenReason) ?? null;
  if (givenReason && !reason) throw refuse('Invalid reason', { param: 'reason' });
  const found = (await findCharge(asked)) ?? (await getChargeOfIntent(asked));
  const before = found.object;
  const left = before.amount_captured - before.amount_refunded;
  if (before.paid && left === 0) {
    throw refuse(`Charge ${before.id} has already been refunded.`, {
      code: 'charge_already_refunded',
      charge: before.id,
    });
  }
  const amount = findInteger(form, 'amount') ?? left;
  if (amount < 1) {
    const message = 'This value must be greater than or equal to 1.';
    throw refuse(message, { code: 'parameter_invalid_integer', param: 'amount' });
  }
  if (amount > left) {
    // The real service gives no code here.
    const [asks, has] = [amount, left].map((money) => formatAmount(money, before.currency));
    throw refuse(`Refund amount (${asks}) is greater than unrefunded amount on charge (${has})`, {
      param: 'amount',
    });
  }
  const charge: Stripe.Charge = {
    ...before,
    amount_refunded: before.amount_refunded + amount,
    refunded: amount === left,
  };
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
    status: 'succeeded',
    transfer_reversal: null,
  };
  await replaceObject(db, found, charge);
  await insertObject(db, 'refund', refund, { belongs_to: String(charge.payment_intent) });
  await recordEvent(asked, 'refund.created', refund);
  await recordEvent(asked, 'charge.refunded', charge);
  await recordEvent(asked, 'refund.updated', refund);
  return { status: 200, body: await expandObject(db, refund, form) };
}

async function findCharge({ db, form }: Asked): Promise<Found<'charge'> | undefined> {
  const id = findText(form, 'charge');
  return id ? getObject(db, 'charge', id, 'charge') : undefined;
}

async function getChargeOfIntent({ db, form }: Asked): Promise<Found<'charge'>> {
  const id = findText(form, 'payment_intent');
  if (!id) throw missing('payment_intent');
  const { object: intent } = await getObject(db, 'payment_intent', id, 'payment_intent');
  if (intent.status !== 'succeeded' || typeof intent.latest_charge !== 'string') {
    throw refuse(`This PaymentIntent (${id}) does not have a successful charge to refund.`);
  }
  return getObject(db, 'charge', intent.latest_charge);
}
