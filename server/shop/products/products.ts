import { type Selectable, sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { NewProduct, Product, ShownProduct } from '../../../contract/catalogue/products.ts';
import type { Db, Engine, Schema, Tx } from '../../database/schema.ts';
import { type IdempotencyKey, runIdempotently } from '../../http/calls/idempotency.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { privateEmail } from '../../identity/accounts.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { Shop } from '../shop.ts';
import { checkProduct, readFields, toNewColumns } from './fields.ts';
import { furtherImages, listImages } from './images.ts';
import { countOrdered } from './ordered.ts';
import { insertProducts } from './stock/record.ts';

/** A product with its further images. `email` is the current address of the admin who added it. */
export type ProductRow = Selectable<Schema['product']> & {
  further_images: string | null;
  email: string | null;
};

/** A column for queries of `product`: the current address of the admin who added it. */
export const addedBy = sql<string | null>`(select email from "user" where "user".id = product.user_id)`;

const selectProducts = (db: Db | Tx) =>
  db
    .selectFrom('product')
    .selectAll()
    .select([furtherImages.as('further_images'), addedBy.as('email')]);

/** Archived products are found, too. */
export function findProduct(db: Db | Tx, id: string): Promise<ProductRow | undefined> {
  return selectProducts(db).where('id', '=', id).executeTakeFirst();
}

/** Returns a `findProduct` whose statement is compiled only once, because compiling takes as long as the query itself. */
export function createProductFinder(db: Db): (id: string) => Promise<ProductRow | undefined> {
  const query = selectProducts(db).where('id', '=', '').compile();
  return async (id) => {
    const withId: typeof query = { ...query, parameters: [id] };
    return (await db.executeQuery(withId)).rows[0];
  };
}

/** Like `findProduct`, with the pieces of the product's open orders, which only admins see. */
export function findProductWithOrdered({ db, engine }: { db: Db | Tx; engine: Engine }, id: string) {
  return selectProducts(db)
    .select(countOrdered(engine).as('ordered'))
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Maps each id to its product, archived or not; deleted products are missing. */
export async function findProducts(db: Db | Tx, ids: readonly string[]): Promise<Map<string, ProductRow>> {
  // PostgreSQL rejects an empty list.
  if (ids.length === 0) return new Map();
  const rows = await selectProducts(db).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Adds a product, priced in the shop's currency, and returns its id. Throws 422 for a price that cannot be charged. */
export async function addProduct(
  shop: Shop,
  viewer: SessionUser,
  body: NewProduct,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const columns = toNewColumns(shop, body);
  checkProduct(shop, columns);
  const id = uuidv7();
  return runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    await shop.checkImage(tx, body.img);
    const product = {
      id,
      ...columns,
      image: body.img,
      available: body.a_quantity,
      user_id: viewer.id,
      created_at: Date.now(),
    };
    await insertProducts(tx, [product], toActor(viewer));
    await writeAudit(tx, { ...toActor(viewer), action: 'addProduct', target: id, name: body.name });
  });
}

export const isArchived = ({ archived_at }: Pick<ProductRow, 'archived_at'>): boolean => archived_at !== null;

/** Whether fewer pieces are left than the minimum order. */
export const isSoldOut = ({ available, minimum }: Pick<ProductRow, 'available' | 'minimum'>): boolean =>
  available < minimum;

function describeRating({ rating_count: count, rating_sum }: ProductRow): Pick<Product, 'rating'> {
  return count === 0 ? {} : { rating: { average: Math.round((rating_sum * 100) / count) / 100, count } };
}

/**
 * A product in a list. Only admins, and the user who added the product, see `email`. `ordered` is from `findProductWithOrdered`.
 */
export function toProduct(
  row: ProductRow & { ordered?: number },
  currency: string,
  viewer: SessionUser | undefined,
): Product {
  const { facts, ...fields } = readFields(row, currency, viewer?.role === 'admin');
  return {
    _id: row.id,
    ...fields,
    currency,
    img: row.image,
    images: listImages(row),
    a_quantity: row.available,
    ...(row.ordered === undefined ? {} : { ordered: row.ordered }),
    ...describeRating(row),
    ...privateEmail({ email: row.email ?? '' }, viewer),
    archived: isArchived(row),
    version: row.version,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

/** Like `toProduct`, with the facts. */
export const toShownProduct = (
  row: ProductRow,
  currency: string,
  viewer: SessionUser | undefined,
): Product & Pick<ShownProduct, 'facts'> => ({
  ...toProduct(row, currency, viewer),
  ...(row.facts === null ? {} : { facts: row.facts }),
});
