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

type Purchase = { id: string; email: string };

/** Reports a new, unpaid purchase. */
export async function queueOrderPlaced(shop: Shop, tx: Tx, { id, email }: Purchase): Promise<void> {
  if (!shop.sendsMail) return;
  await addMail(tx, [{ id: id + placedSuffix, kind: 'order placed', recipient: email, about: id }]);
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
    .selectFrom('orders')
    .select(['purchase_id', 'email'])
    .where('status', '=', sql.lit(''))
    .where('hold_until', '>', now + hourMs)
    .where('hold_until', '<=', now + dayMs)
    .where(sql<boolean>`hold_until - created_at > ${2 * dayMs}`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mail')
            .select('mail.id')
            .where('mail.id', '=', sql<string>`purchase_id || ${reminderSuffix}`),
        ),
      ),
    )
    .orderBy('hold_until')
    .limit(maxReminders)
    .execute();
  const reminders = rows.map(({ purchase_id, email }): NewMail => {
    return { id: purchase_id + reminderSuffix, kind: 'hold ending', recipient: email, about: purchase_id };
  });
  // The orders of one purchase have the same reminder, which is added once.
  await addMail(db, reminders);
}

/** Sends the customer a receipt, and tells the admins about the order. */
export async function queueOrderPaid(shop: Shop, tx: Tx, { id, email }: Purchase): Promise<void> {
  if (!shop.sendsMail) return;
  const admins = await listAdmins(tx);
  await addMail(tx, [
    { kind: 'order paid', recipient: email, about: id },
    ...admins.map((recipient): NewMail => ({ kind: 'new order', recipient, about: id })),
  ]);
}

/** Reports a shipment, unless a message about another one of the same purchase is still waiting. */
export async function queueOrderShipped(
  shop: Pick<Shop, 'sendsMail'>,
  tx: Tx,
  { id, email, hasMore }: Purchase & { hasMore: boolean },
): Promise<void> {
  if (!shop.sendsMail) return;
  const now = Date.now();
  const { numUpdatedRows: waiting } = await lockWaiting(tx, now)
    .where('about', '=', id)
    .where('kind', '=', 'order shipped')
    .executeTakeFirst();
  if (waiting > 0n) return;
  const dueAt = now + (hasMore ? shipmentDelayMs : 0);
  await addMail(tx, [{ kind: 'order shipped', recipient: email, about: id, dueAt }]);
}

type CorrectedOrder = {
  id: string;
  purchaseId: string;
  email: string;
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
  { id, purchaseId, email, tracking, isNew }: CorrectedOrder,
): Promise<void> {
  if (!shop.sendsMail) return;
  const now = Date.now();
  const { numUpdatedRows: waiting } = await lockWaiting(tx, now)
    .where(({ and, eb, or, selectFrom }) => {
      const parcel = selectFrom('orders')
        .select('orders.id')
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
  await addMail(tx, [{ kind, recipient: email, about: id, dueAt: now + shipmentDelayMs }]);
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
  const { email } = await tx
    .selectFrom('orders')
    .select('email')
    .where('id', '=', refund.order_id)
    .executeTakeFirstOrThrow();
  await addMail(tx, [{ kind: 'order refunded', recipient: email, about: refund.id }]);
}

/** Tells the admins that the stock of these products has just become low. */
export async function queueLowStock(shop: Shop, tx: Tx, productIds: readonly string[]): Promise<void> {
  if (!shop.sendsMail || productIds.length === 0) return;
  const about = productIds.join(' ');
  const admins = await listAdmins(tx);
  await addMail(
    tx,
    admins.map((recipient) => ({ kind: 'low stock', recipient, about })),
  );
}

/** Tells the admins about new problems on the Health page. */
export async function queueTroubles(shop: Shop, tx: Tx, troubles: readonly Trouble[]): Promise<void> {
  if (!shop.sendsMail || troubles.length === 0) return;
  const about = JSON.stringify(troubles);
  const admins = await listAdmins(tx);
  await addMail(
    tx,
    admins.map((recipient) => ({ kind: 'health problem', recipient, about })),
  );
}

async function listAdmins(tx: Tx): Promise<string[]> {
  const admins = await tx.selectFrom('user').select('email').where('role', '=', 'admin').execute();
  return admins.map(({ email }) => email);
}
