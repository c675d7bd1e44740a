import { dayMs, hourMs, minuteMs } from '../durations.ts';

/*
 * Formats the figures of the Health page, for the server's sentences and for the page. Kept apart from the schemas so
 * that the page's bundle contains no Zod.
 */

/** Counts stop at this number, so that the Health page stays fast on a large database. */
export const maxCount = 1000;

/** `1,234,567`. */
export const { format: formatCount } = new Intl.NumberFormat('en-GB');

/** `1 piece`, `1,234 pieces`. */
export const formatQuantity = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A count that stops at the maximum: `3 payments`, `1,000 or more payments`. */
export const formatCappedCount = (count: number, noun: string): string =>
  count < maxCount ? formatQuantity(count, noun) : `${formatCount(count)} or more ${noun}s`;

/** The time between `from` and `to`: `less than a minute`, `5 minutes`, `3 hours`, `12 days`. */
export function formatAge(from: string, to: string): string {
  const ageMs = Date.parse(to) - Date.parse(from);
  if (ageMs < minuteMs) return 'less than a minute';
  if (ageMs < hourMs) return formatQuantity(Math.floor(ageMs / minuteMs), 'minute');
  if (ageMs < 2 * dayMs) return formatQuantity(Math.floor(ageMs / hourMs), 'hour');
  return formatQuantity(Math.floor(ageMs / dayMs), 'day');
}
