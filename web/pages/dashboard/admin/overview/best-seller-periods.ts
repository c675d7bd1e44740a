import { dayMs } from '../../../../../contract/durations.ts';

/** The periods for which the overview lists best sellers, besides its own 30 days. */
export const bestSellerPeriods = {
  today: 'Today',
  week: 'This week',
  month: 'This month',
  lastMonth: 'Last month',
  year: 'This year',
} as const;

export type BestSellerPeriod = keyof typeof bestSellerPeriods;

export const isBestSellerPeriod = (text: string | null): text is BestSellerPeriod =>
  text !== null && Object.hasOwn(bestSellerPeriods, text);

/** The first and the last day of the period that the UTC day of `now` is in, or of the month before. Weeks begin on Monday. */
export function findPeriod(period: BestSellerPeriod, now: Date): { from: string; to: string } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const today = Date.UTC(year, month, now.getUTCDate());
  const monday = today - ((now.getUTCDay() + 6) % 7) * dayMs;
  const bounds: Record<BestSellerPeriod, [first: number, last: number]> = {
    today: [today, today],
    week: [monday, monday + 6 * dayMs],
    month: [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 0)],
    lastMonth: [Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0)],
    year: [Date.UTC(year, 0, 1), Date.UTC(year, 11, 31)],
  };
  const [first, last] = bounds[period];
  return { from: toDate(first), to: toDate(last) };
}

const toDate = (time: number): string => new Date(time).toISOString().slice(0, 10);
