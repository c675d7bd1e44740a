import { createMoney } from '../../contract/money.ts';
import { findCurrency } from './stripe-currencies.ts';

// The database stores amounts in the minor units that Stripe uses for the currency, so they are sent unchanged.

/** Used if SHOP_CURRENCY is not set. */
export const defaultCurrency = 'USD';

/** Old orders may be in a currency that Stripe has dropped. All dropped currencies had two decimals. */
const rules = (currency: string) =>
  findCurrency(currency) ?? { minorUnits: 100, step: 1, minimum: 50, maximum: 99_999_999 };

export const isChargeable = (currency: string): boolean => findCurrency(currency) !== undefined;

/** The lowest total of an order, in minor units: Stripe's minimum charge. */
export const minCharge = (currency: string): number => rules(currency).minimum;

/** The highest price and total of an order, in minor units. */
export const maxCharge = (currency: string): number => rules(currency).maximum;

/** Converts an amount on the wire (12.5) to minor units (1250); undefined if it has too many decimals. */
export function toMinor(amount: number, currency: string): number | undefined {
  const { minorUnits, step } = rules(currency);
  const minor = Math.round(amount * minorUnits);
  return minor % step === 0 && toWire(minor, currency) === amount ? minor : undefined;
}

/** Like `toMinor`, but an amount with too many decimals is rounded. */
export function toNearestMinor(amount: number, currency: string, round: typeof Math.ceil): number {
  const { minorUnits } = rules(currency);
  // 19.99 × 100 is 1998.9999999999998.
  return round(Number((amount * minorUnits).toFixed(6)));
}

/** Converts minor units to an amount on the wire: 1999 to 19.99. */
export const toWire = (minor: number, currency: string): number => minor / rules(currency).minorUnits;

/** Formats minor units for a message, such as `USD 12.50`. */
export function formatPrice(
  { config, currency }: { config: { currency: string | undefined }; currency: string },
  minor: number,
  code: string = currency,
): string {
  const money = createMoney({ currency: config.currency, chargedCurrency: currency });
  return money.charged(toWire(minor, code), code);
}
