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
  const named = (amount: number, code: string) =>
    new Intl.NumberFormat('en', { style: 'currency', currency: code }).format(amount);

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

const digits = (amount: number, places: number) =>
  amount.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places });
