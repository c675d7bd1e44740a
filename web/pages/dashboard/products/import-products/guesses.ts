import type { Heading } from './heading-form.tsx';

const pieces = '(qty|quantity|pcs|pieces|units)';
/** In order of preference: beside “Qty shipped”, “Quantity” is probably the quantity ordered. */
const deliveries = [
  /^(delivery|liefermenge|geliefert|gelieferte menge|menge geliefert|quantité livrée)$/,
  new RegExp(`^(${pieces} )?(delivered|shipped|received)$`),
  new RegExp(`^(delivered|shipped|received|delivery) ${pieces}$`),
  new RegExp(`^(${pieces}|menge|anzahl|stück|quantité)$`),
];

/** In order of preference: beside “Description”, “Article” is usually the supplier's number. */
const names = [
  /^((product|article|item|tool) )?name$/,
  /^product$/,
  /^(((product|article|item) )?description|(artikel)?bezeichnung|désignation)$/,
  /^(article|item|tool|artikel)$/,
];

/**
 * Guesses which headings of a file, in English, German or French, are the name, the delivery, and the price in the shop's
 * currency. Ignores the price in a supplier's file, because it is not the selling price; the admin can still choose it.
 */
export function guessColumns(headings: Heading[], currency: string): Heading[] {
  const texts = headings.map(({ heading }) =>
    heading
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(/[^\p{L}]+/gu, ' ')
      .trim(),
  );
  const find = (patterns: RegExp[]) =>
    patterns.map((pattern) => texts.findIndex((text) => pattern.test(text))).find((at) => at >= 0);
  const hasAny = (...columns: string[]) => headings.some(({ column }) => columns.includes(column));
  const isSuppliers = !hasAny('id', 'name');
  const name = isSuppliers ? find(names) : undefined;
  const prices = [
    new RegExp(`^(selling )?(price|preis|verkaufspreis|prix)( in)?( ${currency.toLowerCase()})?$`),
  ];
  const price = isSuppliers || hasAny('price') ? undefined : find(prices);
  const delivery = hasAny('id', 'delivery') ? undefined : find(deliveries);
  return headings.map((heading, index) => {
    if (index === name) return { ...heading, column: 'name' };
    if (index === price) return { ...heading, column: 'price' };
    if (index === delivery) return { ...heading, column: 'delivery' };
    return isSuppliers && heading.column === 'price' ? { ...heading, column: '' } : heading;
  });
}
