import { sql } from 'kysely';
import type { Trouble } from '../../../contract/admin/health.ts';
import type { Tx } from '../../database/schema.ts';
import { dayMs, hourMs } from '../../http/rate-limit.ts';
import { addMail, deleteUnsentMail, type NewMail } from '../../mail/outbox.ts';
import type { Tracking } from '../orders/tracking.ts';
import type { Shop } from '../shop.ts';

/** Orders of one purchase that are shipped within this time are reported in one message. */
const shipmentDelayMs = 60_000;

/** A purchase's id with one of these suffixes is the id of a message about it, so that there is only one of each. */
const placedSuffix = '-placed';
const reminderSuffix = '-hold';
const maxReminders = 500;

type Purchase = { id: string; userId: string | null };

/** Reports a new, unpaid purchase. */
export async function queueOrderPlaced(shop: Shop, tx: Tx, { id, userId }: Purchase): Promise<void> {
  if (!shop.sendsMail) return;
  await addMail(tx, [{ id: id + placedSuffix, kind: 'order placed', userId, about: id }]);
}

/** Deletes the unsent messages about an unpaid purchase that was deleted. */
export const deletePurchaseMail = (tx: Tx, id: string): Promise<void> =>
  deleteUnsentMail(tx, [id + placedSuffix, id + reminderSuffix]);

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
export async function queueOrderPaid(shop: Shop, tx: Tx, { id, userId }: Purchase): Promise<void> {
  if (!shop.sendsMail) return;
  const admins = await listAdmins(tx);
  await addMail(tx, [
    { kind: 'order paid', userId, about: id },
    ...admins.map((admin): NewMail => ({ kind: 'new order', userId: admin, about: id })),
  ]);
}

/** Reports a shipment, unless a message about another one of the same purchase is still waiting. */
export async function queueOrderShipped(
  shop: Pick<Shop, 'sendsMail'>,
  tx: Tx,
  { id, userId, hasMore }: Purchase & { hasMore: boolean },
): Promise<void> {
  if (!shop.sendsMail) return;
  const now = Date.now();
  const { numUpdatedRows: waiting } = await lockWaiting(tx, now)
    .where('about', '=', id)
    .where('kind', '=', 'order shipped')
    .executeTakeFirst();
  if (waiting > 0n) return;
  const dueAt = now + (hasMore ? shipmentDelayMs : 0);
  await addMail(tx, [{ kind: 'order shipped', userId, about: id, dueAt }]);
}

type CorrectedOrder = {
  id: string;
  purchaseId: string;
  userId: string | null;
  tracking: Tracking;
  /** Whether it had no tracking before. */
  isNew: boolean;
};

/**
 * Reports that a shipped order's tracking was added or corrected, after a minute, unless a waiting message will report it: one
 * about the purchase's shipment, or about the tracking of the same parcel.
 */
export async function queueTrackingNotice(
  shop: Pick<Shop, 'sendsMail'>,
  tx: Tx,
  { id, purchaseId, userId, tracking, isNew }: CorrectedOrder,
): Promise<void> {
  if (!shop.sendsMail) return;
  const now = Date.now();
  const { numUpdatedRows: waiting } = await lockWaiting(tx, now)
    .where(({ and, eb, or, selectFrom }) => {
      const parcel = selectFrom('order_line')
        .select('order_line.id')
        .where('purchase_id', '=', purchaseId)
        .where('tracking_number', 'is not distinct from', tracking.tracking_number)
        // As in the letter, orders without a number are one parcel if their carrier and link are the same.
        .$if(tracking.tracking_number === null, (query) =>
          query
            .where('carrier', 'is not distinct from', tracking.carrier)
            .where('tracking_url', 'is not distinct from', tracking.tracking_url),
        );
      return or([
        and([eb('kind', '=', 'order shipped'), eb('about', '=', purchaseId)]),
        and([
          eb('kind', 'in', ['tracking added', 'tracking corrected']),
          or([eb('about', '=', id), eb('about', 'in', parcel)]),
        ]),
      ]);
    })
    .executeTakeFirst();
  if (waiting > 0n) return;
  const kind = isNew ? 'tracking added' : 'tracking corrected';
  await addMail(tx, [{ kind, userId, about: id, dueAt: now + shipmentDelayMs }]);
}

/**
 * Messages that will be written within `shipmentDelayMs`, or are due but not claimed yet. The update only locks them: on
 * PostgreSQL, one could otherwise be written and sent before the change that joins it is committed.
 */
const lockWaiting = (tx: Tx, now: number) =>
  tx
    .updateTable('mail')
    .set((eb) => ({ due_at: eb.ref('due_at') }))
    .where('state', '=', sql.lit('waiting'))
    .where('due_at', '<=', now + shipmentDelayMs)
    .where('attempts', '=', 0);

/** Reports a refund that has succeeded. */
export async function queueOrderRefunded(
  shop: Shop,
  tx: Tx,
  refund: { id: string; order_id: string },
): Promise<void> {
  if (!shop.sendsMail) return;
  const { user_id: userId } = await tx
    .selectFrom('order_line')
    .select('user_id')
    .where('id', '=', refund.order_id)
    .executeTakeFirstOrThrow();
  await addMail(tx, [{ kind: 'order refunded', userId, about: refund.id }]);
}

/** Tells the admins that the stock of these products has just become low. */
export async function queueLowStock(shop: Shop, tx: Tx, productIds: readonly string[]): Promise<void> {
  if (!shop.sendsMail || productIds.length === 0) return;
  const about = productIds.join(' ');
  const admins = await listAdmins(tx);
  await addMail(
    tx,
    admins.map((userId) => ({ kind: 'low stock', userId, about })),
  );
}

/** Tells the admins about new problems on the Health page. */
export async function queueTroubles(shop: Shop, tx: Tx, troubles: readonly Trouble[]): Promise<void> {
  if (!shop.sendsMail || troubles.length === 0) return;
  const about = JSON.stringify(troubles);
  const admins = await listAdmins(tx);
  await addMail(
    tx,
    admins.map((userId) => ({ kind: 'health problem', userId, about })),
  );
}

async function listAdmins(tx: Tx): Promise<string[]> {
  const admins = await tx.selectFrom('user').select('id').where('role', '=', 'admin').execute();
  return admins.map(({ id }) => id);
}
