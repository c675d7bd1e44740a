import { sql } from 'kysely';
import { notFound } from '../../../contract/errors.ts';
import type { Database } from '../../database/database.ts';
import type { Db, Tx } from '../../database/schema.ts';
import { listSearchWords, toIndexText } from '../../database/search-text.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { toActor } from '../audit/actor.ts';
import { writeAudit } from '../audit/audit.ts';
import type { ProductRow } from './products.ts';

/**
 * Deletes a product with its images' rows and the history of its stock; its orders are unchanged. Throws 404 if there is no such
 * product.
 */
export async function deleteProduct(database: Database, id: string, actor: SessionUser): Promise<number> {
  return database.transaction(async (tx) => {
    const deleted = await tx.deleteFrom('product').where('id', '=', id).returning('name').executeTakeFirst();
    if (!deleted) throw notFound('product');
    // Stock changes in progress have committed before the deletion. Later changes find no product.
    await tx.deleteFrom('stock_change').where('product_id', '=', id).execute();
    await keepWords(tx, { id, name: deleted.name });
    await writeAudit(tx, { ...toActor(actor), action: 'deleteProduct', target: id, name: deleted.name });
    return 1;
  });
}

type Named = Pick<ProductRow, 'id' | 'name'>;

/**
 * A trigger deletes a product's words with the product. Adds them again if the product has orders, so that searches find these
 * orders.
 */
async function keepWords(tx: Tx, product: Named): Promise<void> {
  // Unpaid orders have an index of their own.
  const { rows } = await sql<{ id: string }>`
    select id from order_line where product_id = ${product.id} and status <> ''
    union all
    select id from order_line where product_id = ${product.id} and status = ''
    limit 1`.execute(tx);
  if (rows.length > 0) await insertWords(tx, product);
}

/** Ordered products per call. A call takes some milliseconds. */
const batchSize = 2000;

/**
 * Adds the missing words of deleted products that have orders, after a restore. Each call checks one batch of the ordered products,
 * after the id `after`. Returns the `after` of the next call, which is '' at the end.
 */
export async function addDeletedWords({ db }: Database, after = ''): Promise<string> {
  const { rows } = await sql<{ id: string; name: string | null }>`
    with recursive step (id, number) as (
      select min(product_id), 1 from order_line where status <> '' and product_id > ${after}
      union all
      select (select min(product_id) from order_line where status <> '' and product_id > step.id), number + 1 from step
      where id is not null and number < ${batchSize}
    )
    select id, case
      when exists (select 1 from product where product.id = step.id) then null
      when exists (select 1 from product_word where product_id = step.id) then null
      else (select product_name from order_line where product_id = step.id and status <> '' order by order_line.id desc limit 1)
    end as name
    from step where id is not null order by number`.execute(db);
  for (const { id, name } of rows) if (name !== null) await insertWords(db, { id, name });
  return rows.length < batchSize ? '' : (rows.at(-1)?.id ?? '');
}

async function insertWords(db: Db | Tx, { id, name }: Named): Promise<void> {
  const words = listSearchWords(toIndexText(name));
  if (words.length === 0) return;
  await db
    .insertInto('product_word')
    .values(words.map((word) => ({ product_id: id, word })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
