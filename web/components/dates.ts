// Made once: a formatter costs a hundred times what it then takes to use it.
const format = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** A day as the shop writes it, the same on the server and in every browser: 21 Nov 2026. */
export const day = (time: string): string => format.format(new Date(time));
