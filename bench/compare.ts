import { openGenerator } from './generator.ts';
import type { Load, LoadResult } from './load.ts';
import { short } from './report.ts';

type Target = Pick<Load, 'port' | 'requests'>;

/** Both results of the median round. `ratio` is the median of the rounds' ratios; rates are responses per second. */
export type Comparison = {
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
    const run = (target: Target) => generator.run({ ...target, connections, milliseconds });
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

/**
 * Repeats the comparisons with three new pairs of processes (with `--short`, one pair), because two processes with the same code
 * can differ in speed by half. Returns, for each comparison, the result with the median ratio.
 */
export async function compareProcesses(compareOnce: () => Promise<Comparison[]>): Promise<Comparison[]> {
  const runs: Comparison[][] = [];
  for (let run = 0; run < (short ? 1 : 3); run++) runs.push(await compareOnce());
  const [first = []] = runs;
  return first.map((only, index) => {
    const sorted = runs.flatMap((run) => run[index] ?? []).toSorted((a, b) => a.ratio - b.ratio);
    return sorted[Math.floor(sorted.length / 2)] ?? only;
  });
}

const rate = ({ responses, seconds }: LoadResult): number => responses / seconds;
const ratioOf = (round: { shop: LoadResult; baseline: LoadResult }): number =>
  rate(round.shop) / rate(round.baseline);

/** `share` is from 0 to below 1. */
export function percentile(numbers: number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;
}

export const median = (numbers: number[]): number => percentile(numbers, 0.5);
