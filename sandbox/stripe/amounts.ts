import { currencyCodes, findCurrency } from '../../server/config/stripe-currencies.ts';
import { invalidRequest, missingParam } from './errors.ts';
import { findInteger, getText, type StripeForm } from './form.ts';

export function readAmount(form: StripeForm): number {
  const amount = findInteger(form, 'amount');
  if (amount === undefined) throw missingParam('amount');
  if (amount < 1) {
    const message = 'This value must be greater than or equal to 1.';
    throw invalidRequest(message, { code: 'parameter_invalid_integer', param: 'amount' });
  }
  return amount;
}

/** https://docs.stripe.com/currencies */
export function readCurrency(form: StripeForm, amount: number): string {
  const currency = getText(form, 'currency').toLowerCase();
  const rules = findCurrency(currency.toUpperCase());
  if (!rules) {
    const supported = currencyCodes.join(', ').toLowerCase();
    throw invalidRequest(
      `Invalid currency: ${currency}. Stripe currently supports these currencies: ${supported}`,
      {
        param: 'currency',
      },
    );
  }
  if (amount < rules.minimum) {
    const message = `Amount must be at least ${formatAmount(rules.minimum, currency)} ${currency}`;
    throw invalidRequest(message, { code: 'amount_too_small', param: 'amount' });
  }
  if (amount > rules.maximum)
    throw invalidRequest(`Amount must be no more than ${formatAmount(rules.maximum, currency)}`, {
      code: 'amount_too_large',
      param: 'amount',
    });
  if (amount % rules.step !== 0)
    throw invalidRequest(`Invalid ${currency} amount: ${amount}`, { param: 'amount' });
  return currency;
}

/** Minor units as text: 50, 'usd' is "$0.50". */
export function formatAmount(amount: number, currency: string): string {
  const minorUnits = findCurrency(currency.toUpperCase())?.minorUnits ?? 100;
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: minorUnits === 100 ? 2 : 0,
  });
  return format.format(amount / minorUnits);
}
