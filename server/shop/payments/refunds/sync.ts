import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { type RefundStatus, refundReason } from '../../../../contract/orders/refunds.ts';
import type { Tx } from '../../../database/schema.ts';
import type { Actor } from '../../audit/actor.ts';
import { queueOrderRefunded, queueRefundFailed } from '../../mail/queue.ts';
import { countLeft, lockPurchaseOrders, type OrderRow } from '../../orders/queries.ts';
import {
  isCounted,
  isUnaccepted,
  type LineRow,
  listRefunds,
  type Refund,
  type RefundRow,
} from '../../orders/refund-rows.ts';
import { noteRemoved, removeRest } from '../../orders/removed-pieces.ts';
import { advanceVersion } from '../../orders/version.ts';
import { addStock, lockProducts } from '../../products/stock/stock.ts';
import type { Shop } from '../../shop.ts';
import { findRefundLines } from './assign.ts';
import { type Change, changeCounters, isChange } from './counters.ts';
import { insertLines, type NewLine } from './lines.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { readMetadata } from './refund-metadata.ts';
import { reportRefund } from './report.ts';
import { paysOwed } from './settlement.ts';

/** A purchase and the payment that paid it. */
export type PaidPurchase = { purchaseId: string; paymentId: string; intent: string };

/** A refund's status only advances, so an older response from the provider cannot replace a newer one. */
const statusRank: Record<RefundStatus, number> = { pending: 0, succeeded: 1, failed: 2, canceled: 2 };

/**
 * Updates the refunds of a purchase to match the provider's, and adds those that were made there. Idempotent. Throws 503
 * if the provider is unreachable.
 */
export async function syncRefunds(shop: Shop, purchase: PaidPurchase): Promise<void> {
  const reported = await shop.provider.listRefunds(purchase.intent);
  const { changed, hasRestocked } = await shop.database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, shop.database.engine, purchase.purchaseId);
    const refunds = await listRefunds(tx, { payment_id: purchase.paymentId });
    const state: State = {
      tx,
      orders: new Map(orders.map((order) => [order.id, order])),
      restocked: [],
      money: 0,
      unassigned: 0,
      isChanged: false,
    };
    const changed: Refund[] = [];
    /** Those that customers have been told about, and that have failed since. */
    const returned: Refund[] = [];
    // Oldest first, like the decisions of those who made them. A refund listed twice would count twice.
    for (const refund of new Map(reported.toReversed().map((one) => [one.id, one])).values()) {
      const known = refunds.find((row) => isSameRefund(shop, row, refund));
      const current = known ?? (await addRefund(shop, state, purchase, refund));
      const updated = await updateRefund(state, current, refund);
      if (updated) changed.push(updated);
      if (updated && current.status === 'succeeded') returned.push(updated);
    }
    for (const refund of refunds)
      if (!changed.some(({ id }) => id === refund.id)) await assignLater(shop, state, refund, reported);
    for (const order of state.orders.values()) {
      const after = await removeRest(tx, order);
      if (after !== order) state.isChanged = true;
    }
    await restock(shop, state);
    await advancePurchase(state, purchase.purchaseId);
    const [order] = orders;
    for (const { id, status } of changed)
      if (order && status === 'succeeded') await queueOrderRefunded(shop, tx, { id, userId: order.user_id });
    for (const { id } of returned)
      if (order) await queueRefundFailed(shop, tx, { id, userId: order.user_id });
    return { changed, hasRestocked: state.restocked.length > 0 };
  });
  if (hasRestocked) shop.invalidateCache();
  for (const refund of changed) reportRefund(shop, refund);
}

/** The data that a sync has read, and its changes so far. */
type State = {
  tx: Tx;
  /** The orders of the purchase, as they are now. */
  orders: Map<string, OrderRow>;
  /** Pieces that return to stock. */
  restocked: { productId: string; quantity: number; orderId: string; actor: Actor }[];
  /** Added to the purchase's refunded and unassigned amounts, in minor units. */
  money: number;
  unassigned: number;
  /** Whether anything has changed that the purchase's version counts. */
  isChanged: boolean;
};

function isSameRefund(shop: Shop, row: RefundRow, { id, metadata }: ProviderRefund): boolean {
  if (row.provider_id !== null) return row.provider_id === id;
  return metadata?.shop === shop.id && metadata.refund === row.id;
}

/** https://docs.stripe.com/api/refunds/object#refund_object-status */
export function toStatus({ status }: ProviderRefund): RefundStatus {
  return status === 'succeeded' || status === 'failed' || status === 'canceled' ? status : 'pending';
}

/**
 * Updates a refund, and the orders that it is for. When the provider has accepted it, its pieces return to stock, once. When it
 * fails or is canceled later, its amount is owed, up to the orders' prices, and nothing else changes: its pieces stay where they are.
 * If the shop already owes all of it, as after a second attempt in the provider's dashboard, the refund is settled at once. Returns
 * the refund if it has changed. The lock on the purchase makes `refund` current.
 */
