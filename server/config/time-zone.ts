import { dayMs } from '../../contract/durations.ts';
import { findOffset, formatMoment } from '../../contract/moment.ts';

/*
 * Times are in milliseconds since 1970, days are calendar dates in a time zone, numbered from 1970-01-01. A day can have 23 or
 * 25 hours, begin at 01:00, or be skipped.
 */

const epoch = Temporal.PlainDate.from('1970-01-01');

/** The name of a time zone as IANA spells it, such as `Europe/Berlin`, or undefined if there is none with this name. */
export function findTimeZone(name: string): string | undefined {
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    if (new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === 'UTC') return 'UTC';
    return zonedTime(0, name).timeZoneId;
  } catch {
    return undefined;
  }
}

const zonedTime = (at: number, timeZone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);

/** The first millisecond of a day. A day that the time zone skipped has no length: it starts when the next day does. */
export const getDayStart = (day: number, timeZone: string): number =>
  timeZone === 'UTC' ? day * dayMs : epoch.add({ days: day }).toZonedDateTime({ timeZone }).epochMilliseconds;

/** The day that a time is in. */
export function toDay(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return Math.floor(at / dayMs);
  const day = Math.floor((at + zonedTime(at, timeZone).offsetNanoseconds / 1e6) / dayMs);
  // If clocks are set back just after midnight, they show the end of the previous day again. That hour belongs to the new day.
  return getDayStart(day + 1, timeZone) <= at ? day + 1 : day;
}

/** Consecutive days of 24 hours each, or a single longer or shorter day. A run ends where the next one starts. */
export type DayRun = { day: number; start: number; isRegular: boolean };

/** The runs of days from `from` to `to`, both included. There are few runs: a new one starts only where clocks are changed. */
export function listDayRuns(from: number, to: number, timeZone: string): DayRun[] {
  const runs: DayRun[] = [];
  for (let day = from; day <= to; ) {
    const start = getDayStart(day, timeZone);
    const isRegular = getDayStart(day + 1, timeZone) - start === dayMs;
    runs.push({ day, start, isRegular });
    const change = isRegular ? zonedTime(start, timeZone).getTimeZoneTransition('next') : null;
    if (isRegular && !change) break;
    day = Math.max(day + 1, change ? toDay(change.epochMilliseconds, timeZone) : 0);
  }
  return runs;
}

/** A day as `2026-11-22`. */
export const toDate = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);

/** The number of a day such as `2026-11-22`. */
export const parseDate = (date: string): number => Date.parse(date) / dayMs;

export const today = (timeZone: string): number => toDay(Date.now(), timeZone);

/** A time in ISO 8601, with the offset of the time zone. */
export const toZonedIso = (at: number, timeZone: string): string =>
  timeZone === 'UTC'
    ? new Date(at).toISOString()
    : zonedTime(at, timeZone).toString({ timeZoneName: 'never', fractionalSecondDigits: 3 });

/** A time as pages show it: `21 Nov 2026, 10:09 UTC+1`. */
export function formatTime(at: number, timeZone: string): string {
  const iso = new Date(at).toISOString();
  const { date, time, zone } = formatMoment(iso, findOffset(iso, timeZone));
  return `${date}, ${time} ${zone}`;
}
