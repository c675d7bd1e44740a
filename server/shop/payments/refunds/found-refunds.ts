import { uuidv7 } from 'uuidv7';
import { z } from 'zod';
import { refundReason } from '../../../../contract/orders/refunds.ts';
import type { Tx } from '../../../database/schema.ts';
import { shopItself } from '../../audit/actor.ts';
import {
  isCounted,
  isOwed,
  type LineRow,
  type Refund,
  type RefundRow,
  wasOwed,
} from '../../orders/refund-rows.ts';
import { noteRemoved } from '../../orders/removed-pieces.ts';
import type { Shop } from '../../shop.ts';
import { findRefundLines } from './assign.ts';
import { insertLines, type NewLine } from './lines.ts';
import type { ProviderRefund } from './refund-calls.ts';
import { readMetadata } from './refund-metadata.ts';
import { paysOwed } from './settlement.ts';
import { addRestocked, applyChange, type SyncState } from './sync-state.ts';

/** A purchase and the payment that paid it. */
export type PaidPurchase = { purchaseId: string; paymentId: string; intent: string };

/** Whether the provider has refused a refund. */
export const isRefused = (refund: RefundRow): boolean => refund.provider_id === null && !isCounted(refund);

/**
 * Adds a refund that the provider lists to a purchase. The refund was made at the provider, or it is one of our own: a restore has
 * lost it, or the provider first `refused` it and then made it. It is pending until `updateRefund`.
 */
export async function addRefund(
  shop: Shop,
  state: SyncState,
  { purchaseId, paymentId, intent }: PaidPurchase,
  refund: ProviderRefund,
  refused: Refund | undefined,
): Promise<Refund> {
  if (refused) await forgetRefused(state, refused);
  const metadata = readMetadata(refund.metadata, shop.id);
  const assigned = findRefundLines(refund, [...state.orders.values()], shop.id);
  const { replaces = null } = metadata ?? {};
  const settlement = refused && assigned ? findSettlement(refused) : undefined;
  if (refused?.outcome === 'repaid' && !settlement)
    shop.log.error(
      { refund: refused.id, purchase: purchaseId },
      'a refund was made after a part of it had been repaid: the customer may have been paid twice',
    );
  const row: RefundRow = {
    id: (await findLostId(state.tx, metadata)) ?? uuidv7(),
    payment_id: paymentId,
    purchase_id: purchaseId,
    amount: refund.amount,
    currency: refund.currency.toUpperCase(),
    reason: refundReason.catch('other').parse(refund.reason),
    note: '',
    status: 'pending',
    failure: '',
    provider_id: null,
    // Only our own requests name a refund. A restore has lost the row of this refund, with the admin who requested it.
    ...(metadata?.refund === undefined ? { actor_id: null, actor: '' } : shopItself),
    replaces:
      replaces !== null && assigned && (await paysOwed(state.tx, replaces, assigned)) ? replaces : null,
    still_send: metadata?.stillSend === 'yes' ? 1 : 0,
    settled_at: null,
    outcome: null,
    settled_by_id: null,
    settled_by: '',
    created_at: refund.created * 1000,
    updated_at: Date.now(),
    ...(refused && pickRequest(refused)),
    ...settlement,
  };
  await state.tx.insertInto('refund').values(row).execute();
  state.money += refund.amount;
  state.isChanged = true;
  if (!assigned) state.unassigned += refund.amount;
  const lines = assigned ? await addLines(state, row, assigned) : [];
  for (const { subject_id, removed } of refused?.lines ?? [])
    await noteRemoved(state.tx, subject_id, removed);
  return { ...row, intent, lines };
}

/** The facts about the request of a refund: its admin, time and reason. */
const pickRequest = ({ id, reason, note, actor_id, actor, created_at }: RefundRow) => ({
  id,
  reason,
  note,
  actor_id,
  actor,
  created_at,
});

/**
 * The settlement of a refund that an admin had repaid in full before the provider made it after all. The refund keeps the
 * settlement: the customer may have been paid twice, and if the refund fails, nothing is owed.
 */
function findSettlement(refused: Refund) {
  const { settled_at, outcome, settled_by_id, settled_by, lines } = refused;
  const isRepaid = outcome === 'repaid' && lines.every((line) => wasOwed(refused, line));
  return isRepaid ? { settled_at, outcome, settled_by_id, settled_by } : undefined;
}

/**
 * Deletes a refused refund, and subtracts it from its orders: the amount that is owed or was repaid, and its pieces. A replacement
 * of the refused refund becomes an ordinary refund. Pieces that were left out of a parcel stay removed.
 */
async function forgetRefused(state: SyncState, refused: Refund): Promise<void> {
  const { id, outcome, lines } = refused;
  await state.tx.deleteFrom('refund').where('id', '=', id).execute();
  await state.tx.updateTable('refund').set({ replaces: null }).where('replaces', '=', id).execute();
  for (const line of lines) {
    const order = state.orders.get(line.subject_id);
    if (!order || line.removed === 0) continue;
    const repaid = outcome === 'repaid' ? line.amount : 0;
    state.money -= repaid;
    await applyChange(state, order, {
      refunded: -repaid,
      owed: isOwed(refused, line) ? -line.amount : 0,
      refunded_quantity: -(line.quantity ?? 0),
    });
  }
}

/** The id that one of our refunds had before a restore lost it. The refund keeps it, because a replacement may name this id. */
async function findLostId(tx: Tx, metadata: Record<string, string> | undefined): Promise<string | undefined> {
  const id = z.uuid().safeParse(metadata?.refund).data;
  const taken = id && (await tx.selectFrom('refund').select('id').where('id', '=', id).executeTakeFirst());
  return taken ? undefined : id;
}

/** Assigns a refund whose orders were unclear. They may be clear now, because another refund was refused. */
export async function assignLater(
  shop: Shop,
  state: SyncState,
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

/** Assigns a refund to orders. If the provider has accepted it before, its pieces return to stock; otherwise see `updateRefund`. */
async function addLines(
  state: SyncState,
  refund: RefundRow,
  assigned: readonly NewLine[],
): Promise<LineRow[]> {
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
