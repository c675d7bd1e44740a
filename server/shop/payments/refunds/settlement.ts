import { sql } from 'kysely';
import type { z } from 'zod';
import { notFound, ShopError } from '../../../../contract/errors.ts';
import type { settlement } from '../../../../contract/orders/refunds.ts';
import { formatPrice } from '../../../config/currency.ts';
import type { Tx } from '../../../database/schema.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { insertNote } from '../../orders/notes.ts';
import { isOwed, listRefunds } from '../../orders/refund-rows.ts';
import { removeRest } from '../../orders/removed-pieces.ts';
import { lockSubjects, type Subject, toTarget } from '../../orders/subjects.ts';
import { advanceVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { changeCounters } from './counters.ts';
import { getRest, getRestOfAll, type NewLine } from './lines.ts';
import type { RequestedLine } from './request.ts';

/**
 * The lines of a failed refund whose amounts the shop owes; the caller has locked the purchase. Throws 409 if nothing is owed of the
 * refund, or if what is owed is being refunded again.
 */
export async function listOwedLines(
  tx: Tx,
  id: string,
  orders: readonly Subject[],
): Promise<RequestedLine[]> {
  const lines = await findOwedLines(tx, id, orders);
  if (lines.length === 0) throw new ShopError('conflict', 'Nothing is owed of this refund any more.');
  if (await isRefundedAgain(tx, id)) throw new ShopError('conflict', 'This amount is being refunded again.');
  return lines;
}

async function findOwedLines(tx: Tx, id: string, orders: readonly Subject[]): Promise<RequestedLine[]> {
  const [refund] = await listRefunds(tx, { id });
  return (refund?.lines ?? []).flatMap((line): RequestedLine[] => {
    const order = orders.find((one) => one.id === line.subject_id);
    return refund && order && isOwed(refund, line)
      ? [{ order, amount: line.amount, quantity: 0, restock: 0 }]
      : [];
  });
}

/** Whether another refund, which is pending or has succeeded, pays the amount of a failed refund. */
async function isRefundedAgain(tx: Tx, id: string): Promise<boolean> {
  const replacement = await tx
    .selectFrom('refund')
    .select('id')
    .where('replaces', '=', id)
    // Literals match the condition of the partial index.
    .where(sql<boolean>`status in ('pending', 'succeeded')`)
    .executeTakeFirst();
  return replacement !== undefined;
}

/** Whether a refund with these lines pays exactly what is owed of a failed refund. The caller has locked the purchase. */
export async function paysOwed(tx: Tx, id: string, lines: readonly NewLine[]): Promise<boolean> {
  const owed = await findOwedLines(
    tx,
    id,
    lines.map(({ order }) => order),
  );
  const isPaid = ({ order, amount }: NewLine) =>
    owed.some((line) => line.order === order && line.amount === amount);
  return lines.every(isPaid) && !(await isRefundedAgain(tx, id));
}

/**
 * Returns the sum of these lines. Throws 409 if an order has less left than its line, or if the purchase, without its unassigned
 * refunds, has less left than the sum.
 */
function checkRepaid(lines: readonly RequestedLine[], orders: readonly Subject[]): number {
  const sum = lines.reduce((total, { amount }) => total + amount, 0);
  if (lines.some(({ order, amount }) => amount > getRest(order)) || sum > getRestOfAll(orders))
    throw new ShopError(
      'over_refund',
      'That would refund more than was paid. Record that nothing is owed instead.',
    );
  return sum;
}

/**
 * Records what has become of the amount that the shop owes because a refund has failed, and keeps `note` with the purchase's
 * notes. An amount that was repaid another way counts as refunded. `purchaseId` is the refund's purchase. Returns false if this
 * outcome has already been recorded. Throws 409 if another outcome has been recorded, or nothing is owed.
 */
export async function settleRefund(
  shop: Shop,
  { id, purchaseId }: { id: string; purchaseId: string },
  { outcome, note }: z.output<typeof settlement>,
  actor: SessionUser,
): Promise<boolean> {
  const { database } = shop;
  return database.transaction(async (tx) => {
    const orders = await lockSubjects(tx, database.engine, purchaseId);
    const [before] = await listRefunds(tx, { id });
    if (!before) throw notFound('refund');
    if (before.outcome === outcome) return false;
    const lines = await listOwedLines(tx, id, orders);
    const isRepaid = outcome === 'repaid';
    const repaid = isRepaid ? checkRepaid(lines, orders) : 0;
    await tx
      .updateTable('refund')
      .set({ settled_at: Date.now(), outcome, settled_by_id: actor.id, settled_by: actor.email })
      .where('id', '=', id)
      .where('settled_at', 'is', null)
      .execute();
    for (const { order, amount } of lines) {
      const change = { owed: -amount, refunded: isRepaid ? amount : 0 };
      await removeRest(tx, await changeCounters(tx, order, change));
      await writeAudit(tx, {
        ...toActor(actor),
        action: 'settleRefund',
        ...toTarget(order),
        changes: {
          owed: [
            formatPrice(shop, order.owed, order.currency),
            formatPrice(shop, order.owed - amount, order.currency),
          ],
          outcome: ['none', outcome],
        },
      });
    }
    if (note) await insertNote(tx, purchaseId, note, actor);
    await advanceVersion(tx, purchaseId, { refunded: sql<number>`refunded + ${repaid}` });
    return true;
  });
}
