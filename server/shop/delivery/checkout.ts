import { sql } from 'kysely';
import { uuidv7 } from 'uuidv7';
import type { Checkout, Quote } from '../../../contract/delivery/quotes.ts';
import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import { hourMs } from '../../../contract/durations.ts';
import { invalid, notFound, ShopError } from '../../../contract/errors.ts';
import { formatPrice, maxCharge, toMinor, toNearestMinor } from '../../config/currency.ts';
import type { Db, Tx } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { listPurchaseOrders, type OrderRow } from '../orders/queries.ts';
import { nextVersion, requireVersion } from '../orders/version.ts';
import { countProviderCall } from '../payments/call-limit.ts';
import { changeWithoutPayment } from '../payments/end-order.ts';
import { cancelPayment, requireUnpaid } from '../payments/intents.ts';
import type { Shop } from '../shop.ts';
import { noDaysOff } from './holidays.ts';
import { checkoutIncomplete } from './problems.ts';
import {
  type ComputedQuote,
  computeQuote,
  type Destination,
  type Offer,
  promisedDays,
  type QuotedLine,
  toQuote,
} from './quote.ts';
import { listQuotedLines, readContext } from './quoted-lines.ts';
import { readShipping } from './shipping.ts';
import { listMissing, requireWhole, toColumns } from './stored-address.ts';
import { sumPurchase } from './total.ts';

/** Quotes a purchase, in its own currency. */
export async function quotePurchase(
  shop: Shop,
  orders: readonly [OrderRow, ...OrderRow[]],
  { rate, ...destination }: Destination & { rate: string },
): Promise<Quote> {
  const { db } = shop.database;
  const [{ currency }] = orders;
  const shipping = await readShipping(db);
  const lines = await listQuotedLines(db, orders);
  const context = await readContext(shop, shipping, currency);
  return toQuote(computeQuote(context, shipping, lines, destination, rate), currency);
}

/** Quotes products that are not ordered yet, at their current prices. Throws 404 for a product that is not sold. */
export async function quoteLines(
  shop: Shop,
  lines: readonly { orderId: string; orderQuantity: number }[],
  { rate, ...destination }: Destination & { rate: string },
): Promise<Quote> {
  const { db } = shop.database;
  const { currency } = shop;
  const products = await db
    .selectFrom('product')
    .select(['id', 'name', 'price', 'weight', 'not_to'])
    .where(
      'id',
      'in',
      lines.map(({ orderId }) => orderId),
    )
    .where('archived_at', 'is', null)
    .execute();
  const quoted = lines.map(({ orderId, orderQuantity: quantity }): QuotedLine => {
    const product = products.find(({ id }) => id === orderId);
    if (!product) throw notFound('product');
    return { ...product, quantity, total: product.price * quantity };
  });
  const shipping = await readShipping(db);
  const context = await readContext(shop, shipping, currency);
  return toQuote(computeQuote(context, shipping, quoted, destination, rate), currency);
}

/**
 * Saves where and how an unpaid purchase of the viewer is sent, and what that costs. Once everything is valid, an open payment is
 * cancelled, because it may be of another amount. Saving the same again changes nothing. Throws 404 if the purchase is gone; 409 if
 * something is missing (`data.problems`), the total differs (`data` is the new quote), the purchase has changed since `version`, or
 * it is or may be paid; 422 if the address lacks a part; 429 above the limit on calls to the provider; 503 if the provider is
 * unreachable.
 */
export async function saveCheckout(
  shop: Shop,
  viewer: SessionUser,
  purchaseId: string,
  body: Checkout,
): Promise<void> {
  const { db } = shop.database;
  if (await isSaved(db, purchaseId, body)) return;
  const cancel = async (payment: Parameters<typeof cancelPayment>[1]) => {
    // A good payment must not be cancelled for choices that are then rejected.
    await checkChoices(shop, db, { viewer, orders: await listPurchaseOrders(db, { id: purchaseId }), body });
    await countProviderCall(shop, viewer);
    await cancelPayment(shop, payment);
  };
  const options = { isNeeded: () => true, cancel };
  await changeWithoutPayment(shop, { id: purchaseId }, options, async (tx, orders) => {
    if (await isSaved(tx, purchaseId, body)) return;
    const { shipping, chosen } = await checkChoices(shop, tx, { viewer, orders, body });
    await storeCheckout(tx, { purchaseId, shipping, chosen, body });
  });
}

