import { uuidv7 } from 'uuidv7';
import type { z } from 'zod';
import {
  describeExcess,
  describeShelfChange,
  type newStockChange,
} from '../../../../contract/catalogue/stock.ts';
import { contract } from '../../../../contract/contract.ts';
import { notFound, ShopError } from '../../../../contract/errors.ts';
import { type IdempotencyKey, runIdempotently } from '../../../http/calls/idempotency.ts';
import { type Calls, route } from '../../../http/calls/route.ts';
import type { SessionUser } from '../../../http/request-context.ts';
import { toActor } from '../../audit/actor.ts';
import { writeAudit } from '../../audit/audit.ts';
import type { Shop } from '../../shop.ts';
import { findProduct, findProductWithOrdered } from '../products.ts';
import { findChange, listProductChanges, listStockChanges } from './history.ts';
import { adjustStock } from './stock.ts';

export function mountStock(calls: Calls, shop: Shop): void {
  const { db } = shop.database;

  route(calls, contract.adjustStock, async ({ viewer, params, body, idempotencyKey }) => {
    const insertedId = await changeStock(shop, viewer, params.id, body, idempotencyKey);
    shop.invalidateCache();
    // A replay returns the stock after the first request, unless the product has been deleted since.
    const row = await findChange(db, insertedId);
    if (!row) throw notFound('product');
    return { insertedId, a_quantity: row.level };
  });

  route(calls, contract.listProductStock, async ({ params, query }) => {
    const product = await findProduct(db, params.id);
    if (!product) throw notFound('product');
    return listProductChanges(db, product, query);
  });

  route(calls, contract.listStock, ({ query }) => listStockChanges(db, query));
}

type NewStockChange = z.output<typeof newStockChange>;

/**
 * Returns the id of the new change. Throws 404 for an unknown product; 409 if the shelf no longer has the `expected` pieces
 * (`data.expected`), or the stock would fall below zero or exceed `maxStock` (`data.available`).
 */
function changeStock(
  shop: Shop,
  actor: SessionUser,
  productId: string,
  body: NewStockChange,
  idempotencyKey: IdempotencyKey | undefined,
): Promise<string> {
  const { change, reason, note, expected } = body;
  const { engine } = shop.database;
  const id = uuidv7();
  return runIdempotently(shop.database, idempotencyKey, id, async (tx) => {
    const cause = { reason, note, ...toActor(actor) };
    const product = await adjustStock(shop, tx, { id, productId, change }, cause);
    if (!product || expected !== undefined) {
      // The update has locked the product, so no other change of its stock comes between.
      const found = await findProductWithOrdered({ db: tx, engine }, productId);
      if (!found) throw notFound('product');
      const pieces = found.available + found.ordered - (product ? change : 0);
      if (expected !== undefined && pieces !== expected)
        throw new ShopError('edit_conflict', describeShelfChange(pieces, expected), {
          data: { expected: pieces },
        });
      if (!product) throw explainRejection(found, body);
    }
    const { name, available } = product;
    await writeAudit(tx, {
      ...toActor(actor),
      action: 'adjustStock',
      target: productId,
      name,
      changes: { [`stock (${reason})`]: [available - change, available] },
    });
  });
}

function explainRejection(
  { available, ordered }: { available: number; ordered: number },
  { change, expected }: NewStockChange,
): ShopError {
  if (change > 0)
    return new ShopError('conflict', describeExcess(available + change), { data: { available } });
  if (expected !== undefined)
    return new ShopError(
      'out_of_stock',
      `Customers have ordered ${ordered}, but you counted only ${expected + change}. Refund or delete an order first.`,
      { data: { available } },
    );
  const detail =
    available === 0
      ? 'None are in stock, so none can be removed.'
      : `Only ${available} in stock: you cannot remove more than that.`;
  return new ShopError('out_of_stock', detail, { data: { available } });
}
