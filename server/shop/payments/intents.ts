import { uuidv7 } from 'uuidv7';
import { isDeliverySetUp } from '../../../contract/delivery/rates.ts';
import { notFound, ShopError } from '../../../contract/errors.ts';
import { parsePurchaseNumber } from '../../../contract/orders/purchase-number.ts';
import { formatPrice, toMinor, toWire } from '../../config/currency.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { checkoutIncomplete } from '../delivery/problems.ts';
import { requireDelivered } from '../delivery/same-delivery.ts';
import { readShipping } from '../delivery/shipping.ts';
import { parseAddress } from '../delivery/stored-address.ts';
import { isPaid } from '../orders/orders.ts';
import {
  listPurchaseOrders,
  listUnpaidPurchasesByTotal,
  lockPurchaseOrders,
  type OrderRow,
} from '../orders/queries.ts';
import type { Shop } from '../shop.ts';
import { requireOwnAccount } from './account.ts';
import type { Intent } from './provider.ts';
import { changePayment, type PaymentRow, settlePayment } from './settle.ts';
import { isRefusal, isUnknownObject } from './stripe-client.ts';

/**
 * Returns the client secret with which the browser pays one of the viewer's own purchases; repeated calls return the same secret.
 * The purchase is identified by its id or number, by one of its orders, or by `price` (its total on the wire) alone. Throws 404 if
 * the viewer has no such purchase; 409 if it cannot be paid, or not at this price; 402 if the provider refuses; 503 if the provider
 * is unreachable.
 */
export async function getClientSecret(
  shop: Shop,
  viewer: SessionUser,
  request: { price: number; purchase?: string | undefined; order?: string | undefined },
): Promise<string> {
  const { id, total } = await getPurchaseToPay(shop, viewer, request);
  // A cancelled intent is replaced by a new one, which takes a second attempt, or a third if two pages race.
  for (let attempt = 0; attempt < 3; attempt++) {
    const payment = await openPayment(shop, id, total);
    // An older release of the shop changed the total and left this payment open.
    if (payment.amount !== total) {
      await cancelPayment(shop, payment);
      continue;
    }
    const intent = await getIntent(shop, payment);
    // The payment has ended. The next attempt throws the reason, or opens another payment.
    if (!intent) continue;
    if (intent.status === 'processing')
      throw new ShopError('payment_processing', 'A payment for this order is processing.');
    if (intent.status !== 'succeeded' && intent.status !== 'canceled' && intent.client_secret)
      return intent.client_secret;
    await settlePayment(shop, payment, intent);
  }
  throw new ShopError('conflict', 'This order cannot be paid at the moment. Try again.');
}

/** The purchase's id and the total that the customer has seen, in minor units. */
type PurchaseToPay = { id: string; total: number };

async function getPurchaseToPay(
  shop: Shop,
  viewer: SessionUser,
  { price, purchase, order }: { price: number; purchase?: string | undefined; order?: string | undefined },
): Promise<PurchaseToPay> {
  if (purchase === undefined && order === undefined) return getPurchaseByPrice(shop, viewer, price);
  const number = parsePurchaseNumber(purchase ?? '');
  const by = number ? { number } : purchase === undefined ? { order: order ?? '' } : { id: purchase };
  const orders = await listPurchaseOrders(shop.database.db, by);
  const [first] = orders;
  // Even an admin can pay only for their own orders.
  if (!first || first.user_id !== viewer.id) throw notFound('order');
  requireUnpaid(first);
  const { purchase_id, currency, purchase_total: total } = first;
  if (toMinor(price, currency) !== total) throw priceChanged(shop, total, currency);
  return { id: purchase_id, total };
}

/** Throws 409 if the purchase of this order is paid, or if it has expired: then it can only be ordered again. */
export function requireUnpaid(order: OrderRow): void {
  if (isPaid(order)) throw new ShopError('already_paid', 'This order is paid.');
  if (order.status !== 'expired') return;
  const detail =
    'This order was not paid in time, so its reservation has ended. Order again to buy these tools.';
  throw new ShopError('order_expired', detail);
}

function priceChanged(shop: Shop, total: number, currency: string): ShopError {
  const detail = `The order's price is ${formatPrice(shop, total, currency)}.`;
  return new ShopError('price_changed', detail, { data: { price: toWire(total, currency) } });
}

/** The viewer's only unpaid purchase with that price. */
async function getPurchaseByPrice(
  shop: Shop,
  { id: user_id }: SessionUser,
  price: number,
): Promise<PurchaseToPay> {
  const { currency } = shop;
  // No purchase has a negative total.
  const total = toMinor(price, currency) ?? -1;
  const [only, another] = await listUnpaidPurchasesByTotal(shop.database.db, { user_id, total, currency });
  if (!only) throw new ShopError('conflict', 'You have no unpaid order with that price.');
  if (another)
    throw new ShopError('conflict', 'You have several unpaid orders with that price: send an order id.');
  return { id: only.id, total };
}

/**
 * Returns the purchase's open payment, or inserts one. Throws 409 if the purchase no longer has this total, because one of
 * its orders has been deleted in the meantime, if the purchase has been paid or has expired, or if no rate is chosen or the shop
 * no longer delivers to its address.
 */
