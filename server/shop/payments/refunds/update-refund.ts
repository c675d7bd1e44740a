import type { RefundStatus } from '../../../../contract/orders/refunds.ts';
import type { Tx } from '../../../database/schema.ts';
import { isCounted, isUnaccepted, type LineRow, type Refund } from '../../orders/refund-rows.ts';
import { noteRemoved } from '../../orders/removed-pieces.ts';
import type { Subject } from '../../orders/subjects.ts';
import type { Shop } from '../../shop.ts';
import { insertLines } from './lines.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { readMetadata } from './refund-metadata.ts';
import { addRestocked, applyChange, type SyncState } from './sync-state.ts';

/** A refund's status only advances, so an older response from the provider cannot replace a newer one. */
const statusRank: Record<RefundStatus, number> = { pending: 0, succeeded: 1, failed: 2, canceled: 2 };

/** https://docs.stripe.com/api/refunds/object#refund_object-status */
export function toStatus({ status }: ProviderRefund): RefundStatus {
  return status === 'succeeded' || status === 'failed' || status === 'canceled' ? status : 'pending';
}

/**
 * Updates a refund that counts, and the orders that it is for. Returns the refund if it has changed. A refund that is first seen
 * as failed is accepted first, and then fails. The caller has locked the purchase, so `refund` is current.
 */
export async function updateRefund(
  shop: Shop,
  state: SyncState,
  refund: Refund,
  reported: ProviderRefund,
): Promise<Refund | undefined> {
  const status = toStatus(reported);
  const isNewlyAccepted = refund.provider_id === null;
  if (!isNewlyAccepted && statusRank[status] <= statusRank[refund.status]) return undefined;
  const changes = {
    status,
    provider_id: reported.id,
    failure: reported.failure_reason ?? '',
    updated_at: Date.now(),
  };
  await state.tx.updateTable('refund').set(changes).where('id', '=', refund.id).execute();
  const hasEnded = refund.status === 'pending' && status !== 'pending';
  if (isNewlyAccepted) await acceptRefund(state, refund, hasEnded);
  else if (hasEnded)
    for (const { line, order } of listLines(state, refund))
      await applyChange(state, order, { refund_pending: -line.amount });
  if (!isCounted({ status }))
    await failRefund(state, refund, await isOwedByOther(shop, state, refund, reported));
  return { ...refund, ...changes };
}

const listLines = ({ orders }: SyncState, { lines }: Refund): { line: LineRow; order: Subject }[] =>
  lines.flatMap((line) => {
    const order = orders.get(line.subject_id);
    return order ? [{ line, order }] : [];
  });

/**
 * Handles a refund that the provider has just accepted: its pieces return to stock, once, and the amount of the failed refund that
 * it replaces is no longer owed. `hasEnded` is whether the refund is no longer pending.
 */
async function acceptRefund(state: SyncState, refund: Refund, hasEnded: boolean): Promise<void> {
  const { tx } = state;
  const { replaces } = refund;
  if (replaces !== null)
    await tx
      .updateTable('refund')
      .set({ settled_at: Date.now(), outcome: 'refunded' })
      .where('id', '=', replaces)
      .execute();
  for (const { line, order } of listLines(state, refund)) {
    const returned = Math.min(line.restock, order.removed + order.shipped - order.returned);
    const owed = replaces === null ? 0 : -line.amount;
    const refund_pending = hasEnded ? -line.amount : 0;
    await applyChange(state, order, { returned, owed, refund_pending }, { mayEnd: true });
    // Fewer pieces return if an admin has already returned some of them.
    if (returned < line.restock)
      await tx.updateTable('refund_line').set({ restock: returned }).where('id', '=', line.id).execute();
    if (returned > 0) addRestocked(state, order, returned, refund);
  }
}

/**
 * Whether another refund already records what is owed: the one that this refund was meant to replace, according to its metadata. If
 * `replaces` is null, this refund did not replace the named one, which was already replaced or settled, or is still owed.
 */
