import { sql } from 'kysely';
import type { OrderSums } from '../../../../contract/orders/order-list.ts';
import { toWire } from '../../../config/currency.ts';
import { parseDate, today } from '../../../config/time-zone.ts';
import type { Database } from '../../../database/database.ts';
import { readCountedUntil, readDays } from '../../sales/read-sales.ts';
import type { ZonedList } from './days.ts';
import { prepareIds } from './list-orders.ts';

/** As many orders as the overview counts. Summing them takes a few milliseconds, during which SQLite runs nothing else. */
const maxSummedOrders = 1000;
/** Like the overview's. A longer period is summed like any other list. */
const maxDays = 366;
/** A search may have to check twenty times as many orders as it finds. */
const maxSummedOfSearch = 200;

/**
 * Counts and sums the orders of an admin's list. The figures of a list by the days of payments, refunds or lost disputes, and of the
 * disputed orders, are those of the overview: they are read in the same way.
 */
export async function sumOrders(database: Database, query: ZonedList): Promise<OrderSums> {
  const { q, status, from, to, by = 'placed' } = query;
  const now = today(query.timeZone);
  const days = { from: from ? parseDate(from) : now, to: to ? parseDate(to) : now };
  const readPeriod = async () =>
    readDays(database.db, days, await readCountedUntil(database.db, query.timeZone), query.timeZone);
  if (q) return sumRows(database, query);
  if (status === 'disputed' && !from && !to) return toSums('disputes', (await readPeriod()).disputed);
  const isPeriod = from && days.from <= days.to && days.to - days.from < maxDays;
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
      cast(sum(order_line.total) as bigint) as amount
    from order_line join purchase on purchase.id = order_line.purchase_id
    where order_line.id in (${sql.join(ids)}) group by purchase.currency order by purchase.currency`.execute(
    database.db,
  );
  const sums = rows.map(({ amount, ...sum }) => ({ ...sum, amount: toWire(amount, sum.currency) }));
  return { of: 'orders', isComplete: true, sums };
}

function toSums(of: OrderSums['of'], rows: { currency: string; amount: number; count: number }[]): OrderSums {
  const sums = [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, group]) => ({
    currency,
    count: group.reduce((sum, { count }) => sum + count, 0),
    amount: toWire(
      group.reduce((sum, { amount }) => sum + amount, 0),
      currency,
    ),
  }));
  return { of, isComplete: true, sums };
}
