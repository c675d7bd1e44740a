/** How long paid orders keep the name and address after their account is deleted. */
export function describeRetention(years: number): string {
  const yearEnd = 'the end of the year in which you paid';
  if (years === 0) return `until ${yearEnd}`;
  return `for ${years === 1 ? 'a year' : `${years} years`} after ${yearEnd}`;
}
