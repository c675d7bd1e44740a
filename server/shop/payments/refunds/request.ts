import { sql } from 'kysely';
import { type ErrorData, ShopError } from '../../../../contract/errors.ts';
import type { RefundReason } from '../../../../contract/orders/refunds.ts';
import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { countLeft, type OrderRow } from '../../orders/queries.ts';
import { type Subject, toTarget } from '../../orders/subjects.ts';
import { nextVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { insertLines, listChanges } from './lines.ts';

/** An admin's refund of an order or charge that the transaction has locked; `amount` is in minor units. */
export type RequestedLine = { order: Subject; amount: number; quantity: number; restock: number };

type Request = {
  id: string;
  /** All orders and charges of the purchase. */
  subjects: readonly Subject[];
  lines: RequestedLine[];
  reason: RefundReason;
  note: string;
  /** Whether the pieces are shipped although the order is refunded in full. */
  stillSend: boolean;
  /** The failed refund whose amount this refund pays. The amount stays owed until the provider has accepted this refund. */
  replaces: string | null;
};

/**
 * Records a refund before it is requested from the provider: its amount is reserved, and its unshipped pieces will not be shipped.
 * The stock does not change. The caller has checked the lines; if an order nevertheless has less left, throws 409.
 */
export async function requestRefund(
  tx: Tx,
  { id, subjects, lines, reason, note, stillSend, replaces }: Request,
  actor: SessionUser,
  shop: Shop,
): Promise<void> {
  const [first] = subjects;
  if (!first) return;
  const { purchase_id, currency, transaction_id } = first;
  const amount = lines.reduce((sum, line) => sum + line.amount, 0);
  for (const line of lines) await reserveLine(tx, line, { stillSend, isOwed: replaces !== null });
  await reserveAmount(tx, purchase_id, amount);
  const now = Date.now();
  await tx
    .insertInto('refund')
    .values(({ selectFrom }) => ({
      id,
      payment_id: selectFrom('payment').select('payment.id').where('intent', '=', transaction_id),
      purchase_id,
      amount,
      currency,
      reason,
      note,
      status: 'pending',
      failure: '',
      provider_id: null,
      ...toActor(actor),
      replaces,
      still_send: stillSend ? 1 : 0,
      created_at: now,
      updated_at: now,
    }))
    .execute();
  await insertLines(
    tx,
    id,
    lines.map((line) => ({ ...line, removed: countRemoved(line.order, line.quantity) })),
  );
  for (const line of lines)
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'refundOrder',
      ...toTarget(line.order),
      changes: {
        ...listChanges(shop, line),
        ...(stillSend ? { stillSend: ['no', 'yes'] } : {}),
        ...(replaces === null ? {} : { replaces: ['none', replaces] }),
      },
    });
}

/** How many of the refunded pieces will not be shipped. Unshipped pieces are refunded first. */
export const countRemoved = (order: OrderRow, quantity: number): number =>
  order.status === 'paid' ? Math.min(quantity, countLeft(order)) : 0;

/** Reserves an amount of the purchase. All its refunds together, with those made at the provider, must not exceed what was paid. */
async function reserveAmount(tx: Tx, id: string, amount: number): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('purchase')
    .set((eb) => ({ refunded: eb('refunded', '+', amount), version: nextVersion }))
    .where('id', '=', id)
    .where(sql<boolean>`refunded + ${amount} <= total`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw lessIsLeft();
}

export const notPaid = () =>
  new ShopError('not_paid', 'Only a paid order can be refunded. Delete an unpaid one instead.');

export const nothingLeft = (isOwed: boolean, data: ErrorData) => {
  const owed = 'The rest of this order is still owed because a refund has failed.';
  return new ShopError('over_refund', isOwed ? owed : 'This order has been refunded in full.', { data });
};

const lessIsLeft = () => new ShopError('over_refund', 'Less than that is left to refund.');

async function reserveLine(
  tx: Tx,
  { order, amount, quantity }: RequestedLine,
  { stillSend, isOwed }: { stillSend: boolean; isOwed: boolean },
): Promise<void> {
  if (order.charge) return reserveCharge(tx, order.id, amount, isOwed);
  const removed = countRemoved(order, quantity);
  const { numUpdatedRows } = await tx
    .updateTable('order_line')
    .set((eb) => ({
      refunded: eb('refunded', '+', amount),
      refund_pending: eb('refund_pending', '+', amount),
      refunded_quantity: eb('refunded_quantity', '+', quantity),
      removed: eb('removed', '+', removed),
      ...(stillSend ? { still_send: 1 } : {}),
    }))
    .where('id', '=', order.id)
    .where('status', 'in', ['paid', 'sipping'])
    .where(
      // Only a refund that replaces a failed one may use what is owed.
      isOwed
        ? sql<boolean>`owed >= ${amount} and refunded + ${amount} <= total`
        : sql<boolean>`refunded + owed + ${amount} <= total`,
    )
    .where(sql<boolean>`refunded_quantity + ${quantity} <= quantity`)
    .where(sql<boolean>`removed + ${removed} + shipped <= quantity`)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw lessIsLeft();
}

/** Like `reserveLine`, for a charge of a paid purchase. */
async function reserveCharge(tx: Tx, id: string, amount: number, isOwed: boolean): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('charge')
    .set((eb) => ({
      refunded: eb('refunded', '+', amount),
      refund_pending: eb('refund_pending', '+', amount),
    }))
    .where('id', '=', id)
    .where(
      isOwed
        ? sql<boolean>`owed >= ${amount} and refunded + ${amount} <= amount`
        : sql<boolean>`refunded + owed + ${amount} <= amount`,
    )
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw lessIsLeft();
}
