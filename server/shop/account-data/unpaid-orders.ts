import { ShopError } from '../../../contract/errors.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import { toLines } from '../orders/purchases.ts';
import { addStock, lockProducts } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';

/**
 * Deletes a user's unpaid orders and returns their stock. Returns the number of orders that still held their stock. Throws
 * `open_payment` if an order has an open payment: the customer may be paying in another window. Also throws it if an order has a
 * late payment: an admin has to decide about that first. Locks the user's own products, too. The caller has locked the account, so
 * no order is added in the meantime.
 */
export async function deleteUnpaidOrders(shop: Shop, tx: Tx, userId: string): Promise<number> {
  const { engine } = shop.database;
  await lockPurchases(tx, engine, userId);
  const unpaid = tx
    .selectFrom('purchase')
    .where('user_id', '=', userId)
    .where('status', 'in', ['', 'expired']);
  const unfinished = await unpaid
    .innerJoin('payment', 'payment.purchase_id', 'purchase.id')
    .select(['number', 'payment.state'])
    .where('payment.state', 'in', ['open', 'undecided'])
    .limit(1)
    .executeTakeFirst();
  if (unfinished) {
    const { number, state } = unfinished;
    const detail =
      state === 'open'
        ? `You have started to pay for order ${number}: complete the payment or delete the order first.`
        : `We found a payment for order ${number}. You can delete your account once we have sent the order or refunded you.`;
    throw new ShopError('open_payment', detail, { data: { number } });
  }
  const deleted = await tx
    .deleteFrom('order_line')
    .where('purchase_id', 'in', unpaid.select('id'))
    .returning(['id', 'purchase_id', 'product_id', 'quantity', 'status'])
    .execute();
  const purchases = await tx
    .deleteFrom('purchase')
    .where('user_id', '=', userId)
    .where('status', 'in', ['', 'expired'])
    .returning(['id', 'number'])
    .execute();
  const numbers = new Map(purchases.map(({ id, number }) => [id, number]));
  const holding = deleted.filter(({ status }) => status === '');
  await lockAllProducts(
    tx,
    engine,
    userId,
    holding.map(({ product_id }) => product_id),
  );
  for (const [purchaseId, orders] of Map.groupBy(holding, ({ purchase_id }) => purchase_id))
    await addStock(shop, tx, toLines(orders), {
      reason: 'order_deleted',
      note: `Order ${numbers.get(purchaseId) ?? ''}`.trim(),
    });
  return holding.length;
}

/**
 * Everything that opens, settles or refunds a payment locks its purchase first, and products after it. Paid purchases are
 * locked, too, because the deletion changes them after it has returned stock. SQLite has one writer at a time.
 */
async function lockPurchases(tx: Tx, engine: Engine, userId: string): Promise<void> {
  if (engine === 'sqlite') return;
  await tx
    .selectFrom('purchase')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/**
 * Locks products in the order of their ids, as orders do: the products whose stock is returned and the user's own products, which
 * the caller changes.
 */
async function lockAllProducts(tx: Tx, engine: Engine, userId: string, ids: string[]): Promise<void> {
  if (engine === 'sqlite') return;
  const own = await tx.selectFrom('product').select('id').where('user_id', '=', userId).execute();
  await lockProducts(tx, engine, [...ids, ...own.map(({ id }) => id)]);
}
