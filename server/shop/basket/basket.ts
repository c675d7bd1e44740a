import { sql } from 'kysely';
import { ShopError } from '../../../contract/errors.ts';
import {
  type Basket,
  type BasketLine,
  type LineProblem,
  maxLines,
} from '../../../contract/orders/purchases.ts';
import { maxCharge, minCharge, toWire } from '../../config/currency.ts';
import type { Database } from '../../database/database.ts';
import { executePrepared } from '../../database/prepared-statements.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { createEstimator } from '../delivery/estimate.ts';
import type { QuotedLine } from '../delivery/quote.ts';
import { belowMinimum, noLongerSold, outOfStock } from '../orders/place-order.ts';
import type { OrderRow } from '../orders/queries.ts';
import { findProduct, findProducts, isArchived, type ProductRow, toProduct } from '../products/products.ts';
import type { Shop } from '../shop.ts';
import { lockCustomer } from '../users/account-lock.ts';

/** The user's basket with the products' current prices and stock. A basket does not reserve stock. */
export async function getBasket(shop: Shop, viewer: SessionUser): Promise<Basket> {
  const { database, currency } = shop;
  const rows = await database.db
    .selectFrom('basket_line')
    .selectAll()
    .where('basket_id', '=', viewer.id)
    .execute();
  const productsById = await findProducts(
    database.db,
    rows.map(({ product_id }) => product_id),
  );
  const ordered: QuotedLine[] = [];
  const lines = rows
    .toSorted((a, b) => a.added_at - b.added_at || (a.product_id < b.product_id ? -1 : 1))
    .map(({ product_id, product_name, quantity }): BasketLine => {
      const product = productsById.get(product_id);
      if (!product || isArchived(product))
        return { product: { _id: product_id, name: product_name }, quantity, problem: 'gone' };
      const problem = findProblem(product, quantity, currency);
      if (!problem) ordered.push({ ...product, quantity, total: product.price * quantity });
      return { product: toProduct(product, currency, viewer), quantity, ...(problem ? { problem } : {}) };
    });
  const total = ordered.reduce((sum, line) => sum + line.total, 0);
  const estimate = await createEstimator(shop, viewer);
  return {
    lines,
    price: toWire(total, currency),
    currency,
    ...(ordered.length > 0 ? estimate(ordered) : {}),
  };
}

/** The quantities in a user's basket, by product id. The page header counts the pieces, and product cards mark the products. */
export async function readBasketQuantities(db: Db, userId: string): Promise<Record<string, number>> {
  const query = sql<{ product_id: string; quantity: number }>`
    select product_id, quantity from basket_line where basket_id = ${userId}`;
  const { rows } = await executePrepared(db, query.compile(db));
  return Object.fromEntries(rows.map(({ product_id, quantity }) => [product_id, quantity]));
}

function findProblem(
  { available, minimum, price }: ProductRow,
  quantity: number,
  currency: string,
): LineProblem | undefined {
  if (available < minimum) return 'sold_out';
  if (quantity < minimum) return 'below_minimum';
  if (quantity > available) return 'over_stock';
  // The product may have been added while the shop had another currency.
  if (price * quantity < minCharge(currency)) return 'below_charge';
  return price * quantity > maxCharge(currency) ? 'over_limit' : undefined;
}

type NewLine = { productId: string; quantity: number };

/**
 * Adds to the quantity of a product in the basket, once per `idempotencyKey`. Throws like `setBasketLine`, and 409 if the
 * line would have more pieces than the stock.
 */
