import { expect, test } from 'vitest';
import { findOffset, formatMoment } from './moment.ts';

test.each([
  [0, '25 Nov 2026', '23:05', 'UTC'],
  [60, '26 Nov 2026', '00:05', 'UTC+1'],
  [330, '26 Nov 2026', '04:35', 'UTC+5:30'],
  [-300, '25 Nov 2026', '18:05', 'UTC−5'],
  [-570, '25 Nov 2026', '13:35', 'UTC−9:30'],
])('formatMoment uses a time zone %i minutes from UTC', (offset, date, time, zone) => {
  expect(formatMoment('2026-11-25T23:05:59.000Z', offset)).toEqual({ date, time, zone });
});

test('formatMoment pads the day, and the time zone can change the year', () => {
  expect(formatMoment('2026-12-31T20:00:00.000Z', 825)).toEqual({
    date: '01 Jan 2027',
    time: '09:45',
    zone: 'UTC+13:45',
  });
});

test.each([
  [undefined, 0],
  ['Europe/Berlin', 60],
  ['Asia/Kolkata', 330],
  ['America/St_Johns', -210],
  ['Europe/London', 0],
  ['Mars/Olympus', 0],
])('the time zone %s is %i minutes from UTC in winter', (zone, offset) => {
  expect(findOffset('2026-11-25T23:05:59.000Z', zone)).toBe(offset);
});

test('findOffset changes in the second in which a time zone changes to summer time', () => {
  expect(
    ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z'].map((at) => findOffset(at, 'Europe/Berlin')),
  ).toEqual([60, 120]);
});
