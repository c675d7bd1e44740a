import { sql } from 'kysely';
import { isIn } from '../../database/is-in.ts';
import type { Engine, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { listOtherAddresses } from '../../identity/recovery/former-addresses.ts';
import { deleteToken } from '../../identity/recovery/tokens.ts';
import { addMail, isAccountNotice } from '../../mail/outbox.ts';
import { writeAudit } from '../audit/audit.ts';
import { deleteUnused } from '../images/stored-images.ts';
import { insertImage } from '../images/upload.ts';
import { aboutConfirmed } from '../mail/account-limits.ts';
import { formerCustomer } from '../orders/orders.ts';
import { placeholderImage, placeholderPath } from '../products/csv/placeholder.ts';
import type { Shop } from '../shop.ts';
import { lockAccountToDelete } from '../users/admins.ts';
import { deleteUnpaidOrders } from './unpaid-orders.ts';

/** The actor in the audit log, which must not name the former user. */
const formerUser = 'the account’s owner';

/**
 * Deletes the viewer's account, and with it everything that the shop need not keep, in one transaction. Throws 409 `last_admin`
 * and `open_payment`, and 401 if the account is already deleted. `tests/personal-data.test.ts` checks every column.
 */
export async function deleteAccount(shop: Shop, { id }: SessionUser): Promise<void> {
  const { database } = shop;
  const { engine } = database;
  const returned = await database.transaction(async (tx) => {
    const { email, isAdmin, isConfirmed } = await lockAccountToDelete(tx, engine, id);
    // Reviews before products: an edit of a rating locks them in this order, too.
    await anonymizeReviews(tx, email);
    const unpaid = await deleteUnpaidOrders(shop, tx, email);
    await keepPaidOrders(tx, engine, email);
    await deleteImages(tx, email);
    await tx.updateTable('product').set({ email: '' }).where('email', '=', email).execute();
    await tx.deleteFrom('basket_line').where('user_id', '=', id).execute();
    await tx.deleteFrom('idempotency_key').where('person', '=', id).execute();
    // Anyone can sign up with someone else's address.
    if (isConfirmed)
      for (const table of ['contact_message', 'subscriber'] as const)
        await tx.deleteFrom(table).where('email', '=', email).execute();
    const others = await listOtherAddresses(tx, id);
    // Trusted devices, and links in messages, which must not open an account that someone else creates with this address.
    // Challenges for new passkeys contain the id, too, but expire after five minutes: finding them would read the whole table.
    await tx.deleteFrom('verification').where('value', 'in', [id, email]).execute();
    await deleteToken(tx, 'change address', id);
    // Sessions, sign-in methods, the authenticator app, passkeys, reports of reviews and back-in-stock requests go with it.
    await tx.deleteFrom('user').where('id', '=', id).execute();
    // After the orders: their locks have waited for every transaction that adds a message about one.
    await deleteMail(tx, email);
    await deleteAccountNotices(tx, id);
    // Former addresses are notified, too: their links can no longer undo a change.
    const former = others.filter(({ kind }) => kind === 'former').map((other) => other.email);
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
    await writeAudit(tx, { who: formerUser, what: 'deleteAccount', of: id, ...changes });
    return unpaid;
  });
  shop.invalidateCache();
  if (returned > 0) shop.countEvent('order deleted', returned);
}

/**
 * An invoice needs the name and address, which stay until `anonymizeOldOrders` removes them. No user has an empty email
 * address, so somebody who signs up with the former one gets none of these orders.
 */
async function keepPaidOrders(tx: Tx, engine: Engine, email: string): Promise<void> {
  const orders = await tx.selectFrom('orders').select('purchase_id').where('email', '=', email).execute();
  const ids = [...new Set(orders.map(({ purchase_id }) => purchase_id))];
  if (ids.length === 0) return;
  await tx
    .updateTable('purchase')
    .set({ email: '' })
    .where(isIn(engine, sql.ref('id'), ids))
    .execute();
  await tx
    .deleteFrom('order_note')
    .where(isIn(engine, sql.ref('purchase_id'), ids))
    .execute();
  await tx.updateTable('orders').set({ email: '', phone: '' }).where('email', '=', email).execute();
}

async function anonymizeReviews(tx: Tx, email: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('review')
    .set({ name: formerCustomer, email: '', image: placeholderPath })
    .where('email', '=', email)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await insertImage(tx, placeholderImage, '');
}

/** Images that products or other customers' reviews use stay. */
async function deleteImages(tx: Tx, email: string): Promise<void> {
  await deleteUnused(tx).where('email', '=', email).execute();
  await tx.updateTable('picture').set({ email: '' }).where('email', '=', email).execute();
}

async function deleteMail(tx: Tx, email: string): Promise<void> {
  // Literals, to match the conditions of the partial indexes.
  for (const state of ['waiting', 'failed', 'sent'])
    await tx
      .deleteFrom('mail')
      .where('recipient', '=', email)
      .where(sql<boolean>`state = ${sql.lit(state)}`)
      .execute();
}

/** Deletes notices about the account, including those to former addresses and to one that the user wants to change to. */
async function deleteAccountNotices(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('mail').where(isAccountNotice).where('about', '=', userId).execute();
}
