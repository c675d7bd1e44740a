import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { maxBackInStock } from '../../../contract/catalogue/product-page.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import { stopBackInStockPage } from '../../../contract/page-addresses.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { noLongerSold } from '../orders/place-order.ts';
import type { Shop } from '../shop.ts';
import { lockCustomer, requireConfirmedAddress } from '../users/account-lock.ts';
import { findProduct, isArchived, isSoldOut } from './products.ts';

/* Users' requests for one message when a sold-out product is back in stock. `back-in-stock-mail.ts` writes the messages. */

/**
 * Returns 0 if the user already has a request. Throws 404 if the shop sends no mail or the product is not on sale, and 409 if
 * the product is in stock, the user's address is not confirmed, or the user already has `maxBackInStock` requests.
 */
export async function requestBackInStock(shop: Shop, viewer: SessionUser, id: string): Promise<number> {
  const { database, sendsMail } = shop;
  if (!sendsMail) throw new ShopError('not_found', 'This shop sends no email.');
  const product = await findProduct(database.db, id);
  if (!product) throw notFound('product');
  if (isArchived(product)) throw noLongerSold();
  if (!isSoldOut(product)) throw new ShopError('in_stock', 'This tool is in stock: you can order it now.');
  requireConfirmedAddress(viewer);
  return database.transaction(async (tx) => {
    await lockCustomer(tx, viewer.id);
    const { numAffectedRows } = await sql`
      insert into back_in_stock (user_id, product_id, requested_at, stop_token)
      select ${viewer.id}, ${id}, cast(${Date.now()} as bigint), ${computeStopToken(shop, viewer.id)}
      where (select count(*) from back_in_stock where user_id = ${viewer.id}) < ${maxBackInStock}
      on conflict (user_id, product_id) do nothing`.execute(tx);
    if (numAffectedRows === 1n) return 1;
    if (await hasRequested(tx, viewer, id)) return 0;
    throw new ShopError(
      'conflict',
      `You are already waiting for ${maxBackInStock} tools. Unsubscribe from one of them first.`,
    );
  });
}

/** Returns 0 if there was no request, for example because the message has just been queued. */
export async function cancelBackInStock(
  { database }: Shop,
  { id: userId }: SessionUser,
  productId: string,
): Promise<number> {
  const { numDeletedRows } = await database.db
    .deleteFrom('back_in_stock')
    .where('user_id', '=', userId)
    .where('product_id', '=', productId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Whether the user is waiting for the product. */
export async function hasRequested(
  db: Db | Tx,
  { id: userId }: SessionUser,
  productId: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('back_in_stock')
    .select('requested_at')
    .where('user_id', '=', userId)
    .where('product_id', '=', productId)
    .executeTakeFirst();
  return row !== undefined;
}

/** 128 bits, so that the header with the link fits on one line. Sessions use the same secret for other texts. */
export const computeStopToken = ({ secret }: Shop, userId: string): string =>
  createHmac('sha256', secret)
    .update(`back in stock: ${userId}`)
    .digest()
    .subarray(0, 16)
    .toString('base64url');

/** The link that cancels all of a user's requests without signing in. */
export const buildStopUrl = ({ config }: Shop, stopToken: string): string =>
  `${config.origins[0]}${stopBackInStockPage}?token=${stopToken}`;

/** The `about` of a message. The token finds the unsent messages that the link cancels. */
export const toMailAbout = (stopToken: string, productId: string): string => `${stopToken} ${productId}`;

/** Cancels all of a user's requests and unsent messages. Does nothing for an unknown token. */
export async function stopBackInStock({ database }: Shop, token: string): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.deleteFrom('back_in_stock').where('stop_token', '=', token).execute();
    // Delete messages after requests, because the periodic work may just have turned requests into messages.
    await tx
      .deleteFrom('mail')
      // The literals match the condition of the index.
      .where(sql<boolean>`kind = 'back in stock' and state <> 'sent'`)
      .where(sql<string>`substr(about, 1, 22)`, '=', token)
      .execute();
  });
}
