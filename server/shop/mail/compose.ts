import { sql } from 'kysely';
import type { Letter, MailEntry, MailKind } from '../../../contract/mail.ts';
import { contactPage } from '../../../contract/page-addresses.ts';
import type { Db } from '../../database/schema.ts';
import type { MailRow } from '../../mail/outbox.ts';
import { writeText } from '../../mail/plain-text.ts';
import type { Message } from '../../mail/transport.ts';
import type { PurchaseOrders } from '../orders/purchases.ts';
import { listPurchaseOrders, type OrderRow } from '../orders/queries.ts';
import { isOwed, listAutomaticRefunds, listRefunds, type Refund } from '../orders/refund-rows.ts';
import { addCharges } from '../orders/subjects.ts';
import { readSeller } from '../printing/shop-details.ts';
import { writeBackInStock } from '../products/back-in-stock-mail.ts';
import { listNewReviews } from '../reviews/list.ts';
import type { Shop } from '../shop.ts';
import {
  writeAccountDeleted,
  writeConfirmAddress,
  writePasswordChanged,
  writeResetPassword,
  writeTwoFactorOff,
  writeTwoFactorOn,
} from './account-letters.ts';
import { nameRecipient } from './account-limits.ts';
import { writeAddressChanged, writeChangeAddress } from './address-letters.ts';
import { writeHealthProblem, writeLowStock, writeNewOrder, writeNewReviews } from './admin-letters.ts';
import { writeContactMessage, writeNewsletterRequest } from './contact-letters.ts';
import { writeOrderDeleted } from './deletion-letter.ts';
import { type MailedDelivery, readDelivery } from './delivery.ts';
import {
  type LetterText,
  writeDeliveryChanged,
  writeHoldEnding,
  writeOrderExpired,
  writeOrderPaid,
  writeOrderPlaced,
  writeOrderRefunded,
  writePaymentRefunded,
  writeRefundFailed,
} from './letters.ts';
import { countMessage } from './message-count.ts';
import { writePasskeyNotice } from './passkey-letters.ts';
import { writeOrderShipped, writeTrackingNotice } from './shipping-letters.ts';

/** Only for current admins, because they name customers and their addresses. */
const adminKinds: ReadonlySet<MailKind> = new Set([
  'new order',
  'low stock',
  'new reviews',
  'health problem',
]);

const toShopKinds: ReadonlySet<MailKind> = new Set([...adminKinds, 'contact message']);

type WriteLetter = (shop: Shop, mail: MailRow) => Promise<LetterText | undefined>;

/** For messages whose `about` is a purchase. Nothing is sent once its orders are deleted. */
const forPurchase =
  (
    write: (
      shop: Shop,
      orders: PurchaseOrders,
      delivery: MailedDelivery,
    ) => LetterText | undefined | Promise<LetterText | undefined>,
  ): WriteLetter =>
  async (shop, { about }) => {
    const [first, ...others] = await listPurchaseOrders(shop.database.db, { id: about });
    if (!first) return undefined;
    const orders: PurchaseOrders = [first, ...others];
    return write(shop, orders, await readDelivery(shop.database.db, orders));
  };

const letters: Record<MailKind, WriteLetter> = {
  'order placed': forPurchase(writeOrderPlaced),
  'hold ending': forPurchase(writeHoldEnding),
  'order expired': forPurchase(writeOrderExpired),
  'order deleted': writeOrderDeleted,
  'order paid': forPurchase(writeOrderPaid),
  'order shipped': writeOrderShipped,
  'tracking added': writeTrackingNotice('added'),
  'tracking corrected': writeTrackingNotice('corrected'),
  'order refunded': async (shop, { about }) => {
    const { db } = shop.database;
    const [refund] = await listRefunds(db, { id: about });
    const [automatic] = refund ? [] : await listAutomaticRefunds(db, 'id', [about]);
    const found = refund ?? automatic;
    // It may have failed since.
    if (found?.status !== 'succeeded') return undefined;
    const orders = await addCharges(db, await listPurchaseOrders(db, { id: found.purchase_id }));
    return refund ? writeOrderRefunded(shop, orders, refund) : writePaymentRefunded(shop, orders, found);
  },
  'delivery changed': forPurchase(writeDeliveryChanged),
  'refund failed': async (shop, { about }) => {
    const { db } = shop.database;
    const [refund] = await listRefunds(db, { id: about });
    const [automatic] = refund ? [] : await listAutomaticRefunds(db, 'id', [about]);
    const found = refund ?? automatic;
    // It may have been made by hand at the provider.
    if (!found || found.status === 'succeeded') return undefined;
    const orders = await addCharges(db, await listPurchaseOrders(db, { id: found.purchase_id }));
    const owed = refund ? sumOwed(refund, orders) : found.amount;
    return owed === 0 ? undefined : writeRefundFailed(shop, orders, { ...found, owed });
  },
  'new order': forPurchase(writeNewOrder),
  'back in stock': writeBackInStock,
  'low stock': async (shop, { about }) =>
    writeLowStock(shop, await listLow(shop.database.db, about.split(' '))),
  'new reviews': async (shop, { about }) => writeNewReviews(shop, await listNewReviews(shop, Number(about))),
  'health problem': async (shop, { about }) => writeHealthProblem(shop, about),
  'confirm address': writeConfirmAddress,
  'reset password': writeResetPassword,
  'password changed': writePasswordChanged,
  'two-factor on': writeTwoFactorOn,
  'two-factor off': writeTwoFactorOff,
  'passkey added': writePasskeyNotice('added'),
  'passkey removed': writePasskeyNotice('removed'),
  'change address': writeChangeAddress,
  'address changed': writeAddressChanged,
  'account deleted': writeAccountDeleted,
  'contact message': writeContactMessage,
  newsletter: writeNewsletterRequest,
};

