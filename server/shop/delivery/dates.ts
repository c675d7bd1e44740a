import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import type { IsHoliday } from './holidays.ts';

/* Dates are `Temporal.PlainDate`s in the shop's time zone. */

export type Calendar = Pick<Shipping, 'cutOff' | 'workingDays'> & {
  timeZone: string;
  isHoliday: IsHoliday;
};

/** A shop without a working day in this many days promises nothing. */
const maxDays = 400;

/** The first working day on or after a date; undefined if the shop never works. */
function findWorkingDay(calendar: Calendar, from: Temporal.PlainDate): Temporal.PlainDate | undefined {
  let date = from;
  for (let day = 0; day < maxDays; day++, date = date.add({ days: 1 }))
    if (calendar.workingDays.includes(date.dayOfWeek) && !calendar.isHoliday(date.toString())) return date;
  return undefined;
}

/** The working day that is `count` working days after a date. */
function addWorkingDays(calendar: Calendar, from: Temporal.PlainDate, count: number) {
  let date: Temporal.PlainDate | undefined = from;
  for (let day = 0; day < count && date; day++) date = findWorkingDay(calendar, date.add({ days: 1 }));
  return date;
}

export type ArrivalPromise = { sendBy: string; from: string; to: string };

/**
 * The dates between which a parcel arrives that is paid at `now` (milliseconds) and takes `days` working days, and the day on which
 * it must be sent. Undefined if the shop works on no day.
 */
export function promiseDates(
  calendar: Calendar,
  [min, max]: readonly [number, number],
  now: number,
): ArrivalPromise | undefined {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(calendar.timeZone);
  const isLate =
    Temporal.PlainTime.compare(local.toPlainTime(), Temporal.PlainTime.from(calendar.cutOff)) >= 0;
  const today = local.toPlainDate();
  const isWorkingToday = findWorkingDay(calendar, today)?.equals(today) ?? false;
  // After the cut-off time, a working day sends nothing more.
  const sent = findWorkingDay(calendar, isWorkingToday && isLate ? today.add({ days: 1 }) : today);
  const from = sent && addWorkingDays(calendar, sent, min);
  const to = sent && addWorkingDays(calendar, sent, max);
  return sent && from && to ? { sendBy: `${sent}`, from: `${from}`, to: `${to}` } : undefined;
}