async function updateRefund(
  state: State,
  refund: Refund,
  reported: ProviderRefund,
): Promise<Refund | undefined> {
  const status = toStatus(reported);
  const isAccepted = refund.provider_id === null;
  if (!isAccepted && statusRank[status] <= statusRank[refund.status]) return undefined;
  // Positive for a refund that was refused, and is found at the provider all the same.
  const sign = Number(isCounted({ status })) - Number(isCounted(refund));
  const isReplaced = isAccepted && refund.replaces !== null;
  const owed = sign < 0 ? await readOwedByLine(state, refund) : new Map<string, number>();
  const isOwed = owed.values().some((amount) => amount > 0);
  const now = Date.now();
  const changes = {
    status,
    provider_id: reported.id,
    failure: reported.failure_reason ?? '',
    updated_at: now,
    ...(sign < 0 && owed.size > 0 && !isOwed ? { settled_at: now, outcome: 'nothing_owed' as const } : {}),
  };
  await state.tx.updateTable('refund').set(changes).where('id', '=', refund.id).execute();
  const updated = { ...refund, ...changes };
  state.money += sign * refund.amount;
  if (refund.lines.length === 0) {
    state.unassigned += sign * refund.amount;
    if (sign < 0) await oweUnassigned(state, refund);
  }
  if (sign !== 0) state.isChanged = true;
  if (isReplaced)
    await state.tx
      .updateTable('refund')
      .set({ settled_at: Date.now(), outcome: 'refunded' })
      .where('id', '=', refund.replaces)
      .execute();
  for (const line of refund.lines) {
    const order = state.orders.get(line.order_line_id);
    if (!order) continue;
    const returned = isAccepted ? Math.min(line.restock, order.removed + order.shipped - order.returned) : 0;
    const owedAmount = owed.get(line.id) ?? 0;
    const isDropped = isOwed && owedAmount === 0;
    if (isOwed && owedAmount < line.amount) await lowerLine(state.tx, line, owedAmount);
    const change = {
      refunded: sign * line.amount,
      refund_pending: (Number(status === 'pending') - Number(refund.status === 'pending')) * line.amount,
      owed: owedAmount - (isReplaced ? line.amount : 0),
      refunded_quantity: isDropped ? -(line.quantity ?? 0) : 0,
      returned,
    };
    await applyChange(state, order, change, { mayEnd: isAccepted });
    // Fewer, if they came back to stock on their own meanwhile.
    if (isAccepted && returned < line.restock)
      await state.tx
        .updateTable('refund_line')
        .set({ restock: returned })
        .where('id', '=', line.id)
        .execute();
    if (returned > 0) addRestocked(state, order, returned, refund);
  }
  return updated;
}

/** By line, what is owed of a refund that fails: its amount, up to what the order's price leaves. In minor units. */
async function readOwedByLine({ tx, orders }: State, { lines }: Refund): Promise<Map<string, number>> {
  const owed = new Map<string, number>();
  for (const { id, order_line_id, amount } of lines) {
    const order = orders.get(order_line_id);
    // The refund itself still counts as refunded.
    if (order) owed.set(id, Math.max(0, Math.min(amount, amount + (await readOwable(tx, order)))));
  }
  return owed;
}

/**
 * What an order's price leaves without the amounts that are refunded or owed. One that is being refunded again is both, until the
 * provider has accepted that: it counts once. In minor units.
 */
async function readOwable(tx: Tx, { id, total, refunded, owed }: OrderRow): Promise<number> {
  const again = await tx
    .selectFrom('refund_line')
    .innerJoin('refund', 'refund.id', 'refund_line.refund_id')
    .select('refund_line.amount')
    .where('order_line_id', '=', id)
    .where('refund.replaces', 'is not', null)
    .where(isUnaccepted)
    .execute();
  return total - refunded - owed + again.reduce((sum, { amount }) => sum + amount, 0);
}

/** Lowers the amount of a failed refund's line to what is owed of it. One of which nothing is owed is deleted. */
async function lowerLine(tx: Tx, { id, order_line_id, removed }: LineRow, amount: number): Promise<void> {
  if (amount > 0) {
    await tx.updateTable('refund_line').set({ amount }).where('id', '=', id).execute();
    return;
  }
  await tx.deleteFrom('refund_line').where('id', '=', id).execute();
  await noteRemoved(tx, order_line_id, removed);
}

/** A failed refund that is not assigned is owed for the orders in turn, up to their prices: otherwise nothing would show it. */
async function oweUnassigned(state: State, refund: Refund): Promise<void> {
  let left = refund.amount;
  for (const order of state.orders.values()) {
    const amount = Math.min(left, await readOwable(state.tx, order));
    if (amount <= 0) continue;
    left -= amount;
    await insertLines(state.tx, refund.id, [{ order, amount, quantity: null, restock: 0, removed: 0 }]);
    await applyChange(state, order, { owed: amount }, { mayEnd: false });
  }
}

