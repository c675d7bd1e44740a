import { useHydrated } from '../client/hydrated.ts';

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * A time to the minute with its time zone: "21 Nov 2026, 10:09 UTC" as the server renders it, then in the reader's
 * own time zone. It reserves the room of the widest time (see `moment` in `styles.css`), so that the correction moves nothing.
 */
export function Moment({ at }: { at: string }) {
  const hydrated = useHydrated();
  const { date, time, zone } = formatMoment(at, hydrated ? -new Date(at).getTimezoneOffset() : 0);
  return (
    <time dateTime={at} className="moment figures">
      <span>{`${date}, ${time} ${zone}`}</span>
    </time>
  );
}

/** Not with `Intl`: browsers and the server would abbreviate months and time zones differently. */
export function formatMoment(
  at: string,
  offsetMinutes: number,
): { date: string; time: string; zone: string } {
  const shifted = new Date(Date.parse(at) + offsetMinutes * 60_000).toISOString();
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

/** A day in UTC: 21 Nov 2026. */
export const formatDay = (at: string): string => formatMoment(at, 0).date;