export async function addToBasket(
  { database }: Shop,
  viewer: SessionUser,
  line: NewLine,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<void> {
  await runIdempotently(database, idempotencyKey, line.productId, (tx) =>
    writeLine(tx, viewer, line, { adds: true }),
  );
}

/**
 * Sets the quantity of a product in the basket. Throws 404 for an unknown product; 422 below the minimum quantity; 409 if the
 * quantity is above the stock (`data.available`) or the basket already has `maxLines` other lines.
 */
export async function setBasketLine({ database }: Shop, viewer: SessionUser, line: NewLine): Promise<void> {
  await database.transaction((tx) => writeLine(tx, viewer, line, { adds: false }));
}

/**
 * Locks the account and creates its basket if it has none. The basket's id is the user's id. Throws 409 if the account was deleted.
 */
async function openBasket(tx: Tx, { id }: SessionUser): Promise<void> {
  await lockCustomer(tx, id);
  await tx
    .insertInto('basket')
    .values({ id, user_id: id, token_hash: null, created_at: Date.now() })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Adds to a line's quantity, or sets it, in one statement that checks the product and the other lines. */
async function writeLine(
  tx: Tx,
  viewer: SessionUser,
  line: NewLine,
  { adds }: { adds: boolean },
): Promise<void> {
  await openBasket(tx, viewer);
  const { productId, quantity } = line;
  const newQuantity = adds ? sql`basket_line.quantity + excluded.quantity` : sql`excluded.quantity`;
  let rejection: ShopError | undefined;
  do {
    const { numAffectedRows } = await sql`
      insert into basket_line (basket_id, product_id, product_name, quantity, added_at)
      select ${viewer.id}, id, name, cast(${quantity} as bigint), cast(${Date.now()} as bigint) from product
      where id = ${productId} and archived_at is null and ${quantity} between minimum and available
        and (select count(*) from basket_line where basket_id = ${viewer.id} and product_id <> ${productId}) < ${maxLines}
      on conflict (basket_id, product_id) do update set quantity = ${newQuantity}
      where ${newQuantity} <= (select available from product where id = excluded.product_id)`.execute(tx);
    if (numAffectedRows === 1n) return;
    rejection = await explainRejection(tx, viewer, line, { adds });
    // On PostgreSQL, another transaction may have committed in between. If the line can be written now, retry.
  } while (!rejection);
  throw rejection;
}

/** Explains why a line cannot be written; undefined if it can. */
async function explainRejection(
  tx: Tx,
  viewer: SessionUser,
  { productId, quantity }: NewLine,
  { adds }: { adds: boolean },
): Promise<ShopError | undefined> {
  const product = await findProduct(tx, productId);
  if (!product || isArchived(product)) return noLongerSold();
  if (quantity < product.minimum) return belowMinimum('quantity');
  const { available } = product;
  if (quantity > available) return outOfStock(product);
  const lines = await tx
    .selectFrom('basket_line')
    .select(['product_id', 'quantity'])
    .where('basket_id', '=', viewer.id)
    .execute();
  const line = lines.find(({ product_id }) => product_id === productId);
  if (line && adds && line.quantity + quantity > available)
    return new ShopError(
      'out_of_stock',
      `Only ${available} left, and your basket has ${line.quantity} of them.`,
      { data: { available } },
    );
  if (line || lines.length < maxLines) return undefined;
  return basketFull();
}

const basketFull = () =>
  new ShopError('basket_full', `A basket holds at most ${maxLines} different tools. Remove one first.`);

/**
 * Raises the basket line of each order's product to at least the ordered quantity, even if this quantity cannot be ordered now: the
 * basket then says why. Throws 409 `basket_full` and changes nothing if the basket would have more than `maxLines` lines.
 */
export async function putIntoBasket(
  { database }: Shop,
  viewer: SessionUser,
  orders: readonly Pick<OrderRow, 'product_id' | 'product_name' | 'quantity'>[],
): Promise<void> {
  const added_at = Date.now();
  const lines = orders.map(({ product_id, product_name, quantity }) => ({
    basket_id: viewer.id,
    product_id,
    product_name,
    quantity,
    added_at,
  }));
  await database.transaction(async (tx) => {
    await openBasket(tx, viewer);
    await tx
      .insertInto('basket_line')
      .values(lines)
      .onConflict((conflict) =>
        conflict
          .columns(['basket_id', 'product_id'])
          .doUpdateSet((eb) => ({ quantity: eb.ref('excluded.quantity') }))
          .whereRef('basket_line.quantity', '<', 'excluded.quantity'),
      )
      .execute();
    if (Object.keys(await readBasketQuantities(tx, viewer.id)).length > maxLines) throw basketFull();
  });
}

/** Throws 404 if the product is not in the basket. */
export async function removeBasketLine(
  { db }: Database,
  viewer: SessionUser,
  productId: string,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('basket_line')
    .where('basket_id', '=', viewer.id)
    .where('product_id', '=', productId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new ShopError('not_found', 'This product is not in your basket.');
  return 1;
}
