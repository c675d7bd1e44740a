import { sql } from 'kysely';
import type { Trouble } from '../../../contract/admin/health.ts';
import { isDeliverySetUp } from '../../../contract/delivery/rates.ts';
import { dayMs, hourMs, minuteMs } from '../../../contract/durations.ts';
import type { Tx } from '../../database/schema.ts';
import { addMail, deleteUnsentMail, type NewMail } from '../../mail/outbox.ts';
import type { OrderRow } from '../orders/queries.ts';
import type { Shop } from '../shop.ts';

/** The customer is told about a parcel after this time. Until then, the parcel can be taken back. */
export const shipmentDelayMs = 60_000;

/** A purchase's id with one of these suffixes is the id of a message about the purchase. So each message is sent only once. */
const placedSuffix = '-placed';
const reminderSuffix = '-hold';
const expiredSuffix = '-expired';
const maxReminders = 500;

/** The id of a purchase, a parcel or a refund, and the id of its customer. */
type Subject = { id: string; userId: string | null };

/**
 * Whether new, unpaid purchases are reported. With delivery, they are not: their total is not known before the checkout. Call it before
 * the transaction, because it may read the rates.
 */
export const reportsNewPurchases = async (shop: Shop): Promise<boolean> =>
  shop.sendsMail && !isDeliverySetUp(await shop.readShownShipping());

/** Reports a new, unpaid purchase, if the shop does so (`reportsNewPurchases`). */
export async function queueOrderPlaced(tx: Tx, { id, userId }: Subject): Promise<void> {
  await addMail(tx, [{ id: id + placedSuffix, kind: 'order placed', userId, about: id }]);
}

/** Deletes the unsent messages about an unpaid purchase that was deleted. */
export const deletePurchaseMail = (tx: Tx, id: string): Promise<void> =>
  deleteUnsentMail(tx, [id + placedSuffix, id + reminderSuffix, id + expiredSuffix]);

/** Reports that the hold of an unpaid purchase has ended. */
export async function queueOrderExpired(shop: Shop, tx: Tx, { id, userId }: Subject): Promise<void> {
  if (!shop.sendsMail) return;
  await addMail(tx, [{ id: id + expiredSuffix, kind: 'order expired', userId, about: id }]);
}

/**
 * Reports after a minute that an admin has deleted an unpaid order. Joins the message about other orders of the purchase if one is
 * waiting. The message's `about` has a line with the purchase's number and one with each order, because the orders are gone.
 */
export async function queueOrderDeleted(shop: Shop, tx: Tx, order: OrderRow): Promise<void> {
  const { user_id: userId, number, product_name, quantity, image } = order;
  if (!shop.sendsMail || userId === null) return;
  const now = Date.now();
  const dueAt = now + shipmentDelayMs;
  const line = `\n${JSON.stringify({ product_name, quantity, image })}`;
  const { numUpdatedRows: waiting } = await changeWaiting(tx, now)
    .set({ about: sql`about || ${line}`, due_at: dueAt })
    .where('kind', '=', 'order deleted')
    .where('about', 'like', `${number}%`)
    .executeTakeFirst();
  if (waiting > 0n) return;
  await addMail(tx, [{ kind: 'order deleted', userId, about: number + line, dueAt }]);
}

