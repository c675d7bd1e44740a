import { type Selectable, sql } from 'kysely';
import type { OrderFilter } from '../../../../contract/orders/order-list.ts';
import type { OrderStatus } from '../../../../contract/orders/orders.ts';
import { toWire } from '../../../config/currency.ts';
import { toDate, today, toZonedIso } from '../../../config/time-zone.ts';
import type { Database } from '../../../database/database.ts';
import { isIn } from '../../../database/is-in.ts';
import type { Db, Engine, Schema } from '../../../database/schema.ts';
import { createCsvResponse } from '../../../http/calls/csv.ts';
import { formerCustomer } from '../orders.ts';
import type { OrderRow } from '../queries.ts';
import type { ZonedList } from './days.ts';
import { prepareList } from './list-orders.ts';

/**
 * All orders of a list as a CSV file, one row each. The orders are read in batches, each by statements of its own, only as fast
 * as the client receives them: no transaction stays open, and reading stops when the client disconnects.
 */
export async function exportOrders(database: Database, query: ZonedList): Promise<Response> {
  const { db, engine } = database;
  const listAfter = await prepareList(database, query);
  const hasCharges = (await db.selectFrom('charge').select('id').limit(1).executeTakeFirst()) !== undefined;
  const seen = new Set<string>();
  /**
   * The amounts of a whole purchase are only in the purchase's first row. So the sum of `Charged back` is the amount that banks have
   * taken back, and the sums of `Total` and `Delivery` are what was paid.
   */
  function moveToFirstRow(row: Row): Row {
    if (row.charged_back === 0 && row.charges.length === 0) return row;
    if (seen.has(row.purchase_id)) return { ...row, charged_back: 0, charges: [] };
    seen.add(row.purchase_id);
    return row;
  }
  const { timeZone } = query;
  const fileName = `orders-${toDate(today(timeZone))}.csv`;
  const written = Object.entries(hasCharges ? { ...columns, ...chargeColumns } : columns);
  const headings = written.map(([name]) => name.replace('UTC', timeZone));
  const readAfter = async (last: OrderRow | undefined, limit: number): Promise<Row[]> => {
    const orders = await listAfter(last, limit);
    const ids = new Set(orders.map(({ purchase_id }) => purchase_id));
    const charges = hasCharges ? await listCharges(db, engine, [...ids]) : [];
    const byPurchase = Map.groupBy(charges, ({ purchase_id }) => purchase_id);
    return orders.map((order) => ({ ...order, charges: byPurchase.get(order.purchase_id) ?? [] }));
  };
  return createCsvResponse(fileName, headings, readAfter, (row) => {
    const cells = moveToFirstRow(row);
    return written.map(([, read]) => toOneLine(read(cells, timeZone)));
  });
}

type Charge = Selectable<Schema['charge']>;
type Row = OrderRow & { charges: Charge[] };

const listCharges = async (db: Db, engine: Engine, purchaseIds: string[]): Promise<Charge[]> =>
  purchaseIds.length === 0
    ? []
    : db
        .selectFrom('charge')
        .selectAll()
        .where(isIn(engine, sql.ref('purchase_id'), purchaseIds))
        .execute();

/** Where the decimal point is a comma, spreadsheets split at semicolons even within quotes: a formula could follow one. */
const toOneLine = (text: string) => text.replace(/[;\t\r\n]+/g, ' ');

const statuses: Record<OrderStatus, OrderFilter> = {
  '': 'unpaid',
  paid: 'paid',
  sipping: 'shipped',
  expired: 'expired',
};

/** In the headings, the shop's time zone replaces `UTC`. */
const columns: Record<string, (row: Row, timeZone: string) => string> = {
  Number: ({ number }) => number,
  'Ordered (UTC)': ({ created_at }, timeZone) => toZonedIso(created_at, timeZone),
  Status: ({ status }) => statuses[status],
  Product: ({ product_name }) => product_name,
  Quantity: ({ quantity }) => `${quantity}`,
  Total: ({ total, currency }) => `${toWire(total, currency)}`,
  Currency: ({ currency }) => currency,
  Refunded: ({ refunded, refund_pending, currency }) => `${toWire(refunded - refund_pending, currency)}`,
  'Refund pending': ({ refund_pending, currency }) => `${toWire(refund_pending, currency)}`,
  Disputed: ({ disputed }) => (disputed ? 'yes' : 'no'),
  'Charged back': ({ charged_back, currency }) => `${toWire(charged_back, currency)}`,
  Customer: ({ name }) => name || formerCustomer,
  Email: ({ email }) => email,
  Phone: ({ phone }) => phone,
  Address: ({ address }) => address,
  Transaction: ({ transaction_id }) => transaction_id ?? '',
  'Shipped (UTC)': ({ shipped_at }, timeZone) =>
    shipped_at === null ? '' : toZonedIso(shipped_at, timeZone),
  Carrier: ({ carrier }) => carrier ?? '',
  'Tracking number': ({ tracking_number }) => tracking_number ?? '',
  'Order id': ({ id }) => id,
  'Product id': ({ product_id }) => product_id,
  'Refunded quantity': ({ refunded_quantity }) => `${refunded_quantity}`,
  'Shipped quantity': ({ shipped }) => `${shipped}`,
};

/** Only in the file of a shop that has charged for delivery. */
const chargeColumns: typeof columns = {
  Delivery: ({ charges, currency }) => sumCharges(charges, currency, ({ amount }) => amount),
  'Delivery refunded': ({ charges, currency }) =>
    sumCharges(charges, currency, ({ refunded, refund_pending }) => refunded - refund_pending),
  'Delivery refund pending': ({ charges, currency }) =>
    sumCharges(charges, currency, ({ refund_pending }) => refund_pending),
};

const sumCharges = (charges: readonly Charge[], currency: string, read: (charge: Charge) => number): string =>
  `${toWire(
    charges.reduce((sum, charge) => sum + read(charge), 0),
    currency,
  )}`;
