import { openGenerator } from './generator.ts';
import type { Load, LoadResult } from './load.ts';
import { readProcessorTicks } from './processor-time.ts';
import { short } from './report.ts';

type Target = Pick<Load, 'port' | 'requests'> & { pid?: number };

/**
 * Both results of the median round. `ratio` is the median of the rounds' ratios; rates are responses per second.
 * `processorRatio` compares the responses per CPU time of all rounds, for targets with a `pid`.
 */
type Comparison = {
  ratio: number;
  processorRatio: number;
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
  const results: { shop: Measured; baseline: Measured }[] = [];
  for (let round = -2; round < rounds; round++) {
    const run = async ({ pid = 0, ...target }: Target): Promise<Measured> => {
      const before = readProcessorTicks(pid);
      const result = await generator.run({ ...target, connections, milliseconds });
      return { ...result, ticks: readProcessorTicks(pid) - before };
    };
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
    processorRatio:
      responsesPerTick(results.map(({ shop }) => shop)) /
      responsesPerTick(results.map(({ baseline }) => baseline)),
    shopRate: rate(middle.shop),
    baselineRate: rate(middle.baseline),
  };
}

type Measured = LoadResult & { ticks: number };

const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0);
const responsesPerTick = (results: Measured[]): number =>
  sum(results.map(({ responses }) => responses)) / sum(results.map(({ ticks }) => ticks));
const rate = ({ responses, seconds }: LoadResult): number => responses / seconds;
const ratioOf = (round: { shop: LoadResult; baseline: LoadResult }): number =>
  rate(round.shop) / rate(round.baseline);

export function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
