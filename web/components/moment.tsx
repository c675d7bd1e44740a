import { useHydrated } from '../client/hydration.ts';

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * A date and time with its time zone, such as "21 Nov 2026, 10:09 UTC": in UTC on the server, then in the reader's own
 * time zone. It reserves the width of the widest time (`moment` in `styles.css`), so that the change shifts nothing.
 */
export function Moment({ at }: { at: string }) {
  const { date, time, zone } = useLocalMoment(at);
  return (
    <time dateTime={at} className="moment figures">
      <span>{`${date}, ${time} ${zone}`}</span>
    </time>
  );
}

/** The date of a moment as `Moment` shows it, for a sentence: 21 Nov 2026. */
export const useLocalDay = (at: string): string => useLocalMoment(at).date;

function useLocalMoment(at: string) {
  const hydrated = useHydrated();
  return formatMoment(at, hydrated ? -new Date(at).getTimezoneOffset() : 0);
}

/** Not `Intl`, which abbreviates months and time zones differently in each browser. */
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

/** A date in UTC: 21 Nov 2026. */
export const formatDay = (at: string): string => formatMoment(at, 0).date;
