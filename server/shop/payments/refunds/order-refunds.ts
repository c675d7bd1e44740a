import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import { formatQuantity } from '../../../../contract/admin/health-format.ts';
import { invalid, notFound, ShopError } from '../../../../contract/errors.ts';
import type { newRefund } from '../../../../contract/orders/refunds.ts';
import { formatPrice, toMinor, toWire } from '../../../config/currency.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { writeAudit } from '../../audit/audit.ts';
import { countRefunded, lockPurchaseOrders, type OrderRow } from '../../orders/queries.ts';
import { advanceVersion, requireVersion } from '../../orders/version.ts';
import { addStock } from '../../products/stock/stock.ts';
import type { Shop } from '../../shop.ts';
import { isRefusal } from '../stripe-client.ts';
import { failRefund, syncRefunds } from './sync.ts';

/**
 * Refunds a paid order, by default everything that is left, and returns pieces to stock. Returns the refund's id; the refund
 * is pending if the provider is unreachable, and `reconcileRefund` requests it again. Throws 409 for an unpaid order, for a
 * purchase that has changed since `body.version` or for more than is left (`data.refundable`, `data.refundableQuantity`), 422 for
 * all the money but not all pieces of an unshipped order, and 402 if the provider refuses; that refund has failed.
 */
export async function refundOrder(
  shop: Shop,
  { id: orderId, purchase_id, currency }: OrderRow,
  actor: SessionUser,
  body: z.output<typeof newRefund>,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { database } = shop;
  const requested = body.amount === undefined ? undefined : toMinor(body.amount, currency);
  if (body.amount !== undefined && requested === undefined)
    throw invalid('amount', `Amount has too many decimals for ${currency}`);
  const { restock } = body;
  if (body.quantity !== undefined && restock > body.quantity)
    throw invalid('restock', 'Pieces to return to stock must be at most the pieces to refund');
  const id = uuidv7();
  const refundId = await runIdempotently(database, idempotencyKey, id, async (tx) => {
    const orders = await lockPurchaseOrders(tx, database.engine, purchase_id);
    const before = orders.find((order) => order.id === orderId);
    if (before) requireVersion(before.version, body.version);
    const [refundable, pieces] = before ? [before.total - before.refunded, countUnrefunded(before)] : [0, 0];
    const amount = requested ?? refundable;
    const isAll = amount === refundable && (requested === undefined || before?.status === 'paid');
    // Pieces that were refunded earlier can still return to stock.
    const quantity = body.quantity ?? Math.min(pieces, isAll ? pieces : restock);
    // An order that is refunded in full is not shipped any more.
    if (before?.status === 'paid' && amount > 0 && amount === refundable && quantity < pieces)
      throw invalid(
        'quantity',
        `This refunds everything, so nothing is left to ship: refund ${pieces === 1 ? 'the piece' : `all ${pieces} pieces`}, or less money`,
      );
    const order = await tx
      .updateTable('order_line')
      .set((eb) => ({
        refunded: eb('refunded', '+', amount),
        restocked: eb('restocked', '+', restock),
      }))
      .where('id', '=', orderId)
      .where('status', 'in', ['paid', 'sipping'])
      .where((eb) => eb(eb('refunded', '+', amount), '<=', eb.ref('total')))
      .where((eb) => eb(eb('restocked', '+', restock), '<=', eb.ref('quantity')))
      .where((eb) => eb(eb(countRefunded(), '+', quantity), '<=', eb.ref('quantity')))
      .returningAll()
      .executeTakeFirst();
    if (!order || !before?.transaction_id || amount === 0)
      throw explainRejection(shop, before, { amount, restock });
    await advanceVersion(tx, purchase_id);
    const refundedQuantity: [number, number] = [
      before.refunded_quantity,
      before.refunded_quantity + quantity,
    ];
    const now = Date.now();
    await tx
      .insertInto('refund')
      .values({
        ...{ id, order_id: orderId, intent: before.transaction_id, amount, currency, quantity, restock },
        ...{ reason: body.reason, note: body.note, requested_by: actor.email },
        ...{ status: 'pending', failure: '', provider_id: null, created_at: now, updated_at: now },
      })
      .execute();
    if (restock > 0)
      await addStock(shop, tx, [{ productId: order.product_id, quantity: restock, orderId }], {
        reason: 'restock',
        who: actor.email,
      });
    await writeAudit(tx, {
      ...{ who: actor.email, what: 'refundOrder', of: orderId, name: order.product_name },
      changes: {
        refunded: [formatPrice(shop, before.refunded, currency), formatPrice(shop, order.refunded, currency)],
        ...(quantity > 0 ? { refundedQuantity } : {}),
        ...(restock > 0 ? { restocked: [before.restocked, order.restocked] } : {}),
      },
    });
  });
  const isReplay = refundId !== id;
  if (restock > 0 && !isReplay) shop.invalidateCache();
  // A replay sends a refund that is still unsent, or is refused like the first request.
  await sendRefund(shop, refundId, { isReplay }).catch((error: unknown) => {
    if (isRefusal(error)) throw error;
    const fields = { refund: refundId, error };
    shop.log.warn(fields, 'a refund could not be requested; the next reconciliation tries again');
  });
  return refundId;
}

const countUnrefunded = (order: OrderRow): number => order.quantity - order.refunded_quantity;

function explainRejection(
  shop: Shop,
  order: OrderRow | undefined,
  { amount, restock }: { amount: number; restock: number },
): ShopError {
  if (!order) return notFound('order');
  if (order.transaction_id === null)
    return new ShopError('not_paid', 'Only a paid order can be refunded. Delete an unpaid one instead.');
  const { total, refunded, currency } = order;
  const refundable = total - refunded;
  const data = { refundable: toWire(refundable, currency), refundableQuantity: countUnrefunded(order) };
  if (refundable === 0)
    return new ShopError('over_refund', 'This order has been refunded in full.', { data });
  const restockable = order.quantity - order.restocked;
  const [field, message] =
    amount > refundable
      ? ['amount', `At most ${formatPrice(shop, refundable, currency)} can still be refunded`]
      : restock > restockable
        ? ['restock', `At most ${formatQuantity(restockable, 'piece')} can still be returned to stock`]
        : ['quantity', `At most ${formatQuantity(data.refundableQuantity, 'piece')} can still be refunded`];
  return new ShopError('over_refund', `${message}.`, { data, errors: [{ field, message }] });
}

/**
 * Requests a refund from the provider unless one is recorded there. Throws 402 if the provider refuses or has refused, which
 * ends the refund, and 503 if it is unreachable.
 */
export async function sendRefund(shop: Shop, id: string, { isReplay = false } = {}): Promise<void> {
  const refund = await shop.database.db
    .selectFrom('refund')
    .innerJoin('order_line', 'order_line.id', 'refund.order_id')
    .selectAll('refund')
    .select('order_line.purchase_id as purchaseId')
    .where('refund.id', '=', id)
    .where('provider_id', 'is', null)
    .executeTakeFirst();
  if (!refund) return;
  if (refund.status !== 'pending') throw new ShopError('provider_refused', refund.failure);
  if (isReplay) {
    // As in `reconcileRefund`: the response to an earlier request may be lost, and its key forgotten.
    await syncRefunds(shop, refund);
    return sendRefund(shop, id);
  }
  try {
    await shop.provider.createRefund(shop.id, refund);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    await failRefund(shop, refund, error.message);
    // The provider may have refunds that the shop does not know yet. If reading them fails, a later sync finds them.
    await syncRefunds(shop, refund).catch(() => {});
    throw error;
  }
  await syncRefunds(shop, refund);
}
