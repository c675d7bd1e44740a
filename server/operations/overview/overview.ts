import {
  type DisputedMoney,
  maxOverviewDays,
  type Overview,
  type Sums,
} from '../../../contract/admin/overview.ts';
import { contract } from '../../../contract/contract.ts';
import { invalid } from '../../../contract/errors.ts';
import { toWire } from '../../config/currency.ts';
import { parseDate, toDate, today } from '../../config/time-zone.ts';
import { type Calls, route } from '../../http/calls/route.ts';
import {
  type CurrencySums,
  type Days,
  findSalesVersion,
  readBestSellers,
  readCountedUntil,
  readDays,
  sumByCurrency,
} from '../../shop/sales/read-sales.ts';
import { recentDays } from '../../shop/sales/sales.ts';
import type { Shop } from '../../shop/shop.ts';
import { readTroubleFacts } from '../health/facts.ts';
import { findTroubles, findUntried } from '../health/troubles.ts';
import { readLate } from './late.ts';
import { readWork } from './work.ts';

/** Summing the best sellers of this many orders takes about a millisecond, during which SQLite runs nothing else. */
const maxSummedOrders = 1000;

export function mountOverview(calls: Calls, shop: Shop): void {
  const startedAt = Date.now();
  const findVersion = () => findSalesVersion(shop.database.db);
  const read = (query: { from?: string | undefined; to?: string | undefined }) =>
    readOverview(shop, toDays(query, shop.config.timeZone), startedAt);
  route(calls, contract.getOverview, ({ query }) => read(query), { findVersion });
}

function toDays(query: { from?: string | undefined; to?: string | undefined }, timeZone: string): Days {
  const to = query.to ? parseDate(query.to) : today(timeZone);
  const from = query.from ? parseDate(query.from) : to - recentDays + 1;
  if (from > to) throw invalid('from', 'From must not be after To');
  if (to - from >= maxOverviewDays)
    throw invalid('from', `The period must be at most ${maxOverviewDays} days long`);
  return { from, to };
}

async function readOverview(shop: Shop, days: Days, startedAt: number): Promise<Overview> {
  const { config, currency, database } = shop;
  const { db } = database;
  const { timeZone } = config;
  const length = days.to - days.from + 1;
  const before = { from: days.from - length, to: days.from - 1 };
  const isOwn = (row: { currency: string }) => row.currency === currency;
  const isOther = (row: { currency: string; day: number }) => !isOwn(row) && row.day >= days.from;
  const counted = await readCountedUntil(db, timeZone);
  const { sales, refunds, disputed, chargedBack } = await readDays(
    db,
    { from: before.from, to: days.to },
    counted,
    timeZone,
  );
  const byDay = {
    sales: Map.groupBy(sales.filter(isOwn), ({ day }) => day),
    refunds: Map.groupBy(refunds.filter(isOwn), ({ day }) => day),
  };
  const sum = (period: Days): Sums => {
    const sums = { revenue: 0, orders: 0, refunded: 0, refunds: 0 };
    for (let day = period.from; day <= period.to; day++) {
      for (const { amount, count } of byDay.sales.get(day) ?? []) {
        sums.revenue += amount;
        sums.orders += count;
      }
      for (const { amount, count } of byDay.refunds.get(day) ?? []) {
        sums.refunded += amount;
        sums.refunds += count;
      }
    }
    const { revenue, refunded } = sums;
    return { ...sums, revenue: toWire(revenue, currency), refunded: toWire(refunded, currency) };
  };
  const total = sum(days);
  const canSum = total.orders <= maxSummedOrders;
  const bestSellers = await readBestSellers(db, currency, days, { counted, canSum, timeZone });
  const work = await readWork(db);
  const late = await readLate(database, toDate(today(timeZone)));
  const facts = await readTroubleFacts(database);
  const { orders, pieces, nextEndsAt } = facts.holds;
  return {
    readAt: facts.readAt,
    from: toDate(days.from),
    to: toDate(days.to),
    currency,
    days: Array.from({ length }, (_, n) => {
      const day = days.from + n;
      return { date: toDate(day), ...sum({ from: day, to: day }) };
    }),
    total,
    before: { from: toDate(before.from), to: toDate(before.to), ...sum(before) },
    otherCurrencies: sumOtherCurrencies(sales.filter(isOther), refunds.filter(isOther)),
    disputed: sumDisputes(disputed),
    chargedBack: sumDisputes(chargedBack.filter(({ day }) => day >= days.from)),
    bestSellers:
      bestSellers?.map(({ id, name, pieces, revenue, deleted }) => {
        return { _id: id, name, pieces, revenue: toWire(revenue, currency), deleted: deleted === 1 };
      }) ?? null,
    ...work,
    ...late,
    holds: { orders, pieces, nextEndsAt },
    troubles: findTroubles(facts, config, startedAt),
    untried: findUntried(facts, config),
  };
}

function sumOtherCurrencies(sales: CurrencySums[], refunds: CurrencySums[]): Overview['otherCurrencies'] {
  const refunded = new Map(sumByCurrency(refunds).map((sum) => [sum.currency, sum]));
  const sold = new Map(sumByCurrency(sales).map((sum) => [sum.currency, sum]));
  return [...new Set([...sold.keys(), ...refunded.keys()])].map((currency) => ({
    currency,
    revenue: sold.get(currency)?.amount ?? 0,
    orders: sold.get(currency)?.count ?? 0,
    refunded: refunded.get(currency)?.amount ?? 0,
    refunds: refunded.get(currency)?.count ?? 0,
  }));
}

const sumDisputes = (rows: CurrencySums[]): DisputedMoney[] =>
  sumByCurrency(rows).map(({ count, ...sum }) => ({ ...sum, disputes: count }));
