import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { listOtherAddresses } from '../../identity/recovery/former-addresses.ts';
import { deleteToken } from '../../identity/recovery/tokens.ts';
import { addMail, isAccountNotice } from '../../mail/outbox.ts';
import { writeAudit } from '../audit/audit.ts';
import { deleteUnused } from '../images/stored-images.ts';
import { insertImage } from '../images/upload.ts';
import { aboutConfirmed } from '../mail/account-limits.ts';
import { formerCustomer } from '../orders/orders.ts';
import { nextVersion } from '../orders/version.ts';
import { placeholderImage, placeholderPath } from '../products/csv/placeholder.ts';
import type { Shop } from '../shop.ts';
import { lockAccountToDelete } from '../users/admins.ts';
import { deleteUnpaidOrders } from './unpaid-orders.ts';

/** The actor in the audit log, which must not name the former user. */
const formerUser = 'the account’s owner';

/**
 * Deletes the viewer's account, and with it everything that the shop need not keep, in one transaction. Throws 409 `last_admin` for
 * the last admin; 409 `open_payment` if an order has an unfinished payment; 401 if the account is already deleted.
 * `tests/personal-data.test.ts` checks every column.
 */
export async function deleteAccount(shop: Shop, { id }: SessionUser): Promise<void> {
  const { database } = shop;
  const { engine } = database;
  const endedHolds = await database.transaction(async (tx) => {
    const { email, isAdmin, isConfirmed } = await lockAccountToDelete(tx, engine, id);
    // Reviews come before products, because an edit of a rating locks them in this order, too.
    await anonymizeReviews(tx, id);
    const holds = await deleteUnpaidOrders(shop, tx, id);
    await keepPaidOrders(tx, id);
    await deleteImages(tx, id);
    await tx.updateTable('product').set({ user_id: null }).where('user_id', '=', id).execute();
    await tx.deleteFrom('basket').where('user_id', '=', id).execute();
    await tx.deleteFrom('idempotency_key').where('scope', '=', id).execute();
    // Anyone can sign up with someone else's address, so the data of an unconfirmed address stay.
    if (isConfirmed)
      for (const table of ['contact_message', 'subscriber'] as const)
        await tx.deleteFrom(table).where('email', '=', email).execute();
    const otherAddresses = await listOtherAddresses(tx, id);
    // Deletes trusted devices, and links in messages: they must not open an account that someone else creates with this address.
    // Challenges for new passkeys contain the user's id, too, but finding them would read the whole table, and they expire after
    // five minutes.
    await tx.deleteFrom('verification').where('value', 'in', [id, email]).execute();
    await deleteToken(tx, 'change address', id);
    // Messages are deleted after the orders, whose locks have waited for every transaction that adds a message about an order.
    await deleteMail(tx, id, email);
    // Deletes sessions, sign-in methods, the authenticator app, passkeys, reports of reviews and back-in-stock requests, too.
    await tx.deleteFrom('user').where('id', '=', id).execute();
    await deleteAccountNotices(tx, id);
    // Former addresses are notified, too: their links can no longer undo a change.
    const former = otherAddresses.filter(({ kind }) => kind === 'former').map((address) => address.email);
    if (shop.sendsMail)
      await addMail(
        tx,
        [email, ...former].map((recipient) => ({
          kind: 'account deleted' as const,
          recipient,
          // Only a confirmed address can undo a change.
          about: isConfirmed || recipient !== email ? aboutConfirmed : '',
        })),
      );
    const changes = isAdmin ? { changes: { role: ['admin', 'none'] satisfies [string, string] } } : {};
    await writeAudit(tx, {
      actor_id: id,
      actor: formerUser,
      action: 'deleteAccount',
      target: id,
      ...changes,
    });
    return holds;
  });
  shop.invalidateCache();
  if (endedHolds > 0) shop.countEvent('order deleted', endedHolds);
}

/** An invoice needs the name and address, which stay until `anonymizeOldOrders` removes them. */
async function keepPaidOrders(tx: Tx, userId: string): Promise<void> {
  const purchases = tx.selectFrom('purchase').select('id').where('user_id', '=', userId);
  await tx.deleteFrom('order_note').where('purchase_id', 'in', purchases).execute();
  await tx.updateTable('order_line').set({ user_id: null }).where('user_id', '=', userId).execute();
  await tx
    .updateTable('purchase')
    .set({
      user_id: null,
      phone: '',
      ship_to: null,
      remark: null,
      account_deleted_at: Date.now(),
      version: nextVersion,
    })
    .where('user_id', '=', userId)
    .execute();
}

async function anonymizeReviews(tx: Tx, userId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('review')
    .set({ user_id: null, name: formerCustomer, image: placeholderPath })
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await insertImage(tx, placeholderImage, null);
}

/** Deletes the user's images, except those that products or other customers' reviews use. */
async function deleteImages(tx: Tx, userId: string): Promise<void> {
  await deleteUnused(tx).where('user_id', '=', userId).execute();
  await tx.updateTable('image').set({ user_id: null }).where('user_id', '=', userId).execute();
}

async function deleteMail(tx: Tx, userId: string, email: string): Promise<void> {
  // Literals, to match the conditions of the partial indexes.
  const toUser = sql<boolean>`user_id = ${userId} and user_id is not null`;
  const toAddress = sql<boolean>`recipient = ${email} and user_id is null`;
  const deleteAll = (isOwn: RawBuilder<boolean>, state: string) =>
    tx
      .deleteFrom('mail')
      .where(isOwn)
      .where(sql<boolean>`state = ${sql.lit(state)}`)
      .execute();
  for (const state of ['waiting', 'failed']) await deleteAll(sql`(${toUser} or ${toAddress})`, state);
  // There are many sent messages, so each condition has an index.
  for (const isOwn of [toUser, toAddress]) await deleteAll(isOwn, 'sent');
}

/** Deletes notices about the account, including those to former addresses and to an address that the user wants to change to. */
async function deleteAccountNotices(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('mail').where(isAccountNotice).where('about', '=', userId).execute();
}
