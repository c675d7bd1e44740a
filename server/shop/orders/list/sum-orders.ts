import { sql } from 'kysely';
import { maxOverviewDays } from '../../../../contract/admin/overview.ts';
import type { OrderSums } from '../../../../contract/orders/order-list.ts';
import { toWire } from '../../../config/currency.ts';
import { parseDate, today } from '../../../config/time-zone.ts';
import type { Database } from '../../../database/database.ts';
import { type CurrencySums, readCountedUntil, readDays, sumByCurrency } from '../../sales/read-sales.ts';
import type { ZonedList } from './days.ts';
import { prepareIds } from './list-orders.ts';

/** Summing this many orders takes a few milliseconds, during which SQLite runs nothing else. */
const maxSummedOrders = 1000;
/** A search may have to check twenty times as many orders as it finds. */
const maxSummedOfSearch = 200;

/**
 * Counts and sums the orders of an admin's list. For a list by the days of payments, refunds or lost disputes, and for the disputed
 * orders, it reads the figures as the overview does, so both show the same figures.
 */
export async function sumOrders(database: Database, query: ZonedList): Promise<OrderSums> {
  const { q, status, from, to, by = 'placed' } = query;
  const now = today(query.timeZone);
  const days = { from: from ? parseDate(from) : now, to: to ? parseDate(to) : now };
  const readPeriod = async () =>
    readDays(database.db, days, await readCountedUntil(database.db, query.timeZone), query.timeZone);
  if (q) return sumRows(database, query);
  if (status === 'disputed' && !from && !to) return toSums('disputes', (await readPeriod()).disputed);
  // A longer period is summed like any other list.
  const isPeriod = from && days.from <= days.to && days.to - days.from < maxOverviewDays;
  if (status || by === 'placed' || !isPeriod) return sumRows(database, query);
  const { sales, refunds, chargedBack } = await readPeriod();
  if (by === 'paid') return toSums('orders', sales);
  return by === 'refunded' ? toSums('refunds', refunds) : toSums('disputes', chargedBack);
}

async function sumRows(database: Database, query: ZonedList): Promise<OrderSums> {
  const max = query.q ? maxSummedOfSearch : maxSummedOrders;
  const listIds = await prepareIds(database, { ...query, sort: '-created' });
  const ids = await listIds(undefined, max + 1);
  if (ids.length > max) return { of: 'orders', isComplete: false, sums: [] };
  if (ids.length === 0) return { of: 'orders', isComplete: true, sums: [] };
  const { rows } = await sql<{ currency: string; count: number; tools: number; amount: number }>`
    select purchase.currency, count(distinct purchase.id) as count, count(*) as tools,
      cast(sum(order_line.total) + coalesce((
        select sum(charge.amount) from charge join purchase as charged on charged.id = charge.purchase_id
        where charged.currency = purchase.currency
          and charge.purchase_id in (select purchase_id from order_line as listed where listed.id in (${sql.join(ids)}))
      ), 0) as bigint) as amount
    from order_line join purchase on purchase.id = order_line.purchase_id
    where order_line.id in (${sql.join(ids)}) group by purchase.currency order by purchase.currency`.execute(
    database.db,
  );
  const sums = rows.map(({ amount, ...sum }) => ({ ...sum, amount: toWire(amount, sum.currency) }));
  return { of: 'orders', isComplete: true, sums };
}

const toSums = (of: OrderSums['of'], rows: CurrencySums[]): OrderSums => ({
  of,
  isComplete: true,
  sums: sumByCurrency(rows),
});
