import type { WebSettings } from './pages.ts';

/**
 * Formats prices, for pages and for server messages. Without `SHOP_CURRENCY` this follows the specification:
 * "Taka" on product cards, $ in tables, and the charged currency everywhere else. With it, every price is in that
 * currency. An amount in another currency (of an old order) always names its own.
 */
export function createMoney({
  currency,
  chargedCurrency,
}: Pick<WebSettings, 'currency' | 'chargedCurrency'>) {
  const plain = (amount: number) => digits(amount, Number.isInteger(amount) ? 0 : 2);

  return {
    /** On product cards, and nowhere else. */
    card: (amount: number) => (currency ? named(amount, currency) : `${plain(amount)} Taka`),
    /** In tables; `code` is the currency that the row was priced in. */
    table: (amount: number, code: string = currency ?? chargedCurrency) =>
      currency || code !== chargedCurrency ? named(amount, code) : `$${digits(amount, 2)}`,
    /** Everywhere else: the purchase page, the order form, the payment, messages. */
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

/** `Intl` omits the decimals of some currencies (HUF, COP), but an amount that has decimals must not be rounded. */
const named = (amount: number, code: string) =>
  Number.isInteger(amount)
    ? formatter(code, { style: 'currency', currency: code }).format(amount)
    : formatter(`${code} 2`, { style: 'currency', currency: code, minimumFractionDigits: 2 }).format(amount);
const digits = (amount: number, places: number) =>
  formatter(`${places}`, { minimumFractionDigits: places, maximumFractionDigits: places }).format(amount);
