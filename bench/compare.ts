import { openGenerator } from './generator.ts';
import type { Load, LoadResult } from './load.ts';
import { short } from './report.ts';

type Rival = Pick<Load, 'port' | 'requests'>;

/** Both in one run, and `ratio`: the median of the rounds' own ratios. Rates are answers a second. */
type Comparison = {
  ratio: number;
  shop: LoadResult;
  floor: LoadResult;
  shopRate: number;
  floorRate: number;
};

/**
 * Loads the shop and the floor in turn, a moment each, so that whatever else the machine does slows both. The
 * first two rounds warm up and are not counted.
 */
export async function compare(
  rivals: { shop: Rival; floor: Rival },
  { rounds = short ? 5 : 12, milliseconds = short ? 250 : 700, connections = 16 } = {},
): Promise<Comparison> {
  using generator = openGenerator();
  const found: { shop: LoadResult; floor: LoadResult }[] = [];
  for (let round = -2; round < rounds; round++) {
    const run = ({ port, requests }: Rival) => generator.run({ port, requests, connections, milliseconds });
    // Who goes first changes, too.
    const floorFirst = round % 2 === 0 ? await run(rivals.floor) : undefined;
    const shop = await run(rivals.shop);
    const floor = floorFirst ?? (await run(rivals.floor));
    if (round >= 0) found.push({ shop, floor });
  }
  const middle = found.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(found.length / 2)];
  if (!middle) throw new Error('Nothing was measured.');
  return { ...middle, ratio: ratioOf(middle), shopRate: rate(middle.shop), floorRate: rate(middle.floor) };
}

const rate = ({ responses: answered, seconds }: LoadResult): number => answered / seconds;
const ratioOf = (round: { shop: LoadResult; floor: LoadResult }): number =>
  rate(round.shop) / rate(round.floor);

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
