import type Stripe from 'stripe';
import { type Asked, type Call, nowInSeconds } from './call.ts';
import { confirmIntent, finishAuthentication } from './confirm.ts';
import { missing, refuse } from './errors.ts';
import { recordEvent } from './events.ts';
import { findFlag, findForm, findInteger, findText, getText, listTexts, readMetadata } from './form.ts';
import { expandObject, getObject, insertObject, listObjects, replaceObject } from './objects.ts';
import { findChosenMethod } from './payment-methods.ts';
import { newId, randomText } from './tables.ts';

/** The least that Stripe charges, in minor units. https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const leastAmounts: Record<string, number> = { gbp: 30, dkk: 250, nok: 300, sek: 300, czk: 1500, mxn: 1000 };
const greatestAmount = 99_999_999;

const confirmParams = [
  'payment_method',
  'payment_method_data',
  'receipt_email',
  'return_url',
  'use_stripe_sdk',
  'expand',
];

export const intentCalls: Call[] = [
  {
    name: 'POST /v1/payment_intents',
    params: [
      ...confirmParams,
      'amount',
      'currency',
      'allowed_payment_method_types',
      // What API versions before 2026-09-30.endive call it.
      'payment_method_types',
      'automatic_payment_methods',
      'capture_method',
      'confirm',
      'description',
      'metadata',
      'statement_descriptor_suffix',
    ],
    answer: createIntent,
  },
  {
    name: 'GET /v1/payment_intents',
    params: ['created', 'limit', 'starting_after', 'expand'],
    async answer({ db, form }) {
      const list = await listObjects(db, 'payment_intent', form, '/v1/payment_intents');
      return { status: 200, body: await expandObject(db, list, form) };
    },
  },
  {
    name: 'GET /v1/payment_intents/:id',
    params: ['client_secret', 'expand'],
    publishable: true,
    async answer({ db, id, form }) {
      const { object } = await getObject(db, 'payment_intent', id, 'intent');
      return { status: 200, body: await expandObject(db, object, form) };
    },
  },
  {
    name: 'POST /v1/payment_intents/:id/confirm',
    params: [...confirmParams, 'client_secret'],
    publishable: true,
    answer: async (asked) =>
      confirmIntent(asked, await getObject(asked.db, 'payment_intent', asked.id, 'intent')),
  },
  {
    name: 'POST /v1/payment_intents/:id/cancel',
    params: ['cancellation_reason', 'expand'],
    answer: cancelIntent,
  },
  {
    // Only here: what the bank's page does behind Stripe's.
    name: 'POST /v1/payment_intents/:id/authenticate',
    params: ['client_secret', 'outcome'],
    publishable: true,
    answer: async (asked) =>
      finishAuthentication(asked, await getObject(asked.db, 'payment_intent', asked.id, 'intent')),
  },
];

async function createIntent(asked: Asked) {
  const { form, db } = asked;
  const amount = readAmount(asked);
  const currency = getText(form, 'currency').toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) throw refuse(`Invalid currency: ${currency}`, { param: 'currency' });
  const least = leastAmounts[currency] ?? 50;
  if (amount < least) {
    const message = `Amount must be at least ${formatAmount(least, currency)} ${currency}`;
    throw refuse(message, { code: 'amount_too_small', param: 'amount' });
  }
  for (const param of ['allowed_payment_method_types', 'payment_method_types']) {
    const types = listTexts(form, param);
    if (types.some((type) => type !== 'card')) {
      throw refuse(`The payment method types ${types} are not all activated.`, { param });
    }
  }
  const automatic = findFlag(findForm(form, 'automatic_payment_methods'), 'enabled');
  const capture = findText(form, 'capture_method') ?? 'automatic';
  if (!['automatic', 'automatic_async'].includes(capture)) {
    throw refuse('Only automatic capture is known here.', { param: 'capture_method' });
  }
  const chosen = await findChosenMethod(asked);
  const id = newId('pi');
  const intent: Stripe.PaymentIntent = {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: automatic ? { enabled: true } : null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: capture === 'automatic' ? 'automatic' : 'automatic_async',
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
    payment_method: chosen?.method.id ?? null,
    payment_method_configuration_details: null,
    payment_method_options: {
      card: { installments: null, mandate_options: null, network: null, request_three_d_secure: 'automatic' },
    },
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: findText(form, 'receipt_email') ?? null,
    review: null,
    setup_future_usage: null,
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: findText(form, 'statement_descriptor_suffix') ?? null,
    status: chosen ? 'requires_confirmation' : 'requires_payment_method',
    transfer_group: null,
  };
  await insertObject(db, 'payment_intent', intent);
  await recordEvent(asked, 'payment_intent.created', intent);
  if (findFlag(form, 'confirm')) {
    return confirmIntent(asked, await getObject(db, 'payment_intent', id), chosen);
  }
  return { status: 200, body: await expandObject(db, intent, form) };
}

function readAmount({ form }: Asked): number {
  const amount = findInteger(form, 'amount');
  if (amount === undefined) throw missing('amount');
  if (amount < 1) {
    const message = 'This value must be greater than or equal to 1.';
    throw refuse(message, { code: 'parameter_invalid_integer', param: 'amount' });
  }
  if (amount > greatestAmount) {
    throw refuse('Amount must be no more than $999,999.99', { code: 'amount_too_large', param: 'amount' });
  }
  return amount;
}

/** Minor units as text: 50, 'usd' is "$0.50". */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const cancellable = ['requires_payment_method', 'requires_confirmation', 'requires_action'];
const cancellationReasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const;

async function cancelIntent(asked: Asked) {
  const given = findText(asked.form, 'cancellation_reason');
  const reason = cancellationReasons.find((known) => known === given) ?? null;
  if (given && !reason) throw refuse('Invalid cancellation_reason', { param: 'cancellation_reason' });
  const found = await getObject(asked.db, 'payment_intent', asked.id, 'intent');
  const before = found.object;
  if (!cancellable.includes(before.status)) {
    const message =
      `You cannot cancel this PaymentIntent because it has a status of ${before.status}. Only a PaymentIntent ` +
      'with one of the following statuses may be canceled: requires_payment_method, requires_capture, ' +
      'requires_confirmation, requires_action, processing.';
    throw refuse(message, { code: 'payment_intent_unexpected_state', payment_intent: before });
  }
  const intent: Stripe.PaymentIntent = {
    ...before,
    status: 'canceled',
    canceled_at: nowInSeconds(),
    cancellation_reason: reason,
    next_action: null,
  };
  await replaceObject(asked.db, found, intent);
  await recordEvent(asked, 'payment_intent.canceled', intent);
  return { status: 200, body: await expandObject(asked.db, intent, asked.form) };
}
