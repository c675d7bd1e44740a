/** A day as the shop writes it, the same on the server and in every browser: 21 Nov 2026. */
export const day = (time: string): string =>
  new Date(time).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  });
