import { expect, test } from 'vitest';
import { hourMs } from '../../contract/durations.ts';
import { findTimeZone, formatTime, getDayStart, parseDate, toDate, toDay, toZonedIso } from './time-zone.ts';

test.each([
  ['UTC', '2026-11-29', '2026-11-29T00:00:00.000Z', 24],
  ['Europe/Berlin', '2026-11-29', '2026-11-29T00:00:00.000+01:00', 24],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T00:00:00.000+01:00', 23],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T00:00:00.000+02:00', 25],
  ['Asia/Kolkata', '2026-11-29', '2026-11-29T00:00:00.000+05:30', 24],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-05T00:00:00.000+11:00', 24.5],
  // Midnight did not exist: the day began at 01:00.
  ['America/Sao_Paulo', '2018-11-04', '2018-11-04T01:00:00.000-02:00', 23],
  ['America/Sao_Paulo', '2018-02-17', '2018-02-17T00:00:00.000-02:00', 25],
  ['Asia/Beirut', '2026-03-29', '2026-03-29T01:00:00.000+03:00', 23],
  ['Asia/Beirut', '2026-10-24', '2026-10-24T00:00:00.000+03:00', 25],
  // The date after this day was skipped.
  ['Pacific/Apia', '2011-12-29', '2011-12-29T00:00:00.000-10:00', 24],
  ['Pacific/Apia', '2011-12-30', '2011-12-31T00:00:00.000+14:00', 0],
  ['Pacific/Apia', '2011-12-31', '2011-12-31T00:00:00.000+14:00', 24],
  // At 00:01, clocks were set back to 23:01: midnight came twice, and the day began with the first.
  ['America/St_Johns', '2010-11-06', '2010-11-06T00:00:00.000-02:30', 24],
  ['America/St_Johns', '2010-11-07', '2010-11-07T00:00:00.000-02:30', 25],
])('in %s, the day %s begins at %s and has %d hours', (zone, date, expected, hours) => {
  const day = parseDate(date);
  const [start, end] = [getDayStart(day, zone), getDayStart(day + 1, zone)];
  expect([toDate(day), toZonedIso(start, zone), (end - start) / hourMs]).toEqual([date, expected, hours]);
  expect(toDay(start - 1, zone)).toBeLessThan(day);
  expect(toDay(end, zone)).toBeGreaterThan(day);
  for (let time = start; time < end; time += hourMs / 2) expect(toDay(time, zone)).toBe(day);
  if (end > start) expect(toDay(end - 1, zone)).toBe(day);
});

test.each([
  ['UTC', '29 Nov 2026, 23:30 UTC'],
  ['Europe/Berlin', '30 Nov 2026, 00:30 UTC+1'],
  ['America/St_Johns', '29 Nov 2026, 20:00 UTC−3:30'],
])('formatTime names the offset of %s', (zone, expected) => {
  expect(formatTime(Date.parse('2026-11-29T23:30:00Z'), zone)).toBe(expected);
});

test('findTimeZone knows names in any case and the aliases of UTC, but no offsets', () => {
  expect(
    ['europe/berlin', 'Europe/Kyiv', 'Etc/UTC', 'GMT+1', '+05:30', 'Mars/Olympus', ''].map(findTimeZone),
  ).toEqual(['Europe/Berlin', 'Europe/Kyiv', 'UTC', undefined, undefined, undefined, undefined]);
});