/** Returns the chosen rate. Throws if these choices cannot be saved for the purchase with these orders (`saveCheckout`). */
async function checkChoices(
  shop: Shop,
  db: Db | Tx,
  { viewer, orders, body }: { viewer: SessionUser; orders: readonly OrderRow[]; body: Checkout },
): Promise<{ shipping: Shipping; chosen: Offer }> {
  const [first] = orders;
  if (!first || first.user_id !== viewer.id) throw notFound('order');
  requireUnpaid(first);
  requireVersion(first.version, body.version);
  const shipping = await readShipping(db);
  const lines = await listQuotedLines(db, orders);
  // The dates are those of the payment, so the days off, which take long to load, don't matter.
  const { timeZone } = shop.config;
  const context = { currency: first.currency, timeZone, daysOff: noDaysOff, now: Date.now() };
  const computed = computeQuote(context, shipping, lines, body.shipTo, body.rate);
  return { shipping, chosen: requireComplete(shop, computed, body, first.currency) };
}

/** Returns the chosen rate. Throws 409 or 422 if the purchase cannot be sent as `body` says, or not at this price. */
function requireComplete(
  shop: Shop,
  computed: ComputedQuote,
  { shipTo, billTo, price }: Checkout,
  currency: string,
): Offer {
  if (computed.problems.length > 0) throw checkoutIncomplete(computed.problems);
  if (!computed.chosen) throw checkoutIncomplete(['rate_gone']);
  const { chosen } = computed;
  requireWhole([
    ...listMissing(shipTo, { ...chosen.rate, prefix: 'shipTo.' }),
    ...(billTo ? listMissing(billTo, { prefix: 'billTo.' }) : []),
  ]);
  if (computed.total > maxCharge(currency))
    throw invalid('rate', `An order can total at most ${formatPrice(shop, maxCharge(currency), currency)}`);
  if (toMinor(price, currency) !== computed.total) throw totalChanged(shop, computed, price, currency);
  return chosen;
}

/** The 409 with the new quote, but without dates. `seen` is the total that the customer has seen, on the wire. */
function totalChanged(shop: Shop, computed: ComputedQuote, seen: number, currency: string): ShopError {
  const [before, now] = [toNearestMinor(seen, currency, Math.round), computed.total].map((total) =>
    formatPrice(shop, total, currency),
  );
  const detail = `The total has changed from ${before} to ${now}. Check it, then continue.`;
  const { goods, charges, price, rates, problems } = toQuote(computed, currency);
  const offered = rates.map(({ _id, name, price }) => ({ _id, name, price }));
  const data = { goods, charges, price, currency, rates: offered, problems };
  return new ShopError('price_changed', detail, { data });
}

/** An invoice has no phone number. */
const toBillTo = (billTo: Checkout['billTo']) => (billTo ? JSON.stringify({ ...billTo, phone: '' }) : null);

/** Whether exactly this was saved before. Its price stays, even if the rate costs something else now. */
async function isSaved(db: Db | Tx, purchaseId: string, body: Checkout): Promise<boolean> {
  const purchase = await db
    .selectFrom('purchase')
    .select(['ship_to', 'bill_to', 'rate', 'remark', 'total', 'currency'])
    .where('id', '=', purchaseId)
    .executeTakeFirst();
  if (!purchase || purchase.rate === null) return false;
  const { shipTo, billTo, rate, remark, price } = body;
  return (
    purchase.ship_to === JSON.stringify(shipTo) &&
    purchase.bill_to === toBillTo(billTo) &&
    purchase.rate === rate &&
    (purchase.remark ?? '') === remark &&
    purchase.total === toMinor(price, purchase.currency)
  );
}

async function storeCheckout(
  tx: Tx,
  {
    purchaseId,
    shipping: { shipsFrom },
    chosen,
    body: { shipTo, billTo, rate, remark },
  }: { purchaseId: string; shipping: Shipping; chosen: Offer; body: Checkout },
): Promise<void> {
  const days = promisedDays(chosen.rate);
  await tx.deleteFrom('charge').where('purchase_id', '=', purchaseId).execute();
  await tx
    .insertInto('charge')
    .values({
      id: uuidv7(),
      purchase_id: purchaseId,
      kind: 'delivery',
      label: chosen.rate.name,
      amount: chosen.amount,
    })
    .execute();
  // The hold does not end while the customer is at the checkout; it is renewed only once.
  const renewed = Date.now() + hourMs;
  const renews = sql<boolean>`hold_renewed = 0 and hold_until < ${renewed}`;
  await tx
    .updateTable('purchase')
    .set({
      ...toColumns(shipTo, shipsFrom),
      bill_to: toBillTo(billTo),
      rate,
      pickup: chosen.rate.pickup ?? null,
      remark: remark === '' ? null : remark,
      days_min: days?.[0] ?? null,
      days_max: days?.[1] ?? null,
      hold_until: sql<number>`case when ${renews} then ${renewed} else hold_until end`,
      hold_renewed: sql<number>`case when ${renews} then 1 else hold_renewed end`,
      total: sumPurchase,
      version: nextVersion,
    })
    .where('id', '=', purchaseId)
    .execute();
}