/** Reminds customers a day before a hold of more than two days ends, at most `maxReminders` per run. */
export async function queueReminders(shop: Shop): Promise<void> {
  if (!shop.sendsMail) return;
  const now = Date.now();
  const { db } = shop.database;
  const rows = await db
    .selectFrom('purchase')
    .select(['id', 'user_id'])
    .where('status', '=', sql.lit(''))
    .where('hold_until', '>', now + hourMs)
    .where('hold_until', '<=', now + dayMs)
    .where(sql<boolean>`hold_until - created_at > ${2 * dayMs}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mail')
            .select('mail.id')
            .where('mail.id', '=', sql<string>`purchase.id || ${reminderSuffix}`),
        ),
      ),
    )
    .orderBy('hold_until')
    .limit(maxReminders)
    .execute();
  const reminders = rows.map(({ id, user_id }): NewMail => {
    return { id: id + reminderSuffix, kind: 'hold ending', userId: user_id, about: id };
  });
  await addMail(db, reminders);
}

/** Sends the customer a receipt, and tells the admins about the order. */
export async function queueOrderPaid(shop: Shop, tx: Tx, { id, userId }: Subject): Promise<void> {
  if (!shop.sendsMail) return;
  const admins = await listAdmins(tx);
  await addMail(tx, [
    { kind: 'order paid', userId, about: id },
    ...admins.map((admin): NewMail => ({ kind: 'new order', userId: admin, about: id })),
  ]);
}

/**
 * Reports a parcel to the customer after a minute, so that it can be taken back until then. Joins the message about the customer's
 * other parcels if one is waiting. The message's `about` lists the parcels' ids.
 */
export async function queueOrderShipped(
  shop: Pick<Shop, 'sendsMail'>,
  tx: Tx,
  { id, userId, shippedAt }: Subject & { shippedAt: number },
): Promise<void> {
  if (!shop.sendsMail || userId === null) return;
  const dueAt = shippedAt + shipmentDelayMs;
  const { numUpdatedRows: waiting } = await changeWaiting(tx, shippedAt)
    .set({ about: sql`about || ${` ${id}`}`, due_at: dueAt })
    .where('kind', '=', 'order shipped')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (waiting > 0n) return;
  await addMail(tx, [{ kind: 'order shipped', userId, about: id, dueAt }]);
}

/**
 * Removes a parcel from the waiting message that would report it. Returns false if the message is being sent or has been sent. For
 * a customer who gets no messages, returns false once the parcel was shipped more than a minute ago.
 */
export async function cancelOrderShipped(
  shop: Pick<Shop, 'sendsMail'>,
  tx: Tx,
  { id, userId, shippedAt }: Subject & { shippedAt: number },
): Promise<boolean> {
  const now = Date.now();
  if (!shop.sendsMail || userId === null) return now < shippedAt + shipmentDelayMs;
  const message = await changeWaiting(tx, now)
    .set({ about: sql<string>`trim(replace(about || ' ', ${`${id} `}, ''))` })
    .where('kind', '=', 'order shipped')
    .where('user_id', '=', userId)
    .where('about', 'like', `%${id}%`)
    .returning(['id', 'about'])
    .executeTakeFirst();
  if (message?.about === '') await tx.deleteFrom('mail').where('id', '=', message.id).execute();
  return message !== undefined;
}

/**
 * Reports after a minute that a parcel's tracking was added (`isNew`) or corrected. Adds no message if a waiting one will contain
 * the new tracking anyway.
 */
export async function queueTrackingNotice(
  shop: Pick<Shop, 'sendsMail'>,
  tx: Tx,
  { id, userId, isNew }: Subject & { isNew: boolean },
): Promise<void> {
  if (!shop.sendsMail) return;
  const now = Date.now();
  const { numUpdatedRows: waiting } = await changeWaiting(tx, now)
    .set((eb) => ({ due_at: eb.ref('due_at') }))
    .where('kind', 'in', ['order shipped', 'tracking added', 'tracking corrected'])
    .where('about', 'like', `%${id}%`)
    .executeTakeFirst();
  if (waiting > 0n) return;
  const kind = isNew ? 'tracking added' : 'tracking corrected';
  await addMail(tx, [{ kind, userId, about: id, dueAt: now + shipmentDelayMs }]);
}

/**
 * Reports after a minute that the name, address or phone of a purchase was changed. Further changes within that minute share the
 * message.
 */
export async function queueDeliveryChanged(shop: Shop, tx: Tx, { id, userId }: Subject): Promise<void> {
  if (!shop.sendsMail || userId === null) return;
  const now = Date.now();
  const { numUpdatedRows: waiting } = await changeWaiting(tx, now)
    .set((eb) => ({ due_at: eb.ref('due_at') }))
    .where('kind', '=', 'delivery changed')
    .where('about', '=', id)
    .executeTakeFirst();
  if (waiting > 0n) return;
  await addMail(tx, [{ kind: 'delivery changed', userId, about: id, dueAt: now + shipmentDelayMs }]);
}

/**
 * Updates messages that are or will soon be due, and are not claimed yet. On PostgreSQL, the update also locks a message, so that
 * it is not written and sent before the change that joins it is committed.
 */
const changeWaiting = (tx: Tx, now: number) =>
  tx
    .updateTable('mail')
    .where('state', '=', sql.lit('waiting'))
    // The message may be from a process whose clock is ahead.
    .where('due_at', '<=', now + 2 * shipmentDelayMs)
    .where('attempts', '=', 0);

/** Reports a refund that has succeeded. `id` is the refund's. */
export async function queueOrderRefunded(shop: Shop, tx: Tx, { id, userId }: Subject): Promise<void> {
  if (!shop.sendsMail) return;
  await addMail(tx, [{ kind: 'order refunded', userId, about: id }]);
}

/** Reports that a refund has failed, after its success was reported. `id` is the refund's. */
export async function queueRefundFailed(shop: Shop, tx: Tx, { id, userId }: Subject): Promise<void> {
  if (!shop.sendsMail) return;
  await addMail(tx, [{ kind: 'refund failed', userId, about: id }]);
}

/** Tells the admins that the stock of these products has just become low. */
export async function queueLowStock(shop: Shop, tx: Tx, productIds: readonly string[]): Promise<void> {
  if (!shop.sendsMail || productIds.length === 0) return;
  const about = productIds.join(' ');
  await addAdminMail(tx, (userId) => ({ kind: 'low stock', userId, about }));
}

/**
 * If reviews need approval, sends each admin one message per hour about the reviews that became pending, however many strangers
 * write. `at` is the time of one review. The message's `about` is the start of its hour.
 */
export async function queuePendingReview(shop: Shop, tx: Tx, at: number): Promise<void> {
  if (!shop.sendsMail || !shop.config.reviewApproval) return;
  const hour = Math.floor(at / hourMs) * hourMs;
  await addAdminMail(tx, (userId) => ({
    id: `reviews-${hour}-${userId}`,
    kind: 'new reviews',
    userId,
    about: `${hour}`,
    // A minute after the hour ends, because a review from its last moments may still be uncommitted.
    dueAt: hour + hourMs + minuteMs,
  }));
}

/** Tells the admins about new problems on the Health page. */
export async function queueTroubles(shop: Shop, tx: Tx, troubles: readonly Trouble[]): Promise<void> {
  if (!shop.sendsMail || troubles.length === 0) return;
  const about = JSON.stringify(troubles);
  await addAdminMail(tx, (userId) => ({ kind: 'health problem', userId, about }));
}

async function addAdminMail(tx: Tx, write: (userId: string) => NewMail): Promise<void> {
  await addMail(tx, (await listAdmins(tx)).map(write));
}

async function listAdmins(tx: Tx): Promise<string[]> {
  const admins = await tx.selectFrom('user').select('id').where('role', '=', 'admin').orderBy('id').execute();
  return admins.map(({ id }) => id);
}
