import type { Heading } from './heading-form.tsx';

const pieces = '(qty|quantity|pcs|pieces|units)';
const deliveries = [
  /^delivery$/,
  new RegExp(`^(${pieces} )?(delivered|shipped)$`),
  new RegExp(`^(delivered|shipped|delivery) ${pieces}$`),
];

/** Best first: beside “Description”, “Article” is usually the supplier's number. */
const names = [
  /^((product|article|item|tool) )?name$/,
  /^product$/,
  /^((product|article|item) )?description$/,
  /^(article|item|tool)$/,
];

/**
 * Guesses which headings of a supplier's file are the name and the delivery. Its price is ignored unless chosen: it is not
 * the selling price.
 */
export function guessColumns(headings: Heading[]): Heading[] {
  const texts = headings.map(({ heading }) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, ' ')
      .trim(),
  );
  const find = (patterns: RegExp[]) =>
    patterns.map((pattern) => texts.findIndex((text) => pattern.test(text))).find((at) => at >= 0);
  const has = (...columns: string[]) => headings.some(({ column }) => columns.includes(column));
  const isSuppliers = !has('id', 'name');
  const name = isSuppliers ? find(names) : undefined;
  const delivery = has('delivery') ? undefined : find(deliveries);
  return headings.map((heading, at) => {
    if (at === name) return { ...heading, column: 'name' };
    if (at === delivery) return { ...heading, column: 'delivery' };
    return isSuppliers && heading.column === 'price' ? { ...heading, column: '' } : heading;
  });
}
