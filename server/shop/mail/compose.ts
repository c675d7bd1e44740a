import { sql } from 'kysely';
import type { Letter, MailEntry, MailKind } from '../../../contract/mail.ts';
import type { Db } from '../../database/schema.ts';
import { countAttempt, dayMs, hourMs } from '../../http/rate-limit.ts';
import { toMailbox } from '../../mail/mailbox.ts';
import type { MailRow } from '../../mail/outbox.ts';
import { writeText } from '../../mail/plain-text.ts';
import type { Message } from '../../mail/transport.ts';
import { findOrder, listPurchaseOrders } from '../orders/queries.ts';
import { readShopDetails } from '../printing/shop-details.ts';
import type { Shop } from '../shop.ts';
import {
  writeConfirmAddress,
  writePasswordChanged,
  writeResetPassword,
  writeTwoFactorOff,
} from './account-letters.ts';
import { writeHealthProblem, writeLowStock, writeNewOrder } from './admin-letters.ts';
import { writeContactMessage, writeNewsletterRequest } from './contact-letters.ts';
import {
  type LetterText,
  writeHoldEnding,
  writeOrderPaid,
  writeOrderPlaced,
  writeOrderRefunded,
  writeOrderShipped,
} from './letters.ts';

/** They name customers and their addresses. */
const adminKinds: ReadonlySet<MailKind> = new Set(['new order', 'low stock', 'health problem']);

const purchaseLetters = {
  'order placed': writeOrderPlaced,
  'hold ending': writeHoldEnding,
  'order paid': writeOrderPaid,
  'order shipped': writeOrderShipped,
  'new order': writeNewOrder,
};

/** Writes a row's message from the shop's current data. Returns undefined if there is nothing left to report. */
export async function composeMail(
  shop: Shop,
  { writeHtml }: MailEntry,
  mail: MailRow,
): Promise<Omit<Message, 'id'> | undefined> {
  // The message may have waited for days: a former admin gets none.
  if (adminKinds.has(mail.kind) && !(await isAdmin(shop.database.db, mail.recipient))) return undefined;
  const text = await writeLetter(shop, mail);
  if (!text || !(await isWithinLimit(shop, mail))) return undefined;
  const { name, address, taxId } = await readShopDetails(shop);
  const letter: Letter = { ...text, shop: { name, address, taxId, url: shop.config.origins[0] } };
  return {
    to: mail.recipient,
    subject: letter.subject,
    replyTo: letter.replyTo,
    unsubscribeUrl: letter.unsubscribeUrl,
    text: writeText(letter),
    html: await writeHtml(letter),
  };
}

/**
 * Anybody can sign up with somebody else's email address, and place and delete any number of orders, which also take the
 * stock and return it. Counted here and not when the order is placed, which would slow orders down.
 */
async function isWithinLimit(
  { database, rateLimits }: Shop,
  { kind, recipient, attempts }: MailRow,
): Promise<boolean> {
  if (attempts > 1) return true;
  const isBelow = async (name: string, max: number, windowMs = hourMs) =>
    (await countAttempt(database, `${name} ${toMailbox(recipient)}`, windowMs)).count <= max;
  if (kind === 'order placed') return isBelow('order mail', rateLimits.orderMessagesPerRecipient);
  if (kind === 'low stock') return isBelow('stock mail', rateLimits.stockMessagesPerRecipient);
  // Not the limit of links that reset a password: anybody could use it up with this form, and so stop the owner's reset.
  if (kind === 'newsletter')
    return isBelow('newsletter mail', rateLimits.newsletterMessagesPerRecipient, dayMs);
  return true;
}

async function writeLetter(shop: Shop, mail: MailRow): Promise<LetterText | undefined> {
  const { kind, about } = mail;
  const { db } = shop.database;
  if (kind === 'order refunded') {
    const refund = await db.selectFrom('refund').selectAll().where('id', '=', about).executeTakeFirst();
    const order = refund && (await findOrder(db, refund.order_id));
    return order && writeOrderRefunded(shop, order, refund);
  }
  if (kind === 'low stock') return writeLowStock(shop, await listLow(db, about.split(' ')));
  if (kind === 'contact message') return writeContactMessage(shop, mail);
  if (kind === 'newsletter') return writeNewsletterRequest(shop, mail);
  if (kind === 'health problem') return writeHealthProblem(shop, about);
  if (kind === 'confirm address') return writeConfirmAddress(shop, mail);
  if (kind === 'reset password') return writeResetPassword(shop, mail);
  if (kind === 'password changed') return writePasswordChanged(shop, mail);
  if (kind === 'two-factor off') return writeTwoFactorOff(shop, mail);
  const [first, ...others] = await listPurchaseOrders(db, { id: about });
  return first && purchaseLetters[kind](shop, [first, ...others]);
}

const isAdmin = async (db: Db, email: string): Promise<boolean> => {
  const admin = db
    .selectFrom('user')
    .select('id')
    .where('email', '=', email)
    .where('role', '=', sql.lit('admin'));
  return (await admin.executeTakeFirst()) !== undefined;
};

const listLow = (db: Db, ids: string[]) =>
  db
    .selectFrom('product')
    .select(['name', 'available', 'low_stock'])
    .where('id', 'in', ids)
    .where('archived_at', 'is', null)
    .whereRef('available', '<', 'low_stock')
    .orderBy('id')
    .execute();
