import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import {
  type Basket,
  type BasketLine,
  type LineProblem,
  maxLines,
} from '../../../contract/orders/purchases.ts';
import { toWire } from '../../config/currency.ts';
import type { Database } from '../../database/database.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { belowMinimum, noLongerSold, outOfStock } from '../orders/place-order.ts';
import { findProduct, findProducts, isArchived, type ProductRow, toProduct } from '../products/products.ts';
import type { Shop } from '../shop.ts';
import { accountDeleted, lockCustomer } from '../users/account-lock.ts';

/** The user's basket with the products' current prices and stock. It holds no stock. */
export async function getBasket({ database, currency }: Shop, viewer: SessionUser): Promise<Basket> {
  const rows = await database.db
    .selectFrom('basket_line')
    .selectAll()
    .where('user_id', '=', viewer.id)
    .execute();
  const productsById = await findProducts(
    database.db,
    rows.map(({ product_id }) => product_id),
  );
  let total = 0;
  const lines = rows
    .toSorted((a, b) => a.added_at - b.added_at || (a.product_id < b.product_id ? -1 : 1))
    .map(({ product_id, product_name, quantity }): BasketLine => {
      const product = productsById.get(product_id);
      if (!product || isArchived(product))
        return { product: { _id: product_id, name: product_name }, quantity, problem: 'gone' };
      const problem = findProblem(product, quantity);
      if (!problem) total += product.price * quantity;
      return { product: toProduct(product, currency, viewer), quantity, ...(problem ? { problem } : {}) };
    });
  return { lines, price: toWire(total, currency), currency };
}

/** The number of lines in a user's basket, for the header of every page. */
export async function countBasketLines({ db }: Database, userId: string): Promise<number> {
  const { rows } = await sql<{ lines: number }>`
    select count(*) as lines from basket_line where user_id = ${userId}`.execute(db);
  return rows[0]?.lines ?? 0;
}

function findProblem({ available, minimum }: ProductRow, quantity: number): LineProblem | undefined {
  if (available < minimum) return 'sold_out';
  if (quantity < minimum) return 'below_minimum';
  return quantity > available ? 'over_stock' : undefined;
}

/**
 * Adds a product to the basket or changes its quantity. Throws 404 for an unknown product, 422 below the minimum quantity,
 * 409 above the stock (`data.available`) or if the basket already has `maxLines` other lines.
 */
export async function setBasketLine(
  { database }: Shop,
  viewer: SessionUser,
  productId: string,
  quantity: number,
): Promise<void> {
  // A line holds no stock, so this may change before the line is written.
  const product = await findProduct(database.db, productId);
  if (!product || isArchived(product)) throw noLongerSold();
  if (quantity < product.minimum) throw belowMinimum('quantity');
  if (quantity > product.available) throw outOfStock(product);
  const isSet = await database.transaction(async (tx) => {
    if (!(await lockCustomer(tx, viewer.email))) throw accountDeleted();
    const { numAffectedRows } = await sql`
      insert into basket_line (user_id, product_id, product_name, quantity, added_at)
      select ${viewer.id}, ${productId}, ${product.name}, cast(${quantity} as bigint), cast(${Date.now()} as bigint)
      where (select count(*) from basket_line where user_id = ${viewer.id} and product_id <> ${productId}) < ${maxLines}
      on conflict (user_id, product_id) do update set quantity = excluded.quantity`.execute(tx);
    return numAffectedRows === 1n;
  });
  if (!isSet)
    throw new ShopError(
      'basket_full',
      `A basket holds at most ${maxLines} different tools. Remove one first.`,
    );
}

/** Throws 404 if the product is not in the basket. */
export async function removeBasketLine(
  { db }: Database,
  viewer: SessionUser,
  productId: string,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('basket_line')
    .where('user_id', '=', viewer.id)
    .where('product_id', '=', productId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new ShopError('not_found', 'This product is not in your basket.');
  return 1;
}
