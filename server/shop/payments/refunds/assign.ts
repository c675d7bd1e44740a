import { countLeft } from '../../orders/queries.ts';
import type { Subject } from '../../orders/subjects.ts';
import { countUnrefunded, getRest, type NewLine } from './lines.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { readLines, readMetadata } from './refund-metadata.ts';

/**
 * Finds the orders and charges that a refund made at the provider is for: those in our metadata, the purchase's only order if
 * nothing else was charged, or those whose rest is exactly this amount (one, or all of them). A charge is clear only if nothing of it is
 * refunded and no others add up to the amount. Returns undefined if they are not clear, or if one has less left than the amount. An admin then
 * assigns the refund.
 */
export function findRefundLines(
  refund: Pick<ProviderRefund, 'amount' | 'metadata'>,
  orders: readonly Subject[],
  shopId: string,
): NewLine[] | undefined {
  const own = readMetadata(refund.metadata, shopId);
  const named = own && readLines(own);
  if (named) return assignNamed(named, refund.amount, orders);
  const [only, ...others] = orders;
  if (only && others.length === 0) {
    const line = assignAmount(only, refund.amount);
    return line && [line];
  }
  const open = orders.filter((order) => getRest(order) > 0);
  const exact = open.filter((order) => getRest(order) === refund.amount);
  const isClear = (subject: Subject) =>
    !subject.charge ||
    (subject.refunded === 0 &&
      !canAddUp(
        open.filter((other) => other !== subject),
        refund.amount,
      ));
  const isAll = open.reduce((sum, order) => sum + getRest(order), 0) === refund.amount;
  const meant = isAll ? open : exact.length === 1 && exact.every(isClear) ? exact : [];
  const lines = meant.flatMap((order) => assignAmount(order, getRest(order)) ?? []);
  return lines.length > 0 ? lines : undefined;
}

/** With more orders than this, there would be too many sets to compare. */
const maxCompared = 12;

/** Whether the rests of some of these orders and charges may add up to exactly this amount. */
function canAddUp(subjects: readonly Subject[], amount: number): boolean {
  if (subjects.length > maxCompared) return true;
  let sums = [0];
  for (const subject of subjects) sums = sums.flatMap((sum) => [sum, sum + getRest(subject)]);
  return sums.includes(amount);
}

/**
 * If the amount is all that is left of an order, the refund includes the unshipped pieces. For any other amount, the number of
 * pieces is unknown.
 */
function assignAmount(order: Subject, amount: number): NewLine | undefined {
  if (amount > getRest(order)) return undefined;
  const isAll = amount === getRest(order) && order.status === 'paid';
  const left = countLeft(order);
  if (!isAll || left === 0) return { order, amount, quantity: null, restock: 0, removed: 0 };
  const quantity = Math.min(left, countUnrefunded(order));
  return { order, amount, quantity, restock: 0, removed: left };
}

function assignNamed(
  named: NonNullable<ReturnType<typeof readLines>>,
  total: number,
  orders: readonly Subject[],
): NewLine[] | undefined {
  const lines = named.map(({ order: id, amount = total, quantity, restock = 0 }): NewLine | undefined => {
    const order = orders.find((one) => one.id === id);
    if (!order || amount < 1 || amount > getRest(order)) return undefined;
    if (quantity === undefined) return assignAmount(order, amount);
    const refunded = Math.min(quantity, countUnrefunded(order));
    const removed = Math.min(refunded, countLeft(order));
    return { order, amount, quantity: refunded, restock: Math.min(restock, removed), removed };
  });
  const found = lines.filter((line) => line !== undefined);
  const isWhole = found.reduce((sum, { amount }) => sum + amount, 0) === total;
  // If an order is named twice, the orders are not clear either.
  return new Set(found.map(({ order }) => order)).size === named.length && isWhole ? found : undefined;
}
