import type { Basket, BasketLine } from '../../../contract/orders/purchases.ts';
import type { ShownLine } from './forms.ts';

/** Why a line cannot be ordered as it is, in plain words. */
export function describeProblem({ product, problem }: BasketLine): string | undefined {
  const { o_quantity, a_quantity } = product;
  switch (problem) {
    case 'gone':
      return 'This tool is no longer sold.';
    case 'sold_out':
      return a_quantity ? `Sold out: fewer than the minimum order of ${o_quantity} are left.` : 'Sold out.';
    case 'below_minimum':
      return `The minimum order is now ${o_quantity}.`;
    case 'over_stock':
      return `Only ${a_quantity} left.`;
    case 'over_limit':
      return 'The total is too high for one order: choose fewer.';
    case 'below_charge':
      return 'The total is too low to charge to a card: choose more.';
    default:
      return undefined;
  }
}

/** The quantity that solves a line's problem; undefined if only removing it does. */
export function findSuggestedQuantity({ product, problem }: BasketLine): number | undefined {
  if (problem === 'below_minimum') return product.o_quantity;
  return problem === 'over_stock' ? product.a_quantity : undefined;
}

/** Describes how the basket differs from the lines that the page showed, in one sentence per difference. */
export function describeChanges(
  shown: readonly ShownLine[],
  { lines }: Basket,
  formatMoney: (amount: number) => string,
): string[] {
  const shownById = new Map(shown.map((line) => [line.orderId, line]));
  const changes = lines.flatMap((line) => {
    const { product, quantity } = line;
    const { name, price } = product;
    const before = shownById.get(product._id);
    if (!before) return [`${name} was added.`];
    const problem = describeProblem(line);
    return [
      ...(problem ? [`${name}: ${problem.charAt(0).toLowerCase()}${problem.slice(1)}`] : []),
      ...(price !== undefined && before.price && before.price !== price
        ? [`${name} now costs ${formatMoney(price)} each, not ${formatMoney(before.price)}.`]
        : []),
      ...(quantity === before.orderQuantity
        ? []
        : [`${name}: the quantity is now ${quantity}, not ${before.orderQuantity}.`]),
    ];
  });
  const present = new Set(lines.map(({ product }) => product._id));
  const removed = shown.filter(({ orderId }) => !present.has(orderId)).length;
  if (removed === 0) return changes;
  return [...changes, removed === 1 ? 'One tool was removed.' : `${removed} tools were removed.`];
}
