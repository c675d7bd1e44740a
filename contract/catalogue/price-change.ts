/** Whether a price falls below half of the old one or rises above its double, which may be a typing error. */
export const isLargePriceChange = (before: number, after: number): boolean =>
  after * 2 < before || after > before * 2;
