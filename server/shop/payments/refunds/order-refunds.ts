import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { formatQuantity } from '../../../../contract/admin/health-format.ts';
import { invalid, notFound, ShopError } from '../../../../contract/errors.ts';
import type { newRefund } from '../../../../contract/orders/refunds.ts';
import { formatPrice, toMinor, toWire } from '../../../config/currency.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { countLeft, type OrderRow } from '../../orders/queries.ts';
import { lockSubjects, type Subject } from '../../orders/subjects.ts';
import { requireVersion } from '../../orders/version.ts';
import type { Shop } from '../../shop.ts';
import { findCharges, readCharges } from './charges.ts';
import { checkChargedBack, countUnrefunded, getRestOfAll, getUnreserved } from './lines.ts';
import { nothingLeft, notPaid, type RequestedLine, requestRefund } from './request.ts';
import { sendNewRefund } from './send.ts';
import { listOwedLines } from './settlement.ts';

/**
 * Refunds a part of a paid order, or all of it, and of the purchase's charges. Unshipped pieces are refunded first, and will not be shipped. `body.restock` is how
 * many of these return to stock once the provider has accepted the refund. Returns the refund's id. If the provider is unreachable,
 * the refund is pending, and `reconcileRefund` requests it again. Throws
 * - 409 if the order is unpaid, if its purchase has changed since `body.version`, if less is left (`data.refundable`,
 *   `data.refundableQuantity`), or if nothing is owed of the refund that `body.replaces` names,
 * - 422 if all the money but not all unshipped pieces are refunded, or if more pieces return to stock than are refunded,
 * - 402 if the provider refuses: the refund has failed.
 */
export async function refundOrder(
  shop: Shop,
  { id: orderId, purchase_id, currency }: OrderRow,
  actor: SessionUser,
  body: z.output<typeof newRefund>,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { database } = shop;
  const { quantity, restock, reason, note, stillSend, replaces } = body;
  const amount = toMinor(body.amount, currency);
  if (amount === undefined) throw invalid('amount', `Amount has too many decimals for ${currency}`);
  const charges = readCharges(body.charges, currency);
  if (amount === 0 && charges.length === 0) throw invalid('amount', 'Amount must be at least 0.01');
  if (amount === 0 && quantity > 0)
    throw invalid('quantity', 'Without an amount for the tool, no pieces are refunded: enter 0');
  if (replaces !== undefined && charges.length > 0)
    throw invalid('charges', 'The amount that is owed includes delivery');
  if (restock > quantity)
    throw invalid('restock', 'Pieces to return to stock must be at most the pieces to refund');
  const id = uuidv7();
  const refundId = await runIdempotently(database, idempotencyKey, id, async (tx) => {
    const subjects = await lockSubjects(tx, database.engine, purchase_id);
    const order = subjects.find((one) => one.id === orderId);
    if (!order) throw notFound('order');
    requireVersion(order.version, body.version);
    // A refund of charges alone does not concern the pieces.
    const request = {
      id,
      subjects,
      reason,
      note,
      stillSend: stillSend && amount > 0,
      replaces: replaces ?? null,
    };
    if (replaces !== undefined) {
      const lines = await listOwedLines(tx, replaces, subjects);
      checkReplacement(shop, lines, { amount, quantity });
      checkChargedBack(shop, subjects, lines);
      return requestRefund(tx, { ...request, lines }, actor, shop);
    }
    const line = { order, amount, quantity, restock };
    if (order.transaction_id === null) throw notPaid();
    if (amount > 0) checkLine(shop, line, subjects);
    const lines = [...(amount > 0 ? [line] : []), ...findCharges(shop, charges, subjects)];
    checkChargedBack(shop, subjects, lines);
    if (amount > 0 && !stillSend) checkUnshipped(line);
    await requestRefund(tx, { ...request, lines }, actor, shop);
  });
  await sendNewRefund(shop, refundId, { isReplay: refundId !== id });
  return refundId;
}

/** A replacement must pay exactly what is owed, without pieces: the failed refund has already counted them. Throws 422. */
function checkReplacement(
  shop: Shop,
  lines: readonly RequestedLine[],
  { amount, quantity }: { amount: number; quantity: number },
): void {
  const owed = lines.reduce((sum, line) => sum + line.amount, 0);
  const [currency = shop.currency] = lines.map(({ order }) => order.currency);
  if (amount !== owed)
    throw invalid('amount', `Of this refund, exactly ${formatPrice(shop, owed, currency)} is owed`);
  if (quantity > 0) throw invalid('quantity', 'The pieces of this refund stay as they are: enter 0');
}

/** The amount that can be refunded for an order: its rest without what is owed, but at most the rest of the purchase. In minor units. */
const getRefundable = (order: OrderRow, subjects: readonly Subject[]): number =>
  Math.max(0, Math.min(getUnreserved(order), getRestOfAll(subjects)));

/** Throws 409 if a line exceeds what is left of its locked order. */
function checkLine(
  shop: Shop,
  { order, amount, quantity, restock }: RequestedLine,
  subjects: readonly Subject[],
): void {
  const { currency } = order;
  const refundable = getRefundable(order, subjects);
  const pieces = countUnrefunded(order);
  const data = { refundable: toWire(refundable, currency), refundableQuantity: pieces };
  if (refundable === 0) throw nothingLeft(order.owed > 0, data);
  const removed = Math.min(quantity, countLeft(order));
  const [field, message] =
    amount > refundable
      ? ['amount', `At most ${formatPrice(shop, refundable, currency)} can still be refunded`]
      : quantity > pieces
        ? ['quantity', `At most ${formatQuantity(pieces, 'piece')} can still be refunded`]
        : restock > removed
          ? ['restock', describeRestock(removed)]
          : [];
  if (field !== undefined && message !== undefined)
    throw new ShopError('over_refund', `${message}.`, { data, errors: [{ field, message }] });
}

const describeRestock = (removed: number): string =>
  removed === 0
    ? 'None of these pieces can return to stock now: they are shipped or already refunded. When shipped pieces come back, record their return'
    : `At most ${formatQuantity(removed, 'piece')} can return to stock now: the unshipped pieces of this refund`;

/** Rejects a refund of all the money that leaves unshipped pieces, which nobody would ship. Throws 422. */
function checkUnshipped({ order, amount, quantity }: RequestedLine): void {
  const left = order.status === 'paid' ? countLeft(order) : 0;
  if (order.refunded + order.owed + amount < order.total || quantity >= left) return;
  const pieces = left === 1 ? 'the unshipped piece' : `all ${left} unshipped pieces`;
  throw invalid(
    'quantity',
    `This refunds everything: refund ${pieces}, too, or less money, or choose to send the pieces anyway`,
  );
}
