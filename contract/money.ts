import type { WebSettings } from './pages.ts';

/**
 * Formats prices, for pages and for server messages. Without `SHOP_CURRENCY` this follows the specification: "Taka" on product
 * cards, $ in tables, and the charged currency everywhere else. With `SHOP_CURRENCY`, every price is in that currency. An amount
 * in another currency, such as of an old order, always names its currency.
 */
export function createMoney({
  currency,
  chargedCurrency,
}: Pick<WebSettings, 'currency' | 'chargedCurrency'>) {
  const plain = (amount: number) => formatDecimal(amount, Number.isInteger(amount) ? 0 : 2);

  return {
    /** On product cards, and nowhere else. */
    card: (amount: number) => (currency ? formatCurrency(amount, currency) : `${plain(amount)} Taka`),
    /** In tables; `code` is the currency that the row was priced in. */
    table: (amount: number, code: string = currency ?? chargedCurrency) =>
      currency || code !== chargedCurrency ? formatCurrency(amount, code) : `$${formatDecimal(amount, 2)}`,
    /** Everywhere else: the purchase page, the order form, the payment, messages. */
    charged: (amount: number, code: string = currency ?? chargedCurrency) =>
      currency || code !== chargedCurrency
        ? formatCurrency(amount, code)
        : `${code} ${formatDecimal(amount, 2)}`,
  };
}

// Creating a formatter takes a hundred times as long as using it.
const formatters = new Map<string, Intl.NumberFormat>();

function getFormatter(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const format = formatters.get(key) ?? new Intl.NumberFormat('en', options);
  formatters.set(key, format);
  return format;
}

/** `Intl` omits the decimals of some currencies (HUF, COP), but an amount that has decimals must not be rounded. */
const formatCurrency = (amount: number, code: string) =>
  Number.isInteger(amount)
    ? getFormatter(code, { style: 'currency', currency: code }).format(amount)
    : getFormatter(`${code} 2`, { style: 'currency', currency: code, minimumFractionDigits: 2 }).format(
        amount,
      );
const formatDecimal = (amount: number, places: number) =>
  getFormatter(`${places}`, { minimumFractionDigits: places, maximumFractionDigits: places }).format(amount);
