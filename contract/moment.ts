/* How pages and messages show times: one format, with the time zone. */

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

const formats = new Map<string, Intl.DateTimeFormat>();

/** How many minutes a time zone is ahead of UTC at a time; 0 if the browser does not know the time zone. */
export function findOffset(at: string, timeZone: string | undefined): number {
  if (!timeZone) return 0;
  try {
    const format =
      formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
    formats.set(timeZone, format);
    const [, sign, hours, minutes] = /GMT([+-])(\d+):(\d+)/.exec(format.format(Date.parse(at))) ?? [];
    return sign ? (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) : 0;
  } catch {
    return 0;
  }
}

/** Formats a time without `Intl`, because browsers abbreviate months and time zones differently. */
export function formatMoment(
  at: string,
  offsetMinutes: number,
): { date: string; time: string; zone: string } {
  const shifted = offsetMinutes === 0 ? at : new Date(Date.parse(at) + offsetMinutes * 60_000).toISOString();
  const [year, month, day, hour, minute] = shifted.split(/[-T:]/);
  return {
    date: `${day} ${months[Number(month) - 1]} ${year}`,
    time: `${hour}:${minute}`,
    zone: `UTC${formatOffset(offsetMinutes)}`,
  };
}

function formatOffset(offsetMinutes: number): string {
  if (offsetMinutes === 0) return '';
  const size = Math.abs(offsetMinutes);
  const minutes = size % 60 === 0 ? '' : `:${String(size % 60).padStart(2, '0')}`;
  return `${offsetMinutes < 0 ? '−' : '+'}${Math.floor(size / 60)}${minutes}`;
}

/** Formats two dates such as 2026-12-03 as "3–5 Dec", "30 Nov – 2 Dec" or, if they are the same, "3 Dec". */
export function formatDays(from: string, to: string): string {
  const [, fromMonth, fromDay] = from.split('-').map(Number);
  const [, toMonth, toDay] = to.split('-').map(Number);
  const format = (day = 0, month = 0) => `${day} ${months[month - 1]}`;
  if (from === to) return format(toDay, toMonth);
  return fromMonth === toMonth
    ? `${fromDay}–${format(toDay, toMonth)}`
    : `${format(fromDay, fromMonth)} – ${format(toDay, toMonth)}`;
}
