import type { LoaderFunctionArgs } from 'react-router';
import type { PrintedLine, Printout } from '../../../../../contract/orders/printing.ts';
import { loaderContext } from '../../../../client/route-context.ts';
import { formatWeight } from '../../../../components/delivery/rate-texts.ts';

/** Loads the printout. `?orders=` may be repeated, as a plain form sends it, or hold a comma-separated list. */
export function loadPrintout({ request, context }: LoaderFunctionArgs): Promise<Printout> {
  const orders = new URL(request.url).searchParams.getAll('orders').join(',');
  return context.get(loaderContext).client.call('getPrintout', { query: { orders } });
}

/** The weight of the pieces that are left to pack, in grams, and whether some products have none. Undefined without any weight. */
export function weighLeft(lines: readonly PrintedLine[]): { grams: number; isPartial: boolean } | undefined {
  const left = lines.filter(({ toPack, packing }) => toPack > 0 && packing);
  const weighed = left.filter(({ packing }) => packing?.weight !== undefined);
  if (weighed.length === 0) return undefined;
  const grams = weighed.reduce((sum, { toPack, packing }) => sum + toPack * (packing?.weight ?? 0), 0);
  return { grams, isPartial: weighed.length < left.length };
}

/** Such as `1.2 kg`; '' without any weight. */
export function describeWeight(lines: readonly PrintedLine[]): string {
  const weight = weighLeft(lines);
  if (!weight) return '';
  return `${formatWeight(weight.grams)}${weight.isPartial ? ', not counting tools without a weight' : ''}`;
}
