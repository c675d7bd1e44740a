import { notFound, ShopError } from '../../../contract/errors.ts';
import type { Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import { noRate, sumPurchase } from '../delivery/total.ts';
import { deletePurchaseMail, queueOrderDeleted, queueOrderExpired } from '../mail/queue.ts';
import { isPaid } from '../orders/orders.ts';
import { toLines } from '../orders/purchases.ts';
import {
  findLatePayment,
  listPurchaseOrders,
  lockPurchaseOrders,
  markExpired,
  type OrderRow,
} from '../orders/queries.ts';
import { nextVersion } from '../orders/version.ts';
import type { Cause } from '../products/stock/record.ts';
import { addStock } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';
import { countProviderCall } from './call-limit.ts';
import { cancelPayment, findLastPayment } from './intents.ts';
import type { PaymentRow } from './settle.ts';

/**
 * Deletes an unpaid order; the rest of its purchase stays payable. The order's stock is returned only after the provider has
 * confirmed that the open payment is cancelled. Throws 409 if the order has been paid in the meantime or a payment is
 * processing, 429 above the limit on calls to the provider, and 503 if the provider is unreachable; then nothing changes.
 */
export async function deleteUnpaidOrder(shop: Shop, id: string, actor: SessionUser): Promise<void> {
  const selectUnpaid = (orders: OrderRow[]) => {
    const current = orders.find((order) => order.id === id);
    if (!current) throw notFound('order');
    if (isPaid(current)) throw new ShopError('already_paid', 'This order is paid: it cannot be deleted.');
    return [current];
  };
  const toCause = ({ user_id, number }: OrderRow): Cause => ({
    reason: 'order_deleted',
    note: `Order ${number}`,
    ...(actor.id === user_id ? {} : toActor(actor)),
  });
  const cancel = async (payment: PaymentRow) => {
    // Admins may clean up any number of orders, each of which has at most one open payment.
    if (actor.role !== 'admin') await countProviderCall(shop, actor);
    await cancelPayment(shop, payment);
  };
  await endOrders(shop, { order: id }, { select: selectUnpaid, cancel, toCause }, async (tx, [order]) => {
    if (!order) return;
    await tx.deleteFrom('order_line').where('id', '=', id).execute();
    const byId = ['id', '=', order.purchase_id] as const;
    const { numDeletedRows } = await tx
      .deleteFrom('purchase')
      .where(...byId)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('order_line').select('id').where('purchase_id', '=', order.purchase_id))),
      )
      .executeTakeFirst();
    if (numDeletedRows > 0n) await deletePurchaseMail(tx, order.purchase_id);
    else {
      // The rate may cost something else without this order: the customer chooses again.
      await tx.deleteFrom('charge').where('purchase_id', '=', order.purchase_id).execute();
      await tx
        .updateTable('purchase')
        .set({ total: sumPurchase, version: nextVersion, ...noRate })
        .where(...byId)
        .execute();
    }
    if (actor.id === order.user_id) return;
    // The end of an expired order has been reported.
    if (order.status === '') await queueOrderDeleted(shop, tx, order);
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'deleteOrder',
      target: id,
      name: order.product_name,
    });
  });
  shop.countEvent('order deleted');
}

/** Marks the orders of an unpaid purchase as expired if their hold has ended. Returns the stock like `deleteUnpaidOrder`. */
export async function expirePurchase(shop: Shop, id: string): Promise<void> {
  // No order is overdue if the purchase has been paid in the meantime.
  const listOverdue = (orders: OrderRow[]) =>
    orders.filter(({ status, hold_until }) => status === '' && hold_until <= Date.now());
  const expired = await endOrders(
    shop,
    { id },
    {
      select: listOverdue,
      cancel: (payment) => cancelPayment(shop, payment),
      toCause: () => ({ reason: 'hold_expired' }),
    },
    async (tx, [order]) => {
      await markExpired(tx, id);
      if (order) await queueOrderExpired(shop, tx, { id, userId: order.user_id });
    },
  );
  shop.countEvent('order expired', expired.length);
}

/**
 * Cancels the open payment of a purchase with `cancel`. Then returns the stock of the orders that `select` chooses, and calls
 * `end`. `toCause` derives the cause of the stock changes from the first of these orders. Returns the orders. If `select` chooses
 * none, does nothing.
 */
async function endOrders(
  shop: Shop,
  purchase: { id: string } | { order: string },
  {
    select,
    cancel,
    toCause,
  }: {
    select: (orders: OrderRow[]) => OrderRow[];
    cancel: (payment: PaymentRow) => Promise<void>;
    toCause: (order: OrderRow) => Cause;
  },
  end: (tx: Tx, orders: OrderRow[]) => Promise<void>,
): Promise<OrderRow[]> {
  const isNeeded = (orders: OrderRow[]) => select(orders).length > 0;
  const ended = await changeWithoutPayment(shop, purchase, { isNeeded, cancel }, async (tx, all) => {
    const orders = select(all);
    const [first] = orders;
    if (!first) return orders;
    if (first.status === 'expired' && (await findLatePayment(tx, first.purchase_id)))
      throw new ShopError(
        'conflict',
        'A payment for this order has been found: it must be accepted or refunded first.',
      );
    const holding = orders.filter(({ status }) => status === '');
    if (holding.length > 0) await addStock(shop, tx, toLines(holding), toCause(first));
    await end(tx, orders);
    return orders;
  });
  if (ended === undefined || ended.length === 0) return [];
  shop.invalidateStock();
  return ended;
}

/**
 * Changes an unpaid purchase of which no payment is open: cancels the open payment with `cancel`, then locks the purchase and calls
 * `change` with its orders. Returns undefined, and does nothing, if the purchase is gone or `isNeeded` returns false. Throws 409 if
 * customers keep opening payments.
 */
export async function changeWithoutPayment<Result>(
  shop: Shop,
  purchase: { id: string } | { order: string },
  {
    isNeeded,
    cancel,
  }: { isNeeded: (orders: OrderRow[]) => boolean; cancel: (payment: PaymentRow) => Promise<void> },
  change: (tx: Tx, orders: OrderRow[]) => Promise<Result>,
): Promise<Result | undefined> {
  const { database } = shop;
  // A payment page may open another payment after the cancellation: cancel that one too.
  for (let attempt = 0; attempt < 5; attempt++) {
    const orders = await listPurchaseOrders(database.db, purchase);
    const [first] = orders;
    if (!isNeeded(orders) || !first) return undefined;
    const payment = await findLastPayment(database.db, first.purchase_id);
    if (payment?.state === 'open') await cancel(payment);
    const changed = await database.transaction(async (tx) => {
      const locked = await lockPurchaseOrders(tx, database.engine, first.purchase_id);
      if ((await findLastPayment(tx, first.purchase_id))?.state === 'open') return undefined;
      return { result: await change(tx, locked) };
    });
    if (changed) return changed.result;
  }
  throw new ShopError(
    'conflict',
    'This order is being paid in another window. Close that window and try again.',
  );
}
