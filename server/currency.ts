/**
 * Currencies that Stripe charges in units of one hundredth, and those without decimals
 * (https://docs.stripe.com/currencies). Those of three decimals are not taken.
 */
const zeroDecimal = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
const threeDecimal = new Set('BHD JOD KWD OMR TND'.split(' '));
// Stripe wants these as hundredths, but only whole amounts of them.
const special = new Set('ISK HUF TWD UGX'.split(' '));
// Asked once: it makes the whole list anew each time.
const known = new Set(Intl.supportedValuesOf('currency'));

/** What is charged where SHOP_CURRENCY is not set. */
export const defaultCurrency = 'USD';

/**
 * The least that an order may cost, in minor units: what Stripe takes in USD
 * (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
 */
export const leastCharge = 50;

/** The most that an order may cost, in minor units: 999,999.99, or what a currency without decimals has of it. */
export function mostCharge(currency: string): number {
  return decimalsOf(currency) === 0 ? 999_999 : 99_999_999;
}

/** How many decimals amounts of a currency have, or undefined where the shop cannot charge in it. */
export function decimalsOf(currency: string): 0 | 2 | undefined {
  if (zeroDecimal.has(currency)) return 0;
  if (threeDecimal.has(currency) || special.has(currency)) return undefined;
  return known.has(currency) ? 2 : undefined;
}

/** An amount on the wire (12.5) as whole minor units (1250); undefined where it has too many decimals. */
export function toMinor(amount: number, currency: string): number | undefined {
  const minor = Math.round(amount * 10 ** (decimalsOf(currency) ?? 2));
  return toWire(minor, currency) === amount ? minor : undefined;
}

/** Whole minor units as an amount on the wire. One correctly rounded division: 1999 gives 19.99. */
export function toWire(minor: number, currency: string): number {
  return minor / 10 ** (decimalsOf(currency) ?? 2);
}
