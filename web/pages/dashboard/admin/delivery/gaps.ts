import type { Zone } from '../../../../../contract/delivery/shipping-rates.ts';

/**
 * The ranges below a zone's last limit in which no rate sends an order, in grams or as amounts on the wire. None if the zone has a rate
 * at one price, or rates by weight and by total: they may complete each other.
 */
export function findGaps({ rates }: Zone) {
  const sending = rates.filter(({ pickup }) => pickup === undefined);
  const by = sending[0]?.by;
  if (by === undefined || by === 'flat' || sending.some((rate) => rate.by !== by)) return [];
  const gaps: { by: 'weight' | 'total'; from: number; to: number }[] = [];
  let end = 0;
  const sorted = sending.toSorted((one, other) => (one.from ?? 0) - (other.from ?? 0));
  for (const { from = 0, to = Number.POSITIVE_INFINITY } of sorted) {
    if (from > end) gaps.push({ by, from: end, to: from });
    end = Math.max(end, to);
  }
  return gaps;
}
