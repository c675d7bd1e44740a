/** As an admin would type it: 12.50, or 300. */
export const formatPriceInput = (price: number): string =>
  Number.isInteger(price) ? String(price) : price.toFixed(2);
