import { useState } from 'react';
import { findOffset, formatMoment } from '../../contract/moment.ts';
import { useHydrated } from '../client/hydration.ts';
import { useViewer } from '../client/viewer.ts';
import { useSettings } from '../shop.tsx';

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

/** A date in UTC: 21 Nov 2026. */
export const formatDay = (at: string): string => formatMoment(at, 0).date;
