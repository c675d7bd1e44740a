import { sql } from 'kysely';
import type { Tx } from '../../../database/schema.ts';
import type { Actor } from '../../audit/actor.ts';
import { countLeft, type OrderRow } from '../../orders/queries.ts';
import type { RefundRow } from '../../orders/refund-rows.ts';
import type { Subject } from '../../orders/subjects.ts';
import { advanceVersion } from '../../orders/version.ts';
import { addStock, lockProducts } from '../../products/stock/stock.ts';
import type { Shop } from '../../shop.ts';
import { type Change, changeCounters, hasChanges } from './counters.ts';

/** The data that a sync has read, and its changes so far. */
export type SyncState = {
  tx: Tx;
  /** The orders and charges of the purchase, as they are now. */
  orders: Map<string, Subject>;
  /** Pieces that return to stock. */
  restocked: { productId: string; quantity: number; orderId: string; actor: Actor }[];
  /** The change of the purchase's refunded amount, in minor units. */
  money: number;
  /** The change of the purchase's unassigned amount, in minor units. */
  unassigned: number;
  /** Whether anything has changed that the purchase's version counts. */
  isChanged: boolean;
};

/** Changes the counters of an order or charge. With `mayEnd`, a partly shipped order becomes shipped if no pieces are left to ship. */
export async function applyChange(
  state: SyncState,
  order: Subject,
  change: Change,
  { mayEnd = false } = {},
): Promise<void> {
  const hasNoneLeft = order.status === 'paid' && order.shipped > 0 && countLeft(order) === 0;
  if (!hasChanges(change) && !(mayEnd && hasNoneLeft)) return;
  const after = await changeCounters(state.tx, order, change, { mayEnd });
  state.orders.set(order.id, after);
  const { refund_pending: _, ...counted } = change;
  if (hasChanges(counted) || after.status !== order.status) state.isChanged = true;
}

/** Returns pieces of an order to stock at the end of the sync, in the name of the admin who requested the refund. */
export function addRestocked(
  state: SyncState,
  { id, product_id }: OrderRow,
  quantity: number,
  { actor_id, actor }: RefundRow,
): void {
  state.restocked.push({ productId: product_id, quantity, orderId: id, actor: { actor_id, actor } });
}

/** Returns pieces to stock. Products are locked in the order of their ids. */
export async function restock(shop: Shop, { tx, restocked }: SyncState): Promise<void> {
  const productIds = [...new Set(restocked.map(({ productId }) => productId))];
  await lockProducts(tx, shop.database.engine, productIds);
  for (const { actor, ...line } of restocked)
    await addStock(shop, tx, [line], { reason: 'restock', ...actor });
}

/** Saves the amounts of the purchase and advances its version, if anything has changed that the version counts. */
export async function advancePurchase(
  { tx, money, unassigned, isChanged }: SyncState,
  purchaseId: string,
): Promise<void> {
  if (!isChanged) return;
  await advanceVersion(tx, purchaseId, {
    refunded: sql<number>`refunded + ${money}`,
    unassigned: sql<number>`unassigned + ${unassigned}`,
  });
}
