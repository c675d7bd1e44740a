import type { Shipping } from '../../../contract/delivery/shipping-rates.ts';
import { dayMs } from '../../../contract/durations.ts';

/** Returns whether a date, such as 2026-12-25, is no working day although its weekday is one. */
export type IsOff = (date: string) => boolean;

/** The public holidays of the shop's region, and the days on which the shop sends nothing. */
export type DaysOff = { isHoliday: IsOff; isClosed: IsOff };

const never: IsOff = () => false;

export const noDaysOff: DaysOff = { isHoliday: never, isClosed: never };

export const readDaysOff = async ({
  holidays,
  closed,
}: Pick<Shipping, 'holidays' | 'closed'>): Promise<DaysOff> => ({
  isHoliday: await readHolidays(holidays),
  isClosed: (date) => closed.some(({ from, to }) => from <= date && date <= to),
});

const calendars = new Map<string, Promise<IsOff>>();

/**
 * The public holidays of a country or region such as `DE-SN`; none for ''. The library and its data take 20 MB of memory, so they
 * are loaded only by a shop that has chosen a region. A region that the library does not know has no holidays.
 */
export function readHolidays(region: string): Promise<IsOff> {
  if (region === '') return Promise.resolve(never);
  const known = calendars.get(region);
  if (known) return known;
  const loading = loadHolidays(region);
  calendars.set(region, loading);
  // Another call loads them again.
  loading.catch(() => calendars.delete(region));
  return loading;
}

async function loadHolidays(region: string): Promise<IsOff> {
  const { default: Holidays } = await import('date-holidays');
  const [country = '', state = '', part = ''] = region.split('-');
  const library = new Holidays(country, state, part);
  const years = new Map<string, Set<string>>();
  // Computing the holidays of a year takes milliseconds.
  const listDates = (year: string) =>
    new Set(
      library
        .getHolidays(year)
        .filter(({ type }) => type === 'public')
        .flatMap(listDays),
    );
  return (date) => years.getOrInsertComputed(date.slice(0, 4), listDates).has(date);
}

/** The dates of a holiday, which may take several days. A holiday that begins at noon or later is a working day. */
function listDays({ date, start, end }: { date: string; start: Date; end: Date }): string[] {
  if (Number(date.slice(11, 13)) >= 12) return [];
  const first = Temporal.PlainDate.from(date.slice(0, 10));
  const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / dayMs));
  return Array.from({ length: days }, (_, index) => first.add({ days: index }).toString());
}
