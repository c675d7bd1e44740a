/*
 * Stripe's currencies, for both the shop and its Stripe stand-in.
 * https://docs.stripe.com/currencies
 */

const twoDecimals =
  'USD AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP ' +
  'CRC CVE CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD KES KGS KHR ' +
  'KYD KZT LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK ' +
  'PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STD SZL THB TJS TOP TRY TTD TWD TZS UAH UYU UZS ' +
  'WST XCD XCG YER ZAR ZMW';
const noDecimals = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF';
/** Amounts are in hundredths, but only whole units can be charged ("Special cases"). */
const wholeOnly = 'ISK UGX';

/** The smallest charges that Stripe documents, in minor units ("Minimum and maximum charge amounts"). */
const minimums: Record<string, number> = {
  AED: 200,
  BGN: 100,
  CZK: 1500,
  DKK: 250,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  PLN: 200,
  RON: 200,
  SEK: 300,
  THB: 1000,
};

/**
 * Weak currencies: about how many of their units are worth one US dollar, as a power of ten. For other currencies, the minimum
 * that Stripe documents shows this. Only limits depend on it, so it need not be precise.
 */
const weakCurrencies: Record<string, number> = {};
for (const [units, codes] of [
  [
    10,
    'AFN BDT CVE EGP ETB GMD HNL INR KGS LSL MDL MKD MUR MVR MZN NAD NIO PHP RUB SCR SRD SZL TRY TWD UAH UYU ZAR ZMW',
  ],
  [
    100,
    'ALL AMD AOA ARS CLP CRC DJF DOP DZD GYD HTG ISK JMD JPY KES KMF KZT LKR LRD NPR PKR RSD VUV XAF XOF XPF YER',
  ],
  [1000, 'BIF CDF COP GNF KHR KRW MGA MMK MNT MWK NGN PYG RWF TZS UGX'],
  [10_000, 'IDR LAK LBP STD UZS VND'],
] as const)
  for (const code of codes.split(' ')) weakCurrencies[code] = units;

type Currency = {
  /** Minor units per unit of the currency; Stripe counts amounts in minor units. */
  minorUnits: 1 | 100;
  /** Amounts in minor units must be multiples of this. */
  step: 1 | 100;
  /**
   * The smallest charge in minor units. If Stripe documents none for the currency, this is only a lower bound: Stripe
   * converts the account's minimum at its current exchange rate.
   */
  minimum: number;
  /** The highest charge in minor units: 999,999.99 US dollars or about as much, but never above `maxCardCharge`. */
  maximum: number;
};

/**
 * Stripe's limit for most card payments, in minor units ("Maximum charge amounts"). Some cards have lower limits: American Express
 * has 999,999,999 minor units, and others have one if the account is Japanese. The shop learns which card it is only during the
 * payment.
 */
const maxCardCharge = 999_999_999_999;

/** Stripe's minimum charge in US dollars. */
const dollarMinimum = 0.5;

const currencies = new Map<string, Currency>();
const add = (codes: string, minorUnits: 1 | 100, step: 1 | 100) => {
  for (const code of codes.split(' ')) {
    const minimum = minimums[code] ?? Math.max(50, step);
    const unitsPerDollar = Math.max(
      1,
      (minimums[code] ?? 0) / minorUnits / dollarMinimum,
      weakCurrencies[code] ?? 1,
    );
    const highest = Math.min(Math.round(1_000_000 * unitsPerDollar) * minorUnits - 1, maxCardCharge);
    currencies.set(code, { minorUnits, step, minimum, maximum: highest - (highest % step) });
  }
};
add(twoDecimals, 100, 1);
add(noDecimals, 1, 1);
add(wholeOnly, 100, 100);

/** Undefined if Stripe does not support the currency for cards or counts it in thousandths (BHD, JOD, KWD, OMR, TND). */
export const findCurrency = (code: string): Currency | undefined => currencies.get(code);

export const currencyCodes = [...currencies.keys()];
