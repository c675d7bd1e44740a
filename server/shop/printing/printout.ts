import { sql } from 'kysely';
import { formatAddress } from '../../../contract/delivery/address-format.ts';
import { chargeNames } from '../../../contract/delivery/charge-names.ts';
import { nameCountry } from '../../../contract/delivery/countries.ts';
import { notFound } from '../../../contract/errors.ts';
import type { PrintedLine, PrintedPurchase, Printout } from '../../../contract/orders/printing.ts';
import { parsePurchaseNumber } from '../../../contract/orders/purchase-number.ts';
import { toWire } from '../../config/currency.ts';
import type { Db } from '../../database/schema.ts';
import type { SessionUser } from '../../http/request-context.ts';
import { listCheckouts, noCheckout, type SavedCheckout } from '../delivery/read-checkout.ts';
import { formerCustomer, isPaid } from '../orders/orders.ts';
import type { PurchaseOrders } from '../orders/purchases.ts';
import { countLeft, isToShip, type OrderRow, selectOrders } from '../orders/queries.ts';
import { isCounted, listChargeRefunds, listOrderRefunds, type OrderRefund } from '../orders/refund-rows.ts';
import type { Shop } from '../shop.ts';
import { encodeBarcodes } from './barcode.ts';
import { describeCustoms, type PackingFacts, readPackingFacts } from './packing.ts';
import { readSeller } from './shop-details.ts';

/**
 * Data for the packing slips and invoices of these purchases. Purchases that are unpaid, unknown or another customer's are skipped.
 * Throws 404 if the viewer may see none of the purchases.
 */
export async function readPrintout(shop: Shop, viewer: SessionUser, references: string[]): Promise<Printout> {
  const visible = await listVisible(shop, viewer, references);
  const skipped: Printout['skipped'] = [];
  const found = new Set<PurchaseOrders>();
  for (const reference of references) {
    const orders = visible.find((purchase) => isReferenceTo(reference, purchase));
    if (!orders) skipped.push({ reference, reason: 'not_found' });
    else found.add(orders);
  }
  if (found.size === 0) throw notFound('order');
  const printed = [...found].filter(([first]) => isPaid(first));
  for (const [first] of found)
    if (!isPaid(first)) skipped.push({ reference: first.number, reason: 'unpaid' });
  const refunds = Map.groupBy(
    printed.length === 0
      ? []
      : await listOrderRefunds(
          shop.database.db,
          printed.flat().map(({ id }) => id),
        ),
    ({ subject_id }) => subject_id,
  );
  const ids = printed.map(([{ purchase_id }]) => purchase_id);
  const checkouts =
    ids.length > 0 ? await listCheckouts(shop.database.db, ids) : new Map<string, SavedCheckout>();
  const charged = [...checkouts.values()].flatMap(({ charges }) => charges);
  const chargeRefunds = await listChargeRefunds(shop.database.db, charged);
  const packing = await readPackingFacts(shop, viewer, printed.flat());
  const barcodes = await encodeBarcodes(printed.map(([{ number }]) => number));
  return {
    shop: await readSeller(shop),
    purchases: printed.map((orders, index) =>
      toPrinted(orders, {
        refunds,
        chargeRefunds: chargeRefunds.filter(({ purchase_id }) => purchase_id === orders[0].purchase_id),
        checkout: checkouts.get(orders[0].purchase_id) ?? noCheckout,
        barcode: barcodes[index] ?? [],
        packing,
      }),
    ),
    skipped,
  };
}

/** The referenced purchases that the viewer may see, each with its orders in the order of the lines. */
async function listVisible(
  { database: { db } }: Shop,
  viewer: SessionUser,
  references: string[],
): Promise<PurchaseOrders[]> {
  const numbers = references.map((reference) => parsePurchaseNumber(reference) ?? reference);
  const rows = await listOrdersToPrint(db, { ids: references, numbers });
  const sorted = rows
    .filter(({ user_id }) => viewer.role === 'admin' || user_id === viewer.id)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return [...Map.groupBy(sorted, ({ purchase_id }) => purchase_id).values()].flatMap(([first, ...others]) =>
    first ? [[first, ...others] satisfies PurchaseOrders] : [],
  );
}

function isReferenceTo(reference: string, orders: PurchaseOrders): boolean {
  const [{ purchase_id, number }] = orders;
  return (
    reference === purchase_id ||
    parsePurchaseNumber(reference) === number ||
    orders.some(({ id }) => id === reference)
  );
}

