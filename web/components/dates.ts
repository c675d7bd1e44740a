// Made once: a formatter costs a hundred times what it then takes to use it.
const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const withTime = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

/** A day as the shop writes it, the same on the server and in every browser: 21 Nov 2026. */
export const day = (time: string): string => format.format(new Date(time));

/** A moment to the minute, likewise: 21 Nov 2026, 10:09 UTC. */
export const moment = (time: string): string => `${withTime.format(new Date(time))} UTC`;
