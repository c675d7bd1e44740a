import type Stripe from 'stripe';
import { formatAmount } from './amounts.ts';
import { type CallContext, nowInSeconds } from './call.ts';
import { type DeclineCode, declineError } from './cards.ts';
import { invalidRequest, type StripeResponse, toErrorResponse } from './errors.ts';
import { pendingDelayMs, recordEvent, schedule } from './events.ts';
import { getText } from './form.ts';
import { insertObject, replaceObject, type StoredObject } from './objects.ts';
import { type ChosenMethod, findChosenMethod, getMethod } from './payment-methods.ts';
import { newId } from './tables.ts';

type FoundIntent = StoredObject<'payment_intent'>;

const confirmable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** Charges the intent, or asks for authentication first, by what its test card does. */
export async function confirmIntent(
  asked: CallContext,
  found: FoundIntent,
  alreadyChosen?: ChosenMethod,
): Promise<StripeResponse> {
  const before = found.object;
  if (!confirmable.includes(before.status)) {
    const message =
      before.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.'
        : `You cannot confirm this PaymentIntent because it has a status of ${before.status}.`;
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  const chosen = alreadyChosen ?? (await findChosenMethod(asked)) ?? (await findOwnMethod(asked, before));
  if (!chosen) {
    const message = "You cannot confirm this PaymentIntent because it's missing a payment method.";
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  const confirmed: Stripe.PaymentIntent = {
    ...before,
    payment_method: chosen.method.id,
    last_payment_error: null,
  };
  if (!chosen.behaviour.authenticate) return charge(asked, found, confirmed, chosen);

  const intent: Stripe.PaymentIntent = {
    ...confirmed,
    status: 'requires_action',
    next_action: {
      type: 'use_stripe_sdk',
      // Stripe does not document its contents; the bank's page shows the amount.
      use_stripe_sdk: {
        type: 'three_d_secure_redirect',
        stripe_js: `${asked.base}/v3/authenticate.html`,
        amount: formatAmount(before.amount, before.currency),
      },
    },
  };
  await replaceObject(asked.db, found, intent);
  await recordEvent(asked, 'payment_intent.requires_action', intent);
  return { status: 200, body: intent };
}

async function findOwnMethod(
  asked: CallContext,
  intent: Stripe.PaymentIntent,
): Promise<ChosenMethod | undefined> {
  return typeof intent.payment_method === 'string' ? getMethod(asked, intent.payment_method) : undefined;
}

/** The customer's answer to their bank: `outcome` complete or fail. Answers the intent whatever becomes of it. */
export async function finishAuthentication(asked: CallContext, found: FoundIntent): Promise<StripeResponse> {
  const before = found.object;
  const chosen = await findOwnMethod(asked, before);
  if (before.status !== 'requires_action' || !chosen) {
    const message = `This PaymentIntent has a status of ${before.status}: nothing is to be authenticated.`;
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  if (getText(asked.form, 'outcome') === 'complete') {
    return charge(asked, found, before, chosen);
  }
  const intent: Stripe.PaymentIntent = {
    ...before,
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    last_payment_error: {
      type: 'invalid_request_error',
      code: 'payment_intent_authentication_failure',
      doc_url: 'https://stripe.com/docs/error-codes/payment-intent-authentication-failure',
      message:
        'We are unable to authenticate your payment method. ' +
        'Please choose a different payment method and try again.',
      payment_method: chosen.method,
    },
  };
  await replaceObject(asked.db, found, intent);
  await recordEvent(asked, 'payment_intent.payment_failed', intent);
  return { status: 200, body: intent };
}

/** Charges a payment that was `processing`. */
export async function finishProcessing(asked: CallContext, found: FoundIntent): Promise<void> {
  const chosen = await findOwnMethod(asked, found.object);
  if (found.object.status !== 'processing' || !chosen) return;
  await charge(asked, found, { ...found.object, processing: null }, chosen);
}

/** A decline is an answer, not a thrown error: the failed charge and the intent's new state are to stay. */
async function charge(
  asked: CallContext,
  found: FoundIntent,
  confirmed: Stripe.PaymentIntent,
  { method, behaviour }: ChosenMethod,
): Promise<StripeResponse> {
  if (asked.processing) {
    const intent: Stripe.PaymentIntent = {
      ...confirmed,
      status: 'processing',
      processing: { type: 'card' },
      next_action: null,
    };
    await replaceObject(asked.db, found, intent);
    await recordEvent(asked, 'payment_intent.processing', intent);
    await schedule(asked.db, intent.id, pendingDelayMs);
    return { status: 200, body: intent };
  }
  const made = newCharge(confirmed, method, behaviour.decline);
  await insertObject(asked.db, 'charge', made, { belongs_to: confirmed.id });
  if (!behaviour.decline) {
    const intent: Stripe.PaymentIntent = {
      ...confirmed,
      status: 'succeeded',
      amount_received: confirmed.amount,
      latest_charge: made.id,
      next_action: null,
    };
    await replaceObject(asked.db, found, intent);
    await recordEvent(asked, 'charge.succeeded', made);
    await recordEvent(asked, 'payment_intent.succeeded', intent);
    return { status: 200, body: intent };
  }
  const error = { ...declineError(behaviour.decline), charge: made.id, payment_method: method };
  const intent: Stripe.PaymentIntent = {
    ...confirmed,
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: made.id,
    next_action: null,
    last_payment_error: error,
  };
  await replaceObject(asked.db, found, intent);
  await recordEvent(asked, 'charge.failed', made);
  await recordEvent(asked, 'payment_intent.payment_failed', intent);
  return toErrorResponse(402, { ...error, payment_intent: intent });
}

function newCharge(
  intent: Stripe.PaymentIntent,
  method: Stripe.PaymentMethod,
  decline: DeclineCode | undefined,
): Stripe.Charge {
  const failure = decline && declineError(decline);
  const blocked = decline === 'fraudulent';
  return {
    id: newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: failure ? 0 : intent.amount,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: method.billing_details,
    calculated_statement_descriptor: null,
    captured: !failure,
    created: nowInSeconds(),
    currency: intent.currency,
    customer: null,
    description: intent.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: intent.metadata,
    on_behalf_of: null,
    outcome: {
      advice_code: null,
      network_advice_code: null,
      network_decline_code: null,
      network_status: blocked
        ? 'not_sent_to_network'
        : failure
          ? 'declined_by_network'
          : 'approved_by_network',
      reason: blocked ? 'highest_risk_level' : (decline ?? null),
      risk_level: blocked ? 'highest' : 'normal',
      seller_message: blocked
        ? 'Stripe blocked this payment as too risky.'
        : failure
          ? 'The bank declined the payment.'
          : 'Payment complete.',
      type: blocked ? 'blocked' : failure ? 'issuer_declined' : 'authorized',
    },
    paid: !failure,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card' },
    receipt_email: intent.receipt_email,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: intent.statement_descriptor_suffix,
    status: failure ? 'failed' : 'succeeded',
    transfer_data: null,
    transfer_group: null,
  };
}
