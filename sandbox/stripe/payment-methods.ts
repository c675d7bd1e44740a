import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { type CallContext, nowInSeconds } from './call.ts';
import {
  type CardBehaviour,
  findTestMethodNumber,
  getCardBehaviour,
  getCardBrand,
  passesLuhn,
} from './cards.ts';
import { invalidRequest, StripeApiError } from './errors.ts';
import {
  findEmail,
  findForm,
  findInteger,
  findText,
  getText,
  params,
  rejectBoth,
  type StripeForm,
  type StripeParams,
} from './form.ts';
import { getObject, insertObject } from './objects.ts';
import { newId } from './tables.ts';

export interface SelectedMethod {
  method: Stripe.PaymentMethod;
  behaviour: CardBehaviour;
}

/** Accepted fields of `payment_method_data`. */
export const paymentMethodData: StripeParams = {
  type: true,
  card: params('number exp_month exp_year cvc'),
  billing_details: {
    ...params('email name phone'),
    address: params('city country line1 line2 postal_code state'),
  },
};

/** The payment method that a call names or describes, if any. `pm_card_…` creates a new payment method. */
export async function findSelectedMethod(context: CallContext): Promise<SelectedMethod | undefined> {
  rejectBoth(context.form, 'payment_method', 'payment_method_data');
  if (context.form.payment_method_data !== undefined) {
    return createMethod(context, findForm(context.form, 'payment_method_data'));
  }
  const id = findText(context.form, 'payment_method');
  if (!id) return undefined;
  const number = findTestMethodNumber(id);
  return number ? storeMethod(context, {}, testCard(number)) : getMethod(context, id);
}

export async function getMethod(context: CallContext, id: string): Promise<SelectedMethod> {
  const { object, behaviour } = await getObject(context.db, 'payment_method', id, 'payment_method', 400);
  return { method: object, behaviour: JSON.parse(behaviour ?? '{}') };
}

async function createMethod(context: CallContext, form: StripeForm): Promise<SelectedMethod> {
  if (getText(form, 'type') !== 'card') {
    throw invalidRequest('The stand-in supports payment methods of the type card only.', { param: 'type' });
  }
  return storeMethod(context, form, readCard(findForm(form, 'card')));
}

interface Card {
  number: string;
  month: number;
  year: number;
  hasCvc: boolean;
}

const testCard = (number: string): Card => ({
  number,
  month: 12,
  year: new Date().getFullYear() + 4,
  hasCvc: true,
});

function readCard(form: StripeForm): Card {
  const number = getText(form, 'number').replaceAll(' ', '');
  const month = findInteger(form, 'exp_month') ?? 0;
  const yearParam = findInteger(form, 'exp_year') ?? 0;
  const year = yearParam < 100 ? yearParam + 2000 : yearParam;
  const cvc = findText(form, 'cvc');
  const now = new Date();
  if (!passesLuhn(number)) throw cardError('incorrect_number', 'number', 'card number is incorrect');
  if (month < 1 || month > 12) {
    throw cardError('invalid_expiry_month', 'exp_month', "card's expiration month is invalid");
  }
  if (year < now.getFullYear() || year > now.getFullYear() + 50) {
    throw cardError('invalid_expiry_year', 'exp_year', "card's expiration year is invalid");
  }
  if (year === now.getFullYear() && month <= now.getMonth()) {
    throw cardError('invalid_expiry_month', 'exp_month', "card's expiration month is invalid");
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw cardError('invalid_cvc', 'cvc', "card's security code is invalid");
  }
  return { number, month, year, hasCvc: cvc !== undefined };
}

const cardError = (code: string, param: string, problem: string) =>
  new StripeApiError(402, { type: 'card_error', code, param, message: `Your ${problem}.` });

/** Stores what Stripe reveals of a card. The number and the security code are not stored. */
async function storeMethod(context: CallContext, form: StripeForm, card: Card): Promise<SelectedMethod> {
  const brand = getCardBrand(card.number);
  const billing = findForm(form, 'billing_details');
  const address = findForm(billing, 'address');
  const method: Stripe.PaymentMethod = {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: {
        city: findText(address, 'city') ?? null,
        country: findText(address, 'country') ?? null,
        line1: findText(address, 'line1') ?? null,
        line2: findText(address, 'line2') ?? null,
        postal_code: findText(address, 'postal_code') ?? null,
        state: findText(address, 'state') ?? null,
      },
      email: findEmail(billing, 'email', 'billing_details[email]') ?? null,
      name: findText(billing, 'name') ?? null,
      phone: findText(billing, 'phone') ?? null,
      tax_id: null,
    },
    card: {
      brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: card.hasCvc ? 'unchecked' : null,
      },
      country: 'US',
      display_brand: brand,
      exp_month: card.month,
      exp_year: card.year,
      fingerprint: createHash('sha256')
        .update(`${context.keys.account}${card.number}`)
        .digest('hex')
        .slice(0, 16),
      funding: 'credit',
      generated_from: null,
      last4: card.number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: nowInSeconds(),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
  const behaviour = getCardBehaviour(card.number, card.hasCvc);
  await insertObject(context.db, 'payment_method', method, { behaviour: JSON.stringify(behaviour) });
  return { method, behaviour };
}