function openPayment(shop: Shop, purchaseId: string, total: number): Promise<PaymentRow> {
  const { database } = shop;
  return database.transaction(async (tx) => {
    const orders = await lockPurchaseOrders(tx, database.engine, purchaseId);
    const [first] = orders;
    if (!first) throw notFound('order');
    requireUnpaid(first);
    if (first.purchase_total !== total) throw priceChanged(shop, first.purchase_total, first.currency);
    const last = await findLastPayment(tx, purchaseId);
    const isOpen = last?.state === 'open';
    const shipping = await readShipping(tx);
    if (isDeliverySetUp(shipping)) {
      const { rate, shipTo } = await readDestination(tx, purchaseId);
      // A payment that was opened before delivery was set up stays valid.
      if (!rate && !isOpen) throw checkoutIncomplete(['rate_gone']);
      if (rate && shipTo) await requireDelivered(tx, orders, shipping, shipTo);
    }
    if (isOpen) return last;
    return tx
      .insertInto('payment')
      .values({
        id: uuidv7(),
        purchase_id: purchaseId,
        attempt: (last?.attempt ?? 0) + 1,
        amount: total,
        currency: first.currency,
        intent: null,
        state: 'open',
        created_at: Date.now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

async function readDestination(tx: Tx, purchaseId: string) {
  const purchase = await tx
    .selectFrom('purchase')
    .select(['rate', 'ship_to'])
    .where('id', '=', purchaseId)
    .executeTakeFirst();
  return { rate: purchase?.rate, shipTo: purchase?.ship_to ? parseAddress(purchase.ship_to) : undefined };
}

/** The newest attempt to pay a purchase. Only this one can be open. */
export function findLastPayment(db: Db | Tx, purchaseId: string): Promise<PaymentRow | undefined> {
  return db
    .selectFrom('payment')
    .selectAll()
    .where('purchase_id', '=', purchaseId)
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * The current intent of an open payment. Creates one if the payment has none or the provider's response was lost. Returns undefined
 * if the payment has ended meanwhile.
 */
export async function getIntent(shop: Shop, payment: PaymentRow): Promise<Intent | undefined> {
  if (!payment.intent) return createIntent(shop, payment);
  return shop.provider.getIntent(payment.intent).catch((error: unknown) => endUnknown(shop, payment, error));
}

/**
 * Handles an error about the intent of an open payment. If the provider does not know the intent, it cannot be paid, so the
 * payment ends. But if the payment was made with an account other than our key's, the money may be there: this then throws 503,
 * and names both accounts.
 */
export async function endUnknown(shop: Shop, payment: PaymentRow, error: unknown): Promise<undefined> {
  if (!isUnknownObject(error)) throw error;
  await requireOwnAccount(shop, payment, error);
  await changePayment(shop.database.db, payment.id, ['open'], { state: 'cancelled' });
  shop.log.warn(
    { intent: payment.intent, error },
    'the provider does not know this payment, so it has ended',
  );
}

/**
 * Creates the payment's intent and stores its id; after a crash, the idempotency key returns the same intent. Cancels the intent
 * and returns undefined if the orders have been deleted or paid in the meantime. Throws 402 if the provider refuses; that also
 * ends the payment, because orders with an open payment can neither be deleted nor expire.
 */
export async function createIntent(shop: Shop, payment: PaymentRow): Promise<Intent | undefined> {
  const { db } = shop.database;
  const purchase = await db
    .selectFrom('purchase')
    .select('number')
    .where('id', '=', payment.purchase_id)
    .executeTakeFirst();
  // A purchase with an open payment is never deleted.
  if (!purchase) return undefined;
  // The account is unknown only with a restricted key or during an outage, and an outage also makes the call below fail.
  const account = await shop.provider.getAccountId().catch(() => null);
  const updateOpen = db.updateTable('payment').where('id', '=', payment.id).where('state', '=', 'open');
  const intent = await shop.provider
    .createIntent(shop.id, { ...payment, number: purchase.number })
    .catch(async (error: unknown) => {
      if (isRefusal(error))
        await updateOpen.set({ state: 'cancelled' }).where('intent', 'is', null).execute();
      throw error;
    });
  const { numUpdatedRows } = await updateOpen
    .set({ intent: intent.id, account })
    .where((eb) => eb.or([eb('intent', 'is', null), eb('intent', '=', intent.id)]))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('purchase').select('id').where('id', '=', payment.purchase_id).where('status', '=', ''),
      ),
    )
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return intent;
  await settlePayment(shop, payment, await shop.provider.cancelIntent(intent.id));
  return undefined;
}

/** Cancels an open payment, or settles it if it has succeeded. Throws 409 if it is processing, 503 if the provider is unreachable. */
export async function cancelPayment(shop: Shop, payment: PaymentRow): Promise<void> {
  // Without an intent id, the provider's response was lost: the same idempotency key returns the same intent.
  const id = payment.intent ?? (await createIntent(shop, payment).catch(ignoreRefusal))?.id;
  if (!id) return;
  const intent = await shop.provider
    .cancelIntent(id)
    .catch((error: unknown) => endUnknown(shop, payment, error));
  if (!intent) return;
  if (intent.status === 'processing')
    throw new ShopError('payment_processing', 'A payment for this order is processing: wait for its result.');
  await settlePayment(shop, payment, intent);
}

/** If the provider refuses to create an intent, there is nothing to cancel. */
function ignoreRefusal(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}
