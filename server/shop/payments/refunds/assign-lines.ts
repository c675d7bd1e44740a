import { sql } from 'kysely';
import type { z } from 'zod';
import { formatQuantity } from '../../../../contract/admin/health-format.ts';
import { invalid, notFound, ShopError } from '../../../../contract/errors.ts';
import type { refundLines } from '../../../../contract/orders/refunds.ts';
import { formatPrice, toMinor } from '../../../config/currency.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import { countLeft } from '../../orders/queries.ts';
import { isCounted, listRefunds } from '../../orders/refund-rows.ts';
import { lockSubjects, type Subject, toTarget } from '../../orders/subjects.ts';
import { advanceVersion, requireVersion } from '../../orders/version.ts';
import { addStock } from '../../products/stock/stock.ts';
import type { Shop } from '../../shop.ts';
import { findCharges, readCharges } from './charges.ts';
import { changeCounters } from './counters.ts';
import { countUnrefunded, getRest, insertLines, listChanges } from './lines.ts';

type Line = z.output<typeof refundLines>['lines'][number];

/**
 * Records which orders and charges a refund made at the provider is for. `purchaseId` is the refund's purchase. A line with all the money that
 * is left of an order includes the order's unshipped pieces. Throws 404 if there is no such refund; 422 if the amounts do not add up;
 * 409 if the version is outdated, if the refund is already assigned or has failed, or if a line exceeds what its order has left.
 */
export async function assignLines(
  shop: Shop,
  { id, purchaseId }: { id: string; purchaseId: string },
  { version, lines, charges }: z.output<typeof refundLines>,
  actor: SessionUser,
): Promise<void> {
  const { database } = shop;
  const returned = await database.transaction(async (tx) => {
    const orders = await lockSubjects(tx, database.engine, purchaseId);
    const [refund] = await listRefunds(tx, { id });
    const [first] = orders;
    if (!refund || !first) throw notFound('refund');
    requireVersion(first.version, version);
    if (refund.lines.length > 0 || !isCounted(refund))
      throw new ShopError(
        'conflict',
        'There is nothing to assign: this refund is already assigned, or has failed.',
      );
    const assigned = [
      ...lines.map((line) => checkLine(shop, line, orders)),
      ...findCharges(shop, readCharges(charges, first.currency), orders, getRest).map((line) => ({
        ...line,
        removed: 0,
      })),
    ];
    const sum = assigned.reduce((total, { amount }) => total + amount, 0);
    if (sum !== refund.amount)
      throw invalid(
        'lines',
        `The amounts must add up to ${formatPrice(shop, refund.amount, refund.currency)}`,
      );
    await insertLines(tx, id, assigned);
    for (const line of assigned) {
      const { order, amount, quantity, restock, removed } = line;
      const pending = refund.status === 'pending' ? amount : 0;
      const change = { refunded: amount, refund_pending: pending, refunded_quantity: quantity, removed };
      await changeCounters(tx, order, { ...change, returned: restock }, { mayEnd: true });
      await writeAudit(tx, {
        ...toActor(actor),
        action: 'assignRefund',
        ...toTarget(order),
        changes: listChanges(shop, line),
      });
    }
    const pieces = assigned
      .filter(({ restock }) => restock > 0)
      .map(({ order, restock }) => ({ productId: order.product_id, quantity: restock, orderId: order.id }));
    if (pieces.length > 0) await addStock(shop, tx, pieces, { reason: 'restock', ...toActor(actor) });
    await advanceVersion(tx, purchaseId, { unassigned: sql<number>`unassigned - ${refund.amount}` });
    return pieces.length > 0;
  });
  if (returned) shop.invalidateCache();
}

/** Throws 409 if a line exceeds what its order has left. The returned `amount` is in minor units. */
function checkLine(shop: Shop, line: Line, orders: readonly Subject[]) {
  const order = orders.find(({ id, charge }) => id === line.order && !charge);
  if (!order) throw invalid('lines', 'Choose tools of this order');
  const amount = toMinor(line.amount, order.currency);
  if (amount === undefined) throw invalid('lines', `Amount has too many decimals for ${order.currency}`);
  const rest = getRest(order);
  const left = order.status === 'paid' ? countLeft(order) : 0;
  const unrefunded = countUnrefunded(order);
  const quantity = amount === rest ? Math.max(line.quantity, Math.min(left, unrefunded)) : line.quantity;
  const removed = amount === rest ? left : Math.min(quantity, left);
  const { restock } = line;
  const message =
    amount > rest
      ? `At most ${formatPrice(shop, rest, order.currency)} of ${order.product_name} can still be refunded`
      : quantity > unrefunded
        ? `At most ${formatQuantity(unrefunded, 'piece')} of ${order.product_name} can still be refunded`
        : restock > removed
          ? `At most ${formatQuantity(removed, 'piece')} of ${order.product_name} can return to stock now`
          : undefined;
  if (message !== undefined)
    throw new ShopError('over_refund', `${message}.`, { errors: [{ field: 'lines', message }] });
  return { order, amount, quantity, restock, removed };
}
