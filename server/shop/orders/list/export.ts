import type { OrderFilter } from '../../../../contract/orders/order-list.ts';
import type { OrderStatus } from '../../../../contract/orders/orders.ts';
import { toWire } from '../../../config/currency.ts';
import { toDate, today, toZonedIso } from '../../../config/time-zone.ts';
import type { Database } from '../../../database/database.ts';
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
  const listAfter = await prepareList(database, query);
  const charged = new Set<string>();
  /**
   * `charged_back` is an amount of the whole purchase, so only the purchase's first row has it. The sum of the column is then the
   * amount that banks have taken back.
   */
  function moveToFirstRow(row: OrderRow): OrderRow {
    if (row.charged_back === 0) return row;
    if (charged.has(row.purchase_id)) return { ...row, charged_back: 0 };
    charged.add(row.purchase_id);
    return row;
  }
  const { timeZone } = query;
  const fileName = `orders-${toDate(today(timeZone))}.csv`;
  const headings = Object.keys(columns).map((name) => name.replace('UTC', timeZone));
  return createCsvResponse(fileName, headings, listAfter, (row) => {
    const cells = moveToFirstRow(row);
    return Object.values(columns).map((read) => toOneLine(read(cells, timeZone)));
  });
}

/** Where the decimal point is a comma, spreadsheets split at semicolons even within quotes: a formula could follow one. */
const toOneLine = (text: string) => text.replace(/[;\t\r\n]+/g, ' ');

const statuses: Record<OrderStatus, OrderFilter> = {
  '': 'unpaid',
  paid: 'paid',
  sipping: 'shipped',
  expired: 'expired',
};

/** In the headings, the shop's time zone replaces `UTC`. */
const columns: Record<string, (order: OrderRow, timeZone: string) => string> = {
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
