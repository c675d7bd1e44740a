import type { Selectable } from 'kysely';
import { uuidv7 } from 'uuidv7';
import { contract } from '../../../contract/contract.ts';
import { invalid, ShopError } from '../../../contract/errors.ts';
import type { NewProduct, Product } from '../../../contract/products.ts';
import { formatPrice, maxCharge, minCharge, toMinor, toWire } from '../../config/currency.ts';
import type { Database } from '../../database/database.ts';
import type { Db, Schema, Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import { toSqlLimit } from '../../http/calls/list-response.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { privateEmail } from '../../identity/accounts.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';

export type ProductRow = Selectable<Schema['product']>;

export function mountProducts(calls: Calls, shop: Shop): void {
  const { database, currency } = shop;
  const { db } = database;

  route(calls, contract.listProducts, async ({ query: { limit, after = '' }, viewer }) => {
    const all = db.selectFrom('product').selectAll().orderBy('id');
    const rows = await all.where('id', '>', after).limit(toSqlLimit({ limit })).execute();
    return rows.map((row) => toProduct(row, currency, viewer));
  });

  route(calls, contract.getProduct, async ({ params, viewer }) => {
    const row = await findProduct(db, params.id);
    if (!row) throw new ShopError('not_found', 'There is no such product.');
    return toProduct(row, currency, viewer);
  });

  route(calls, contract.addProduct, async ({ viewer, body, idempotencyKey }) => {
    const insertedId = await addProduct(shop, viewer, body, idempotencyKey);
    shop.invalidateCache();
    return { insertedId };
  });

  route(calls, contract.deleteProduct, async ({ viewer, params }) => {
    const deletedCount = await deleteProduct(database, params.id, viewer);
    shop.invalidateCache();
    return { deletedCount };
  });
}

export function findProduct(db: Db | Tx, id: string): Promise<ProductRow | undefined> {
  return db.selectFrom('product').selectAll().where('id', '=', id).executeTakeFirst();
}

/** By id, without those that are gone. */
export async function findProducts(db: Db | Tx, ids: readonly string[]): Promise<Map<string, ProductRow>> {
  // PostgreSQL rejects an empty list.
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('product').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Adds a product, priced in the shop's currency, and returns its id. Throws 422 for a price that cannot be charged. */
export async function addProduct(
  shop: Shop,
  viewer: SessionUser,
  body: NewProduct,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { currency } = shop;
  const price = toMinor(body.price, currency);
  if (price === undefined) throw invalid('price', `Price has too many decimals for ${currency}`);
  const total = price * body.o_quantity;
  const min = minCharge(currency);
  const max = maxCharge(currency);
  if (total < min)
    throw invalid('price', `Price × order quantity must be at least ${formatPrice(shop, min)}`);
  if (total > max) throw invalid('price', `Price × order quantity must be at most ${formatPrice(shop, max)}`);
  const id = uuidv7();
  return runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    await shop.checkImage(tx, body.img);
    await tx
      .insertInto('product')
      .values({
        id,
        name: body.name,
        price,
        image: body.img,
        description: body.description,
        minimum: body.o_quantity,
        available: body.a_quantity,
        email: viewer.email,
        created_at: Date.now(),
      })
      .execute();
    await writeAudit(tx, { who: viewer.email, what: 'addProduct', of: id, name: body.name });
  });
}

/** Deletes a product; its orders are unchanged. Throws 404. */
export async function deleteProduct(database: Database, id: string, actor: SessionUser): Promise<number> {
  return database.transaction(async (tx) => {
    const deleted = await tx.deleteFrom('product').where('id', '=', id).returning('name').executeTakeFirst();
    if (!deleted) throw new ShopError('not_found', 'There is no such product.');
    await writeAudit(tx, { who: actor.email, what: 'deleteProduct', of: id, name: deleted.name });
    return 1;
  });
}

/** Only admins and the admin who added it see `email`. */
export function toProduct(row: ProductRow, currency: string, viewer: SessionUser | undefined): Product {
  return {
    _id: row.id,
    name: row.name,
    price: toWire(row.price, currency),
    currency,
    img: row.image,
    description: row.description,
    o_quantity: row.minimum,
    a_quantity: row.available,
    ...privateEmail(row, viewer),
    createdAt: new Date(row.created_at).toISOString(),
  };
}
