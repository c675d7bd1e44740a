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

export interface ChosenMethod {
  method: Stripe.PaymentMethod;
  behaviour: CardBehaviour;
}

/** The parameters that describe a payment method within a call. */
export const paymentMethodData: StripeParams = {
  type: true,
  card: params('number exp_month exp_year cvc'),
  billing_details: {
    ...params('email name phone'),
    address: params('city country line1 line2 postal_code state'),
  },
};

/** The payment method that a call names or describes, or undefined. A `pm_card_…` becomes one of its own. */
export async function findChosenMethod(asked: CallContext): Promise<ChosenMethod | undefined> {
  rejectBoth(asked.form, 'payment_method', 'payment_method_data');
  if (asked.form.payment_method_data !== undefined) {
    return createMethod(asked, findForm(asked.form, 'payment_method_data'));
  }
  const id = findText(asked.form, 'payment_method');
  if (!id) return undefined;
  const number = findTestMethodNumber(id);
  return number ? storeMethod(asked, {}, testCard(number)) : getMethod(asked, id);
}

export async function getMethod(asked: CallContext, id: string): Promise<ChosenMethod> {
  const { object, behaviour } = await getObject(asked.db, 'payment_method', id, 'payment_method', 400);
  return { method: object, behaviour: JSON.parse(behaviour ?? '{}') };
}

async function createMethod(asked: CallContext, form: StripeForm): Promise<ChosenMethod> {
  if (getText(form, 'type') !== 'card') {
    throw invalidRequest('Only payment methods of the type card are sold here.', { param: 'type' });
  }
  return storeMethod(asked, form, readCard(findForm(form, 'card')));
}

interface Card {
  number: string;
  month: number;
  year: number;
  cvcGiven: boolean;
}

const testCard = (number: string): Card => ({
  number,
  month: 12,
  year: new Date().getFullYear() + 4,
  cvcGiven: true,
});

function readCard(form: StripeForm): Card {
  const number = getText(form, 'number').replaceAll(' ', '');
  const month = findInteger(form, 'exp_month') ?? 0;
  const given = findInteger(form, 'exp_year') ?? 0;
  const year = given < 100 ? given + 2000 : given;
  const cvc = findText(form, 'cvc');
  const now = new Date();
  if (!passesLuhn(number)) throw badCard('incorrect_number', 'number', 'card number is incorrect');
  if (month < 1 || month > 12) {
    throw badCard('invalid_expiry_month', 'exp_month', "card's expiration month is invalid");
  }
  if (year < now.getFullYear() || year > now.getFullYear() + 50) {
    throw badCard('invalid_expiry_year', 'exp_year', "card's expiration year is invalid");
  }
  if (year === now.getFullYear() && month <= now.getMonth()) {
    throw badCard('invalid_expiry_month', 'exp_month', "card's expiration month is invalid");
  }
  if (cvc !== undefined && !/^\d{3,4}$/.test(cvc)) {
    throw badCard('invalid_cvc', 'cvc', "card's security code is invalid");
  }
  return { number, month, year, cvcGiven: cvc !== undefined };
}

const badCard = (code: string, param: string, what: string) =>
  new StripeApiError(402, { type: 'card_error', code, param, message: `Your ${what}.` });

/** Keeps what Stripe shows of a card; number and security code are forgotten here. */
async function storeMethod(asked: CallContext, form: StripeForm, card: Card): Promise<ChosenMethod> {
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
        cvc_check: card.cvcGiven ? 'unchecked' : null,
      },
      country: 'US',
      display_brand: brand,
      exp_month: card.month,
      exp_year: card.year,
      fingerprint: createHash('sha256')
        .update(`${asked.keys.account}${card.number}`)
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
  const behaviour = getCardBehaviour(card.number, card.cvcGiven);
  await insertObject(asked.db, 'payment_method', method, { behaviour: JSON.stringify(behaviour) });
  return { method, behaviour };
}
