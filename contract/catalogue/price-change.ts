/** Whether a price is less than half or more than double the old one, which may be a typing error. */
export const isLargePriceChange = (before: number, after: number): boolean =>
  after * 2 < before || after > before * 2;