/**
 * The amount still owed of a failed refund, in minor units. If the shop itself settled the refund when it failed, an earlier
 * refund of the same orders may still owe the amount.
 */
function sumOwed(refund: Refund, orders: readonly OrderRow[]): number {
  const owedBefore = refund.outcome === 'nothing_owed' && refund.settled_by === '';
  const amounts = refund.lines.map((line) => {
    if (isOwed(refund, line)) return line.amount;
    const { owed = 0 } = orders.find(({ id }) => id === line.subject_id) ?? {};
    return owedBefore ? Math.min(line.amount, owed) : 0;
  });
  return amounts.reduce((sum, amount) => sum + amount, 0);
}

/** Writes a row's message from the shop's current data. Returns undefined if there is nothing left to report. */
export async function composeMail(
  shop: Shop,
  { writeHtml }: MailEntry,
  mail: MailRow,
): Promise<Omit<Message, 'id'> | undefined> {
  // The message may have waited for days: neither a former admin nor a deleted account gets it.
  if (mail.recipient === '') return undefined;
  if (adminKinds.has(mail.kind) && !(await isAdmin(shop.database.db, mail.recipient))) return undefined;
  const text = await letters[mail.kind](shop, mail);
  if (!text || !(await isWithinLimit(shop, mail))) return undefined;
  const letter: Letter = {
    ...text,
    ...(toShopKinds.has(mail.kind) ? {} : { contact: describeContact(shop) }),
    shop: { ...(await readSeller(shop)), url: shop.config.origins[0] },
  };
  return {
    to: mail.recipient,
    subject: letter.subject,
    replyTo: letter.replyTo ?? shop.config.contactEmail,
    unsubscribeUrl: letter.unsubscribeUrl,
    text: writeText(letter),
    html: writeHtml(letter),
  };
}

/** Somebody reads the replies: `MAIL_FROM` is such a mailbox, and so is `CONTACT_EMAIL`, with which there is a contact page. */
function describeContact({ config }: Shop): NonNullable<Letter['contact']> {
  const text = 'Questions? Reply to this email.';
  return config.contactEmail
    ? { text, link: { label: 'Contact us', url: `${config.origins[0]}${contactPage}` } }
    : { text };
}

/**
 * Anybody can sign up with somebody else's address, and place and delete any number of orders. Each order causes a message, and
 * perhaps messages to the admins about low stock. The limit is checked here, because checking it when an order is placed would
 * slow orders down.
 */
async function isWithinLimit(shop: Shop, mail: MailRow): Promise<boolean> {
  const { orderMessagesPerRecipient, stockMessagesPerRecipient } = shop.rateLimits;
  const limits: Partial<Record<MailKind, number>> = {
    'order placed': orderMessagesPerRecipient,
    'order expired': orderMessagesPerRecipient,
    'order deleted': orderMessagesPerRecipient,
    'delivery changed': orderMessagesPerRecipient,
    'low stock': stockMessagesPerRecipient,
  };
  const max = limits[mail.kind];
  if (max === undefined) return true;
  return countMessage(shop, mail, `${mail.kind} mail to ${await nameRecipient(shop, mail)}`, max);
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
