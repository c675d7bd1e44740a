import { sql } from 'kysely';
import { dayMs } from '../../../contract/durations.ts';
import { toDate } from '../../config/time-zone.ts';
import type { Tx } from '../../database/schema.ts';

/**
 * A calendar week from Monday to Sunday (`week of 2026-11-16`), a month (`2026-11`) or a year (`2026`): the days from `start`
 * up to, but not including, `end`.
 */
type Period = { name: string; start: number; end: number };

function weekOf(day: number): Period {
  // Day 0 was a Thursday.
  const start = day - ((day + 3) % 7);
  return { name: `week of ${toDate(start)}`, start, end: start + 7 };
}

function monthOf(day: number): Period {
  const date = new Date(day * dayMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const [start, end] = [Date.UTC(year, month) / dayMs, Date.UTC(year, month + 1) / dayMs];
  return { name: date.toISOString().slice(0, 7), start, end };
}

function yearOf(day: number): Period {
  const year = new Date(day * dayMs).getUTCFullYear();
  return { name: `${year}`, start: Date.UTC(year) / dayMs, end: Date.UTC(year + 1) / dayMs };
}

/** The weeks, months and years that contain days from `start` until before `end`. */
export function listPeriods(start: number, end: number): Period[] {
  return [weekOf, monthOf, yearOf].flatMap((periodOf) => {
    const periods: Period[] = [];
    for (let day = start; day < end; ) {
      const period = periodOf(day);
      periods.push(period);
      day = period.end;
    }
    return periods;
  });
}

/** The week, month or year from the day `from` to the day `to`, or until the day `today` if it has not ended. */
export function findPeriod({ from, to }: { from: number; to: number }, today: number): Period | undefined {
  const hasEnded = to < today;
  return [weekOf(from), monthOf(from), yearOf(from)].find(
    ({ start, end }) => start === from && (hasEnded ? end === to + 1 : end > to),
  );
}

/** Adds the totals of the days from `start` until before `end`, which have all ended, to their weeks, months and years. */
export async function addDaysToPeriods(tx: Tx, start: number, end: number): Promise<void> {
  if (start >= end) return;
  const { first, last } = await tx
    .selectFrom('sales_by_day')
    .select((eb) => [eb.fn.min('day').as('first'), eb.fn.max('day').as('last')])
    .where('day', '>=', start)
    .where('day', '<', end)
    .executeTakeFirstOrThrow();
  if (first !== null && last !== null) await addToPeriods(tx, first, last + 1, 1);
}

/** Call this before the totals of a day change, then `addDaysToPeriods` and `removeUnsold`. */
export const subtractDayFromPeriods = (tx: Tx, day: number): Promise<void> =>
  addToPeriods(tx, day, day + 1, -1);

async function addToPeriods(tx: Tx, start: number, end: number, sign: 1 | -1): Promise<void> {
  for (const period of listPeriods(start, end))
    await sql`insert into product_sales_by_period (period, currency, product_id, product_name, pieces, revenue)
      select cast(${period.name} as text), currency, product_id, max(product_name),
        ${sql.lit(sign)} * sum(pieces), ${sql.lit(sign)} * sum(revenue)
      from product_sales_by_day
      where day >= ${Math.max(start, period.start)} and day < ${Math.min(end, period.end)} group by 2, 3
      on conflict (period, currency, product_id) do update set
        product_name = excluded.product_name,
        pieces = product_sales_by_period.pieces + excluded.pieces,
        revenue = product_sales_by_period.revenue + excluded.revenue`.execute(tx);
}

/** Removes from the day's week, month and year the products that its recount no longer contains. */
export async function removeUnsold(tx: Tx, day: number): Promise<void> {
  for (const { name, start, end } of listPeriods(day, day + 1))
    await sql`delete from product_sales_by_period where period = ${name} and revenue = 0
      and currency in (select currency from sales_by_day where day >= ${start} and day < ${end})`.execute(tx);
}
