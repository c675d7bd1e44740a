const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const many = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** How long it is from one time to a later one, in words: `less than a minute`, `5 minutes`, `3 hours`, `12 days`. */
export function ageOf(from: string, to: string): string {
  const age = Date.parse(to) - Date.parse(from);
  if (age < minute) return 'less than a minute';
  if (age < hour) return many(Math.floor(age / minute), 'minute');
  if (age < 2 * day) return many(Math.floor(age / hour), 'hour');
  return many(Math.floor(age / day), 'day');
}