function toPrinted(
  orders: PurchaseOrders,
  {
    refunds,
    chargeRefunds,
    checkout,
    barcode,
    packing,
  }: {
    refunds: Map<string, OrderRefund[]>;
    chargeRefunds: OrderRefund[];
    checkout: SavedCheckout;
    barcode: number[];
    packing: PackingFacts | undefined;
  },
): PrintedPurchase {
  const [{ purchase_id, number, currency, email, name, address, created_at, paid_at, purchase_total }] =
    orders;
  const { charges = [], shipTo, billTo, remark, pickup } = checkout.fields;
  const [charge] = charges;
  const toAmount = (minor: number) => toWire(minor, currency);
  return {
    _id: purchase_id,
    number,
    barcode,
    user: email,
    userName: name || formerCustomer,
    address,
    ...(billTo ? { billTo: formatAddress(billTo).join('\n') } : {}),
    ...(charge && shipTo
      ? { delivery: pickup ? charge.label : `${charge.label} to ${nameCountry(shipTo.country)}` }
      : {}),
    ...(pickup ? { pickup } : {}),
    ...(checkout.changedAt !== null && checkout.changedAt > (paid_at ?? 0)
      ? { addressChangedAt: new Date(checkout.changedAt).toISOString() }
      : {}),
    ...(remark ? { remark } : {}),
    ...(packing && shipTo && !pickup ? describeCustoms(orders, shipTo.country, packing, currency) : {}),
    createdAt: new Date(created_at).toISOString(),
    ...(paid_at === null ? {} : { paidAt: new Date(paid_at).toISOString() }),
    lines: orders.map((order) => ({
      _id: order.id,
      product: order.product_name,
      quantity: order.quantity,
      // The total was computed from the unit price, so the division leaves no fraction of a cent.
      unitPrice: toAmount(order.total / order.quantity),
      price: toAmount(order.total),
      refunded: toAmount(order.refunded),
      toPack: isToShip(order) ? countLeft(order) : 0,
      ...describeRefunded(order, refunds.get(order.id) ?? []),
      ...(order.is_charged_back === 1 ? { isChargedBack: true } : {}),
      ...(order.disputed ? { isDisputed: true } : {}),
      ...(order.shipped > 0 ? { shippedQuantity: order.shipped } : {}),
      ...(packing ? { packing: packing.products.get(order.product_id) ?? {} } : {}),
      ...(order.shipped_at === null ? {} : { shippedAt: new Date(order.shipped_at).toISOString() }),
    })),
    ...(charge ? { charges: charges.map(({ kind, label, amount }) => ({ kind, label, amount })) } : {}),
    price: toAmount(purchase_total),
    currency,
    refunds: [
      ...orders.flatMap(({ id, product_name }) =>
        (refunds.get(id) ?? []).map((row) => ({ ...row, product_name })),
      ),
      ...chargeRefunds.map((row) => ({ ...row, product_name: chargeNames.delivery })),
    ]
      .filter(isCounted)
      .toSorted((one, other) => one.created_at - other.created_at)
      .map(({ id, product_name, quantity, amount, status, created_at: at }) => ({
        _id: id,
        product: product_name,
        ...(quantity === null ? {} : { quantity }),
        amount: toAmount(amount),
        status,
        createdAt: new Date(at).toISOString(),
      })),
    refunded: toAmount([...orders, ...checkout.charges].reduce((sum, { refunded }) => sum + refunded, 0)),
  };
}

function describeRefunded(
  order: OrderRow,
  refunds: OrderRefund[],
): Pick<PrintedLine, 'removedQuantity' | 'hasUnknownRefund'> {
  const isUnknown = ({ status, quantity }: OrderRefund) => isCounted({ status }) && quantity === null;
  return {
    ...(order.removed > 0 ? { removedQuantity: order.removed } : {}),
    ...(order.unassigned > 0 || refunds.some(isUnknown) ? { hasUnknownRefund: true } : {}),
  };
}

/** All orders, unsorted, of the purchases that have one of these ids or numbers, or an order with one of these ids. */
async function listOrdersToPrint(
  db: Db,
  { ids, numbers }: { ids: string[]; numbers: string[] },
): Promise<OrderRow[]> {
  const byId = db.selectFrom('purchase').select('id').where('id', 'in', ids);
  const byNumber = db.selectFrom('purchase').select('id').where('number', 'in', numbers);
  const byOrder = db.selectFrom('order_line').select('purchase_id as id').where('id', 'in', ids);
  const purchases = byId.unionAll(byNumber).unionAll(byOrder);
  return (await selectOrders(sql`where purchase.id in ${purchases}`).execute(db)).rows;
}
