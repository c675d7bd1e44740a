import type Stripe from 'stripe';
import { formatAmount } from './amounts.ts';
import { type CallContext, nowInSeconds } from './call.ts';
import { type DeclineCode, declineError } from './cards.ts';
import { openDispute } from './disputes.ts';
import { invalidRequest, type StripeResponse, toErrorResponse } from './errors.ts';
import { pendingDelayMs, recordEvent, schedule } from './events.ts';
import { getText } from './form.ts';
import { getObject, insertObject, replaceObject, type StoredObject } from './objects.ts';
import { findSelectedMethod, getMethod, type SelectedMethod } from './payment-methods.ts';
import { newId } from './tables.ts';

type StoredIntent = StoredObject<'payment_intent'>;

const confirmable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** Charges the intent or requires authentication first, depending on the test card. */
export async function confirmIntent(
  context: CallContext,
  stored: StoredIntent,
  preselected?: SelectedMethod,
): Promise<StripeResponse> {
  const before = stored.object;
  if (!confirmable.includes(before.status)) {
    const message =
      before.status === 'succeeded'
        ? 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.'
        : `You cannot confirm this PaymentIntent because it has a status of ${before.status}.`;
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  const selected =
    preselected ?? (await findSelectedMethod(context)) ?? (await findSavedMethod(context, before));
  if (!selected) {
    const message = "You cannot confirm this PaymentIntent because it's missing a payment method.";
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  const confirmed: Stripe.PaymentIntent = {
    ...before,
    payment_method: selected.method.id,
    last_payment_error: null,
  };
  if (!selected.behaviour.authenticate) return charge(context, stored, confirmed, selected);

  const intent: Stripe.PaymentIntent = {
    ...confirmed,
    status: 'requires_action',
    next_action: {
      type: 'use_stripe_sdk',
      // Stripe does not document these fields; the bank's page shows the amount.
      use_stripe_sdk: {
        type: 'three_d_secure_redirect',
        stripe_js: `${context.base}/v3/authenticate.html`,
        amount: formatAmount(before.amount, before.currency),
      },
    },
  };
  await replaceObject(context.db, stored, intent);
  await recordEvent(context, 'payment_intent.requires_action', intent);
  return { status: 200, body: intent };
}

async function findSavedMethod(
  context: CallContext,
  intent: Stripe.PaymentIntent,
): Promise<SelectedMethod | undefined> {
  return typeof intent.payment_method === 'string' ? getMethod(context, intent.payment_method) : undefined;
}

/** Applies the outcome of the bank's authentication: complete or fail. Returns the intent in either case. */
export async function finishAuthentication(
  context: CallContext,
  stored: StoredIntent,
): Promise<StripeResponse> {
  const before = stored.object;
  const selected = await findSavedMethod(context, before);
  if (before.status !== 'requires_action' || !selected) {
    const message = `This PaymentIntent has a status of ${before.status} and needs no authentication.`;
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  if (getText(context.form, 'outcome') === 'complete') {
    return charge(context, stored, before, selected);
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
      payment_method: selected.method,
    },
  };
  await replaceObject(context.db, stored, intent);
  await recordEvent(context, 'payment_intent.payment_failed', intent);
  return { status: 200, body: intent };
}

/** Charges a payment that was `processing`. */
export async function finishProcessing(context: CallContext, stored: StoredIntent): Promise<void> {
  const selected = await findSavedMethod(context, stored.object);
  if (stored.object.status !== 'processing' || !selected) return;
  await charge(context, stored, { ...stored.object, processing: null }, selected);
}

/** Returns a decline instead of throwing it, so that the failed charge and the intent's new state are committed. */
async function charge(
  context: CallContext,
  stored: StoredIntent,
  confirmed: Stripe.PaymentIntent,
  { method, behaviour }: SelectedMethod,
): Promise<StripeResponse> {
  if (context.processing) {
    const intent: Stripe.PaymentIntent = {
      ...confirmed,
      status: 'processing',
      processing: { type: 'card' },
      next_action: null,
    };
    await replaceObject(context.db, stored, intent);
    await recordEvent(context, 'payment_intent.processing', intent);
    await schedule(context.db, intent.id, pendingDelayMs);
    return { status: 200, body: intent };
  }
  const chargeObject = buildCharge(confirmed, method, behaviour.decline);
  await insertObject(context.db, 'charge', chargeObject, { belongs_to: confirmed.id });
  if (!behaviour.decline) {
    const intent: Stripe.PaymentIntent = {
      ...confirmed,
      status: 'succeeded',
      amount_received: confirmed.amount,
      latest_charge: chargeObject.id,
      next_action: null,
    };
    await replaceObject(context.db, stored, intent);
    await recordEvent(context, 'charge.succeeded', chargeObject);
    await recordEvent(context, 'payment_intent.succeeded', intent);
    if (behaviour.dispute) {
      await openDispute(context, await getObject(context.db, 'charge', chargeObject.id), method);
    }
    return { status: 200, body: intent };
  }
  const error = { ...declineError(behaviour.decline), charge: chargeObject.id, payment_method: method };
  const intent: Stripe.PaymentIntent = {
    ...confirmed,
    status: 'requires_payment_method',
    payment_method: null,
    latest_charge: chargeObject.id,
    next_action: null,
    last_payment_error: error,
  };
  await replaceObject(context.db, stored, intent);
  await recordEvent(context, 'charge.failed', chargeObject);
  await recordEvent(context, 'payment_intent.payment_failed', intent);
  return toErrorResponse(402, { ...error, payment_intent: intent });
}

function buildCharge(
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
