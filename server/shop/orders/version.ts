import { sql, type UpdateObject } from 'kysely';
import { type ErrorData, errorTable, notFound, ShopError } from '../../../contract/errors.ts';
import type { Db, Schema, Tx } from '../../database/schema.ts';

/*
 * A purchase's version counts the changes that matter to someone who decides about it: its orders' status, what is shipped,
 * returned or refunded, the address, and disputes that open or are lost.
 */

/**
 * Throws 409 if `seen` is not the current version of a purchase that the caller has locked. Without `seen`, every version is
 * accepted. Call it once it is clear that the request changes something.
 */
export function requireVersion(current: number, seen: number | undefined): void {
  if (seen === undefined || seen === current) return;
  const detail = 'This order has changed since you loaded the page. Check what has changed, then try again.';
  throw new ShopError('purchase_changed', detail, { data: { version: current } });
}

/** In an update of `purchase`: counts a change. */
export const nextVersion = sql<number>`version + 1`;

/**
 * Counts a change of a purchase that the caller has locked, and makes `changes` to it. Returns the new version. Call it at most
 * once per transaction, because of the lock that `lockPurchase` describes.
 */
export async function advanceVersion(
  tx: Tx,
  id: string,
  changes: UpdateObject<Schema, 'purchase'> = {},
): Promise<number> {
  const { version } = await tx
    .updateTable('purchase')
    .set({ ...changes, version: nextVersion })
    .where('id', '=', id)
    .returning('version')
    .executeTakeFirstOrThrow();
  return version;
}

/** The current version. Throws 404 if the purchase is gone. */
export async function getVersion(db: Db, id: string): Promise<number> {
  const version = await findVersion(db, id);
  if (version === undefined) throw notFound('order');
  return version;
}

async function findVersion(db: Db, id: string): Promise<number | undefined> {
  const purchase = await db.selectFrom('purchase').select('version').where('id', '=', id).executeTakeFirst();
  return purchase?.version;
}

/** Runs a write of a purchase. Adds the purchase's current version to its 402 and 409 errors. */
export const reportVersion = <Result>(db: Db, id: string, write: () => Promise<Result>): Promise<Result> =>
  reportWith(write, async () => {
    const version = await findVersion(db, id);
    return version === undefined ? {} : { version };
  });

/** Like `reportVersion`, for a write of several orders: adds the versions of their purchases, by id. */
export const reportVersions = <Result>(
  db: Db,
  orderIds: readonly string[],
  write: () => Promise<Result>,
): Promise<Result> => reportWith(write, async () => ({ versions: await readVersions(db, orderIds) }));

/** The current versions of the purchases of these orders, by id. */
export async function readVersions(db: Db, orderIds: readonly string[]): Promise<Record<string, number>> {
  const purchases = await db
    .selectFrom('order_line')
    .innerJoin('purchase', 'purchase.id', 'order_line.purchase_id')
    .select(['purchase.id', 'version'])
    .where('order_line.id', 'in', orderIds)
    .execute();
  return Object.fromEntries(purchases.map(({ id, version }) => [id, version]));
}

async function reportWith<Result>(
  write: () => Promise<Result>,
  readData: () => Promise<ErrorData>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const status = error instanceof ShopError && errorTable[error.code].status;
    if (!(error instanceof ShopError) || (status !== 402 && status !== 409)) throw error;
    const { code, message, errors, retryAfter, cause } = error;
    throw new ShopError(code, message, {
      data: { ...error.data, ...(await readData()) },
      cause,
      ...(errors ? { errors } : {}),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
}
