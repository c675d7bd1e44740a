import { createMoney } from '../../contract/money.ts';
import { findCurrency } from '../../stripe/currencies.ts';

/*
 * Amounts in the database are whole numbers of the units in which Stripe counts the currency, so that they go to Stripe
 * as they are. Every rule about a currency is here or in Stripe's table.
 */

/** What is charged where SHOP_CURRENCY is not set. */
export const defaultCurrency = 'USD';

/** Old orders may be in a currency that Stripe has dropped: those had two decimals. */
const rules = (currency: string) => findCurrency(currency) ?? { minorUnits: 100, step: 1, minimum: 50 };

export const isChargeable = (currency: string): boolean => findCurrency(currency) !== undefined;

/** The least that an order may cost, in minor units: Stripe's minimum charge. */
export const minCharge = (currency: string): number => rules(currency).minimum;

/** The most that an order may cost, in minor units: 999,999.99, or 999,999 in a currency without decimals. */
export function maxCharge(currency: string): number {
  const { minorUnits, step } = rules(currency);
  const most = 1_000_000 * minorUnits - 1;
  return most - (most % step);
}

/** An amount on the wire (12.5) in minor units (1250); undefined if it has too many decimals. */
export function toMinor(amount: number, currency: string): number | undefined {
  const { minorUnits, step } = rules(currency);
  const minor = Math.round(amount * minorUnits);
  return minor % step === 0 && toWire(minor, currency) === amount ? minor : undefined;
}

/** Minor units as an amount on the wire. One correctly rounded division: 1999 gives 19.99. */
export function toWire(minor: number, currency: string): number {
  return minor / rules(currency).minorUnits;
}

/** Minor units as a message shows them, such as `USD 12.50`. */
export function formatPrice(
  { config, currency }: { config: { currency: string | undefined }; currency: string },
  minor: number,
  code: string = currency,
): string {
  const money = createMoney({ currency: config.currency, chargedCurrency: currency });
  return money.charged(toWire(minor, code), code);
}