async function isOwedByOther(
  shop: Shop,
  { tx }: SyncState,
  { purchase_id, replaces }: Refund,
  { metadata }: ProviderRefund,
): Promise<boolean> {
  const other = readMetadata(metadata, shop.id)?.replaces;
  if (replaces !== null || other === undefined) return false;
  const found = await tx
    .selectFrom('refund')
    .select('id')
    .where('id', '=', other)
    .where('purchase_id', '=', purchase_id)
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Handles a refund that has failed, or was canceled, after the provider had accepted it: its amount is owed, and its pieces stay
 * where they are. What is owed for an order is at most the part of its price that is neither refunded nor owed. If that is nothing,
 * for example because an admin has already refunded the amount again in the provider's dashboard, the refund is settled at once. If
 * an admin had repaid the amount another way before the provider made the refund, nothing is owed: the customer has that money, and
 * it still counts as refunded.
 */
async function failRefund(state: SyncState, refund: Refund, owedByOther: boolean): Promise<void> {
  const { tx } = state;
  if (refund.outcome === 'repaid') return;
  state.money -= refund.amount;
  state.isChanged = true;
  if (refund.lines.length === 0) {
    state.unassigned -= refund.amount;
    if (owedByOther) await settleAtOnce(tx, refund);
    else await oweUnassigned(state, refund);
    return;
  }
  const lines = [];
  for (const { line, order } of listLines(state, refund)) {
    // At this point, the order's refunded amount still includes this refund.
    const most = owedByOther ? 0 : line.amount + (await readOwable(tx, order));
    lines.push({ line, order, owed: Math.max(0, Math.min(line.amount, most)) });
  }
  const isOwed = lines.some(({ owed }) => owed > 0);
  if (!isOwed) await settleAtOnce(tx, refund);
  for (const { line, order, owed } of lines) {
    const isDropped = isOwed && owed === 0;
    if (isDropped) await dropLine(tx, line, order);
    else if (isOwed && owed < line.amount) await lowerLine(tx, line, order, owed);
    const refunded_quantity = isDropped ? -(line.quantity ?? 0) : 0;
    await applyChange(state, order, { refunded: -line.amount, owed, refunded_quantity });
  }
}

/**
 * The part of an order's price, or of a charge, that is neither refunded nor owed, in minor units. While an amount is being refunded again, and the
 * provider has not accepted the new refund, the amount is both refunded and owed. It counts once.
 */
async function readOwable(tx: Tx, { id, total, refunded, owed, charge }: Subject): Promise<number> {
  const replacements = charge
    ? await tx
        .selectFrom('refund_charge')
        .innerJoin('refund', 'refund.id', 'refund_charge.refund_id')
        .select('refund_charge.amount')
        .where('charge_id', '=', id)
        .where('refund.replaces', 'is not', null)
        .where('refund.status', '=', 'pending')
        .where('refund.provider_id', 'is', null)
        .execute()
    : await tx
        .selectFrom('refund_line')
        .innerJoin('refund', 'refund.id', 'refund_line.refund_id')
        .select('refund_line.amount')
        .where('order_line_id', '=', id)
        .where('refund.replaces', 'is not', null)
        .where(isUnaccepted)
        .execute();
  return total - refunded - owed + replacements.reduce((sum, { amount }) => sum + amount, 0);
}

/** Deletes the line of a failed refund of which nothing is owed. The pieces that the line has removed stay removed. */
async function dropLine(tx: Tx, line: LineRow, { id: subjectId, charge }: Subject): Promise<void> {
  if (charge) {
    await tx
      .deleteFrom('refund_charge')
      .where('refund_id', '=', line.refund_id)
      .where('charge_id', '=', line.id)
      .execute();
    return;
  }
  const { removed } = await tx
    .deleteFrom('refund_line')
    .where('id', '=', line.id)
    // Return the current value: a line that was deleted before may have passed its pieces on to this line.
    .returning('removed')
    .executeTakeFirstOrThrow();
  await noteRemoved(tx, subjectId, removed);
}

/** Records that less than a line's amount is owed, in minor units. */
async function lowerLine(tx: Tx, line: LineRow, { charge }: Subject, amount: number): Promise<void> {
  const { id, refund_id } = line;
  if (charge)
    await tx
      .updateTable('refund_charge')
      .set({ amount })
      .where('refund_id', '=', refund_id)
      .where('charge_id', '=', id)
      .execute();
  else await tx.updateTable('refund_line').set({ amount }).where('id', '=', id).execute();
}

/** Records that nothing is owed of a failed refund, without an admin's decision. */
async function settleAtOnce(tx: Tx, { id }: Refund): Promise<void> {
  await tx
    .updateTable('refund')
    .set({ settled_at: Date.now(), outcome: 'nothing_owed' })
    .where('id', '=', id)
    .execute();
}

/**
 * Records what is owed of a failed refund that is not assigned to orders: the orders are owed the amount in turn, up to their
 * prices. Otherwise nothing would show the debt.
 */
async function oweUnassigned(state: SyncState, refund: Refund): Promise<void> {
  let left = refund.amount;
  for (const order of state.orders.values()) {
    const amount = Math.min(left, await readOwable(state.tx, order));
    if (amount <= 0) continue;
    left -= amount;
    await insertLines(state.tx, refund.id, [{ order, amount, quantity: null, restock: 0, removed: 0 }]);
    await applyChange(state, order, { owed: amount });
  }
}
