import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import { isIn } from '../../database/is-in.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import { toLines } from '../orders/purchases.ts';
import { hasOpenPayment } from '../orders/queries.ts';
import { addStock, lockProducts } from '../products/stock/stock.ts';
import type { Shop } from '../shop.ts';

/** The caller has locked the account, so no order is added in the meantime. */
const selectUnpaid = (tx: Tx, email: string) =>
  tx.selectFrom('orders').where('orders.email', '=', email).where('orders.status', 'in', ['', 'expired']);

/**
 * Deletes a user's unpaid orders and returns their stock. Throws `open_payment` if a payment of one of them is open: the
 * customer may be paying in another window. Locks the user's own products, too. Returns the number of orders
 * that still held their stock.
 */
export async function deleteUnpaidOrders(shop: Shop, tx: Tx, email: string): Promise<number> {
  const { engine } = shop.database;
  await lockPurchases(tx, engine, email);
  const deleted = await tx
    .deleteFrom('orders')
    .where('email', '=', email)
    .where('status', 'in', ['', 'expired'])
    .where(({ not }) => not(hasOpenPayment))
    .returning(['id', 'purchase_id', 'product_id', 'quantity', 'status'])
    .execute();
  const open = await selectUnpaid(tx, email)
    .innerJoin('purchase', 'purchase.id', 'orders.purchase_id')
    .select('purchase.number')
    .limit(1)
    .executeTakeFirst();
  if (open) {
    const detail = `You have started to pay for order ${open.number}: complete the payment or delete the order first.`;
    throw new ShopError('open_payment', detail, { data: { number: open.number } });
  }
  if (deleted.length === 0) {
    await lockAllProducts(tx, engine, email, []);
    return 0;
  }
  const purchaseIds = [...new Set(deleted.map(({ purchase_id }) => purchase_id))];
  const purchases = await tx
    .deleteFrom('purchase')
    .where(isIn(engine, sql.ref('id'), purchaseIds))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('orders').select('orders.id').whereRef('orders.purchase_id', '=', 'purchase.id')),
      ),
    )
    .returning(['id', 'number'])
    .execute();
  const numbers = new Map(purchases.map(({ id, number }) => [id, number]));
  const holding = deleted.filter(({ status }) => status === '');
  await lockAllProducts(
    tx,
    engine,
    email,
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
async function lockPurchases(tx: Tx, engine: Engine, email: string): Promise<void> {
  if (engine === 'sqlite') return;
  const orders = await tx.selectFrom('orders').select('purchase_id').where('email', '=', email).execute();
  const ids = [...new Set(orders.map(({ purchase_id }) => purchase_id))];
  if (ids.length === 0) return;
  await tx
    .selectFrom('purchase')
    .select('id')
    .where(isIn(engine, sql.ref('id'), ids))
    .orderBy('id')
    .forUpdate()
    .execute();
}

/**
 * Locks products in the order of their ids, as orders do: those whose stock is returned and those of the user, which the
 * caller changes.
 */
async function lockAllProducts(tx: Tx, engine: Engine, email: string, ids: string[]): Promise<void> {
  if (engine === 'sqlite') return;
  const own = await tx.selectFrom('product').select('id').where('email', '=', email).execute();
  await lockProducts(tx, engine, [...ids, ...own.map(({ id }) => id)]);
}