async function applyChange(
  state: State,
  order: OrderRow,
  change: Change,
  { mayEnd }: { mayEnd: boolean },
): Promise<void> {
  const isOver = order.status === 'paid' && order.shipped > 0 && countLeft(order) === 0;
  if (!isChange(change) && !(mayEnd && isOver)) return;
  const after = await changeCounters(state.tx, order, change, { mayEnd });
  state.orders.set(order.id, after);
  const { refund_pending: _, ...counted } = change;
  if (isChange(counted) || after.status !== order.status) state.isChanged = true;
}

/** Adds a refund that was made at the provider, or one of ours that a restore has lost. It is pending until `updateRefund`. */
async function addRefund(
  shop: Shop,
  state: State,
  { purchaseId, paymentId, intent }: PaidPurchase,
  refund: ProviderRefund,
): Promise<Refund> {
  const own = readMetadata(refund.metadata, shop.id);
  const assigned = findRefundLines(refund, [...state.orders.values()], shop.id);
  const { replaces = null } = own ?? {};
  const row: RefundRow = {
    id: (await findLostId(state.tx, own)) ?? uuidv7(),
    payment_id: paymentId,
    purchase_id: purchaseId,
    amount: refund.amount,
    currency: refund.currency.toUpperCase(),
    reason: refundReason.catch('other').parse(refund.reason),
    note: '',
    status: 'pending',
    failure: '',
    provider_id: null,
    actor_id: null,
    actor: '',
    replaces:
      replaces !== null && assigned && (await paysOwed(state.tx, replaces, assigned)) ? replaces : null,
    still_send: own?.stillSend === 'yes' ? 1 : 0,
    settled_at: null,
    outcome: null,
    created_at: refund.created * 1000,
    updated_at: Date.now(),
  };
  await state.tx.insertInto('refund').values(row).execute();
  state.money += refund.amount;
  state.isChanged = true;
  if (!assigned) {
    state.unassigned += refund.amount;
    return { ...row, intent, lines: [] };
  }
  return { ...row, intent, lines: await addLines(state, row, assigned) };
}

/** The id that one of our refunds had before a restore lost it: another one may replace it. */
async function findLostId(tx: Tx, own: Record<string, string> | undefined): Promise<string | undefined> {
  const id = z.uuid().safeParse(own?.refund).data;
  const taken = id && (await tx.selectFrom('refund').select('id').where('id', '=', id).executeTakeFirst());
  return taken ? undefined : id;
}

/** A refund that was not clear may be now, because another one was refused. */
async function assignLater(
  shop: Shop,
  state: State,
  refund: Refund,
  reported: readonly ProviderRefund[],
): Promise<void> {
  const { metadata = null } = reported.find(({ id }) => id === refund.provider_id) ?? {};
  if (refund.lines.length > 0 || !isCounted(refund)) return;
  const assigned = findRefundLines({ amount: refund.amount, metadata }, [...state.orders.values()], shop.id);
  if (!assigned) return;
  await addLines(state, refund, assigned);
  state.unassigned -= refund.amount;
}

/** Assigns a refund to orders. Its pieces return to stock if the provider has accepted it before; otherwise `updateRefund` does that. */
async function addLines(state: State, refund: RefundRow, assigned: readonly NewLine[]): Promise<LineRow[]> {
  const lines = await insertLines(state.tx, refund.id, assigned);
  for (const { order, amount, quantity, restock, removed } of assigned) {
    const pending = refund.status === 'pending' ? amount : 0;
    const returned = refund.provider_id === null ? 0 : restock;
    const change = { refunded: amount, refund_pending: pending, refunded_quantity: quantity ?? 0, removed };
    await applyChange(state, order, { ...change, returned }, { mayEnd: true });
    if (returned > 0) addRestocked(state, order, returned, refund);
  }
  return lines;
}

function addRestocked(
  state: State,
  { id, product_id }: OrderRow,
  quantity: number,
  { actor_id, actor }: RefundRow,
): void {
  state.restocked.push({ productId: product_id, quantity, orderId: id, actor: { actor_id, actor } });
}

/** Returns pieces to stock. Products are locked in the order of their ids. */
async function restock(shop: Shop, { tx, restocked }: State): Promise<void> {
  const productIds = [...new Set(restocked.map(({ productId }) => productId))];
  await lockProducts(tx, shop.database.engine, productIds);
  for (const { actor, ...line } of restocked)
    await addStock(shop, tx, [line], { reason: 'restock', ...actor });
}

async function advancePurchase(
  { tx, money, unassigned, isChanged }: State,
  purchaseId: string,
): Promise<void> {
  if (!isChanged) return;
  await advanceVersion(tx, purchaseId, {
    refunded: sql<number>`refunded + ${money}`,
    unassigned: sql<number>`unassigned + ${unassigned}`,
  });
}
