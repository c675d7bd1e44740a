import type Stripe from 'stripe';
import { readAmount, readCurrency } from './amounts.ts';
import { type CallContext, nowInSeconds, type StripeCall } from './call.ts';
import { confirmIntent, finishAuthentication } from './confirm.ts';
import { invalidRequest } from './errors.ts';
import { recordEvent } from './events.ts';
import { findBoolean, findText, listTexts, params, readMetadata, type StripeParams } from './form.ts';
import { getObject, insertObject, listObjects, replaceObject } from './objects.ts';
import { findSelectedMethod, paymentMethodData } from './payment-methods.ts';
import { newId, randomText } from './tables.ts';

const confirmParams: StripeParams = {
  ...params('payment_method return_url use_stripe_sdk'),
  payment_method_data: paymentMethodData,
};

export const intentCalls: StripeCall[] = [
  {
    name: 'POST /v1/payment_intents',
    params: {
      ...confirmParams,
      ...params('amount currency capture_method confirm description'),
      allowed_payment_method_types: { '*': true },
      metadata: { '*': true },
    },
    handle: createIntent,
  },
  {
    name: 'GET /v1/payment_intents',
    params: { ...params('limit starting_after'), created: params('gte') },
    handle: async ({ db, form }) => ({
      status: 200,
      body: await listObjects(db, 'payment_intent', form, '/v1/payment_intents'),
    }),
  },
  {
    name: 'GET /v1/payment_intents/:id',
    params: params('client_secret'),
    publishable: true,
    handle: async ({ db, id }) => ({
      status: 200,
      body: (await getObject(db, 'payment_intent', id, 'intent')).object,
    }),
  },
  {
    name: 'POST /v1/payment_intents/:id/confirm',
    params: { ...confirmParams, client_secret: true },
    publishable: true,
    handle: async (context) =>
      confirmIntent(context, await getObject(context.db, 'payment_intent', context.id, 'intent')),
  },
  {
    name: 'POST /v1/payment_intents/:id/cancel',
    params: {},
    handle: cancelIntent,
  },
  {
    // Not part of Stripe's API: the bank's page reports its outcome here.
    name: 'POST /v1/payment_intents/:id/authenticate',
    params: params('client_secret outcome'),
    publishable: true,
    handle: async (context) =>
      finishAuthentication(context, await getObject(context.db, 'payment_intent', context.id, 'intent')),
  },
];

async function createIntent(context: CallContext) {
  const { form, db } = context;
  const amount = readAmount(form);
  const currency = readCurrency(form, amount);
  const types = listTexts(form, 'allowed_payment_method_types');
  if (types.some((type) => type !== 'card')) {
    const param = 'allowed_payment_method_types';
    throw invalidRequest(`The payment method types ${types} are not all activated.`, { param });
  }
  if ((findText(form, 'capture_method') ?? 'automatic') !== 'automatic') {
    throw invalidRequest('The stand-in supports automatic capture only.', { param: 'capture_method' });
  }
  const selected = await findSelectedMethod(context);
  const id = newId('pi');
  const intent: Stripe.PaymentIntent = {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: ['card'],
    amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: `${id}_secret_${randomText(25)}`,
    confirmation_method: 'automatic',
    created: nowInSeconds(),
    currency,
    customer: null,
    customer_account: null,
    description: findText(form, 'description') ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: readMetadata(form),
    next_action: null,
    on_behalf_of: null,
    payment_method: selected?.method.id ?? null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: selected ? 'requires_confirmation' : 'requires_payment_method',
    transfer_group: null,
  };
  await insertObject(db, 'payment_intent', intent);
  await recordEvent(context, 'payment_intent.created', intent);
  if (findBoolean(form, 'confirm')) {
    return confirmIntent(context, await getObject(db, 'payment_intent', id), selected);
  }
  return { status: 200, body: intent };
}

const cancellable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];

/** A payment in `processing` can rarely be cancelled (https://docs.stripe.com/api/payment_intents/cancel). */
async function cancelIntent(context: CallContext) {
  const stored = await getObject(context.db, 'payment_intent', context.id, 'intent');
  const before = stored.object;
  if (!cancellable.includes(before.status)) {
    const message =
      `You cannot cancel this PaymentIntent because it has a status of ${before.status}. Only a PaymentIntent ` +
      'with one of the following statuses may be canceled: requires_payment_method, requires_capture, ' +
      'requires_confirmation, requires_action, processing.';
    throw invalidRequest(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  const intent: Stripe.PaymentIntent = {
    ...before,
    status: 'canceled',
    canceled_at: nowInSeconds(),
    cancellation_reason: null,
    next_action: null,
  };
  await replaceObject(context.db, stored, intent);
  await recordEvent(context, 'payment_intent.canceled', intent);
  return { status: 200, body: intent };
}
