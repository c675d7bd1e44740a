import { openGenerator } from './generator.ts';
import type { Load, LoadResult } from './load.ts';
import { short } from './report.ts';

type Target = Pick<Load, 'port' | 'requests'>;

/** Both results of the median round. `ratio` is the median of the rounds' ratios; rates are responses per second. */
type Comparison = {
  ratio: number;
  shop: LoadResult;
  baseline: LoadResult;
  shopRate: number;
  baselineRate: number;
};

/**
 * Loads the shop and the baseline alternately in short rounds, so that other load on the machine slows both. The first two
 * rounds are warm-up and do not count.
 */
export async function compare(
  targets: { shop: Target; baseline: Target },
  { rounds = short ? 5 : 12, milliseconds = short ? 250 : 700, connections = 16 } = {},
): Promise<Comparison> {
  using generator = openGenerator();
  const results: { shop: LoadResult; baseline: LoadResult }[] = [];
  for (let round = -2; round < rounds; round++) {
    const run = ({ port, requests }: Target) => generator.run({ port, requests, connections, milliseconds });
    // The order alternates, too.
    const baselineFirst = round % 2 === 0 ? await run(targets.baseline) : undefined;
    const shop = await run(targets.shop);
    const baseline = baselineFirst ?? (await run(targets.baseline));
    if (round >= 0) results.push({ shop, baseline });
  }
  const middle = results.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(results.length / 2)];
  if (!middle) throw new Error('Nothing was measured.');
  return {
    ...middle,
    ratio: ratioOf(middle),
    shopRate: rate(middle.shop),
    baselineRate: rate(middle.baseline),
  };
}

const rate = ({ responses, seconds }: LoadResult): number => responses / seconds;
const ratioOf = (round: { shop: LoadResult; baseline: LoadResult }): number =>
  rate(round.shop) / rate(round.baseline);

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
