import { expect, test } from 'vitest';
import { findPeriod } from './best-seller-periods.ts';

test.each([
  ['2026-11-22T23:59:59Z', '2026-11-22', '2026-11-16 2026-11-22', '2026-11-01 2026-11-30'],
  ['2026-11-23T00:00:00Z', '2026-11-23', '2026-11-23 2026-11-29', '2026-11-01 2026-11-30'],
  ['2028-02-29T12:00:00Z', '2028-02-29', '2028-02-28 2028-03-05', '2028-02-01 2028-02-29'],
])('at %s, the day, the week and the month', (time, day, week, month) => {
  const find = (period: Parameters<typeof findPeriod>[0]) =>
    Object.values(findPeriod(period, new Date(time))).join(' ');
  expect([find('today'), find('week'), find('month')]).toEqual([`${day} ${day}`, week, month]);
  expect(find('year')).toBe(`${time.slice(0, 4)}-01-01 ${time.slice(0, 4)}-12-31`);
});

test.each([
  ['2026-11-22T23:59:59Z', '2026-10-01 2026-10-31'],
  ['2027-01-31T12:00:00Z', '2026-12-01 2026-12-31'],
  ['2028-03-31T12:00:00Z', '2028-02-01 2028-02-29'],
])('at %s, the last month is %s', (time, days) => {
  expect(Object.values(findPeriod('lastMonth', new Date(time))).join(' ')).toBe(days);
});
