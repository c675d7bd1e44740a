import type { WebSettings } from '../contract/pages.ts';

/**
 * How prices are written, in one place. With `SHOP_CURRENCY` unset it is the specification's way: "Taka" on cards
 * and $ in tables, and what is charged is named where money is about to move. With it set, every price is that
 * currency's. An amount in another currency than the shop's of today (an old order) always names its own.
 */
export function createMoney({
  currency,
  chargedCurrency,
}: Pick<WebSettings, 'currency' | 'chargedCurrency'>) {
  const plain = (amount: number) => digits(amount, Number.isInteger(amount) ? 0 : 2);

  return {
    /** On cards. */
    card: (amount: number) => (currency ? named(amount, currency) : `${plain(amount)} Taka`),
    /** In tables; `code` is the currency that the row was priced in. */
    table: (amount: number, code: string = currency ?? chargedCurrency) =>
      currency || code !== chargedCurrency ? named(amount, code) : `$${digits(amount, 2)}`,
    /** Where it is charged: the order form's total and the Pay button. */
    charged: (amount: number, code: string = currency ?? chargedCurrency) =>
      currency || code !== chargedCurrency ? named(amount, code) : `${code} ${digits(amount, 2)}`,
  };
}

// Made once for each: a formatter costs a hundred times what it then takes to use it.
const made = new Map<string, Intl.NumberFormat>();

function formatter(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const format = made.get(key) ?? new Intl.NumberFormat('en', options);
  made.set(key, format);
  return format;
}

/** Of some currencies (HUF, COP) it leaves the decimals out; an amount that has them must not be rounded. */
const named = (amount: number, code: string) =>
  Number.isInteger(amount)
    ? formatter(code, { style: 'currency', currency: code }).format(amount)
    : formatter(`${code} 2`, { style: 'currency', currency: code, minimumFractionDigits: 2 }).format(amount);
const digits = (amount: number, places: number) =>
  formatter(`${places}`, { minimumFractionDigits: places, maximumFractionDigits: places }).format(amount);
