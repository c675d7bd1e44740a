import type { OwnOrder } from '../../../../../contract/orders/order-list.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { findRefundWord } from './refund-texts.ts';

/** The orders of one purchase, in the order of its lines. */
export type PurchaseOrders = [OwnOrder, ...OwnOrder[]];

/** Groups a list of orders, newest first, by purchase. */
export function groupByPurchase(orders: readonly OwnOrder[]): PurchaseOrders[] {
  const groups = new Map<string, PurchaseOrders>();
  for (const order of orders) {
    const group = groups.get(order.purchase);
    if (group) group.unshift(order);
    else groups.set(order.purchase, [order]);
  }
  return [...groups.values()];
}

/**
 * Ends a page of at most `pageSize` orders with a whole purchase. `rows` has one row more than the page if there is a
 * next one.
 */
export function cutPage({ rows, after }: { rows: OwnOrder[]; after: string | undefined }, pageSize: number) {
  const next = rows[pageSize];
  if (!next) return { rows, after };
  const page = rows.slice(0, pageSize).filter(({ purchase }) => purchase !== next.purchase);
  return { rows: page, after: page.at(-1)?._id };
}

/** Whether the orders of a purchase have the same status, so that one word describes them. */
export const haveSameStatus = ([first, ...others]: readonly Order[]): boolean =>
  first !== undefined &&
  others.every(
    (other) => other.orderStatus === first.orderStatus && findRefundWord(other) === findRefundWord(first),
  );

/** Sums amounts of money in hundredths, because floats are inexact. */
export const sumAmounts = (amounts: readonly number[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0) / 100;
