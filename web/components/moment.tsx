import { useState } from 'react';
import { useHydrated } from '../client/hydration.ts';
import { useViewer } from '../client/viewer.ts';
import { useSettings } from '../shop.tsx';

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/**
 * A date and time with its time zone, such as "21 Nov 2026, 10:09 UTC". The server writes it in the shop's time zone. The browser
 * then changes it to the customer's time zone. For an admin, it keeps the shop's time zone and adds the admin's own time if that
 * differs: "21 Nov 2026, 10:09 · 11:09 your time". The server's page reserves the width of the widest time (`moment` in
 * `styles.css`), so that nothing moves when the text changes.
 */
export function Moment({ at }: { at: string }) {
  const { isAdmin, shown, own } = useMoment(at);
  const { date, time, zone } = shown;
  const hydrated = useHydrated();
  // A moment that was first rendered in the browser does not change, so it reserves no space.
  const [isFinal] = useState(hydrated);
  const ownDay = own?.date === date ? '' : `${own?.date.slice(0, 6)}, `;
  return (
    <time
      dateTime={at}
      className="moment figures"
      data-both={(isAdmin && (own !== undefined || !isFinal)) || undefined}
      data-same={(hydrated && own === undefined) || undefined}
    >
      <span>
        {own ? `${date}, ${time} · ${ownDay}${own.time} your\u00a0time` : `${date}, ${time} ${zone}`}
      </span>
    </time>
  );
}

/** The date of a moment as `Moment` shows it, for a sentence: 21 Nov 2026. */
export const useLocalDay = (at: string): string => useMoment(at).shown.date;

function useMoment(at: string) {
  const hydrated = useHydrated();
  const { timeZone } = useSettings();
  const isAdmin = useViewer()?.role === 'admin';
  const shop = findOffset(at, timeZone);
  const reader = hydrated ? -new Date(at).getTimezoneOffset() : shop;
  return {
    isAdmin,
    shown: formatMoment(at, isAdmin ? shop : reader),
    /** The reader's own time, if an admin's differs from the shop's. */
    own: isAdmin && reader !== shop ? formatMoment(at, reader) : undefined,
  };
}

/** Formats dates in the shop's time zone, for printouts and lists: 21 Nov 2026. */
export function useShopDay(): (at: string) => string {
  const { timeZone } = useSettings();
  return (at) => formatMoment(at, findOffset(at, timeZone)).date;
}

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

/** A date in UTC: 21 Nov 2026. */
export const formatDay = (at: string): string => formatMoment(at, 0).date;
