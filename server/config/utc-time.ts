const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** For readers whose time zone is unknown: `29 November 2026, 14:00 UTC`. */
export const formatUtcTime = (at: number): string => `${format.format(at).replace(' at ', ', ')} UTC`;
