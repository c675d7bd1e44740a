import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import type { DaysOff, IsOff } from './holidays.ts';

/* Dates are `Temporal.PlainDate`s in the shop's time zone. */

export type Calendar = Pick<Shipping, 'cutOff' | 'workingDays'> & {
  timeZone: string;
  daysOff: DaysOff;
};

/** A shop without a working day in this many days promises nothing. */
const maxDays = 400;

/** The first working day on or after a date that is not `isOff`; undefined if there is none. */
function findWorkingDay(
  { workingDays }: Calendar,
  from: Temporal.PlainDate,
  isOff: IsOff,
): Temporal.PlainDate | undefined {
  let date = from;
  for (let day = 0; day < maxDays; day++, date = date.add({ days: 1 }))
    if (workingDays.includes(date.dayOfWeek) && !isOff(date.toString())) return date;
  return undefined;
}

/** The working day that is `count` working days after a date. A parcel on its way does not wait while the shop is closed. */
function addWorkingDays(calendar: Calendar, from: Temporal.PlainDate, count: number) {
  let date: Temporal.PlainDate | undefined = from;
  for (let day = 0; day < count && date; day++)
    date = findWorkingDay(calendar, date.add({ days: 1 }), calendar.daysOff.isHoliday);
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
  const { isHoliday, isClosed } = calendar.daysOff;
  const findSending = (from: Temporal.PlainDate) =>
    findWorkingDay(calendar, from, (date) => isHoliday(date) || isClosed(date));
  const isWorkingToday = findSending(today)?.equals(today) ?? false;
  // After the cut-off time, a working day sends nothing more.
  const sent = findSending(isWorkingToday && isLate ? today.add({ days: 1 }) : today);
  const from = sent && addWorkingDays(calendar, sent, min);
  const to = sent && addWorkingDays(calendar, sent, max);
  return sent && from && to ? { sendBy: `${sent}`, from: `${from}`, to: `${to}` } : undefined;
}
