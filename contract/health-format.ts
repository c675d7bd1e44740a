/*
 * Formats the figures of the Health page, for the server's sentences and for the page. Kept apart from the schemas so
 * that the page's bundle contains no Zod.
 */

/** Counting stops here, so that a large shop's health is read as fast as a small one's. */
export const maxCount = 1000;

/** `1,234,567`. */
export const formatCount = (count: number): string => count.toLocaleString('en-GB');

/** `1 piece`, `1,234 pieces`. */
export const formatQuantity = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A count that stops at the maximum: `3 payments`, `1,000 or more payments`. */
export const formatCappedCount = (count: number, noun: string): string =>
  count < maxCount ? formatQuantity(count, noun) : `${formatCount(count)} or more ${noun}s`;

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The time between `from` and `to`: `less than a minute`, `5 minutes`, `3 hours`, `12 days`. */
export function formatAge(from: string, to: string): string {
  const age = Date.parse(to) - Date.parse(from);
  if (age < minute) return 'less than a minute';
  if (age < hour) return formatQuantity(Math.floor(age / minute), 'minute');
  if (age < 2 * day) return formatQuantity(Math.floor(age / hour), 'hour');
  return formatQuantity(Math.floor(age / day), 'day');
}
