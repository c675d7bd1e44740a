import { formatCount } from '../../../../../contract/admin/health-format.ts';

/**
 * Compares a figure with the same figure of the period before, in words: `$20.00 (25%) more than in the previous 30 days`. `format`
 * formats a figure; `less` is `fewer` for figures that can be counted.
 */
export function compareFigures(
  now: number,
  before: number,
  period: string,
  format: (figure: number) => string,
  less = 'less',
): string {
  if (now === before) return `the same as in ${period}`;
  if (before === 0) return `none in ${period}`;
  const percent = Math.round((Math.abs(now - before) / before) * 100);
  const share = percent === 0 ? 'under 1%' : `${formatCount(percent)}%`;
  // Rounded, because the difference of two amounts with decimals can have many.
  const difference = format(Math.round(Math.abs(now - before) * 100) / 100);
  return `${difference} (${share}) ${now > before ? 'more' : less} than in ${period}`;
}
