import type { Rate } from '../../../contract/delivery/shipping-rates.ts';

/** Grams, such as `500 g` or `1.5 kg`. */
export const formatWeight = (grams: number): string => (grams < 1000 ? `${grams} g` : `${grams / 1000} kg`);

/** The parcels that a rate is for, such as `1 kg to under 5 kg`; '' for all. `formatAmount` formats money. */
export function describeLimits(
  { by, from = 0, to }: Pick<Rate, 'by' | 'from' | 'to'>,
  formatAmount: (amount: number) => string,
): string {
  const format = by === 'weight' ? formatWeight : formatAmount;
  if (by === 'flat' || (from === 0 && to === undefined)) return '';
  if (to === undefined) return `${format(from)} and more`;
  return from === 0 ? `under ${format(to)}` : `${format(from)} to under ${format(to)}`;
}

/** How long a parcel takes, such as `2–4 working days`; '' without a promise. */
export function describeDays({ days }: Rate): string {
  if (!days) return '';
  const [fastest, slowest] = days;
  if (slowest === 0) return 'the same working day';
  const count = fastest === slowest ? `${slowest}` : `${fastest}–${slowest}`;
  return `${count} working ${slowest === 1 ? 'day' : 'days'}`;
}
