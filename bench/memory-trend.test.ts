import { expect, test } from 'vitest';
import { createRandom } from '../tests/load/random.ts';
import { classifyTrend } from './memory-trend.ts';

const intervalMs = 10_000;
const seeds = Array.from({ length: 50 }, (_, seed) => seed);

/** Ten minutes of samples from a 220 MB process that grows by `perMinute`, with garbage-collector noise. */
function run(perMinute: number, noise: number, seed: number): number[] {
  const { below } = createRandom(seed);
  return Array.from(
    { length: 60 },
    (_, index) => 220 + (perMinute * index) / 6 + ((below(2001) - 1000) / 1000) * noise,
  );
}

const verdicts = (perMinute: number, noise: number) => [
  ...new Set(seeds.map((seed) => classifyTrend(run(perMinute, noise, seed), intervalMs).verdict)),
];

test('leaks of 1.63 and 5 MB per minute are reported with every seed', () => {
  expect(verdicts(1.63, 3)).toEqual(['grows']);
  expect(verdicts(5, 8)).toEqual(['grows']);
});

test('constant or shrinking memory is flat', () => {
  expect(verdicts(0, 3)).toEqual(['flat']);
  expect(verdicts(-2, 3)).toEqual(['flat']);
});

test('a run too noisy to show a leak is not called flat', () => {
  expect(classifyTrend(run(1.63, 40, 1), intervalMs).verdict).toBe('unclear');
});

test('growth in the first half does not count', () => {
  const filling = run(0, 3, 1).map((value, index) => (index < 30 ? value - 4 * (30 - index) : value));
  expect(classifyTrend(filling, intervalMs).verdict).toBe('flat');
});

test('the confidence interval of ten samples of a known line matches the textbook', () => {
  // Residuals alternate between ±1; Student's t for 8 degrees of freedom is 2.306.
  const second = Array.from({ length: 10 }, (_, index) => index + (index % 2 === 0 ? 1 : -1));
  const { slope, low, high } = classifyTrend([...Array(10).fill(0), ...second], 60_000);
  expect(slope).toBeCloseTo(0.9394, 3);
  expect(high - slope).toBeCloseTo(0.2795, 3);
  expect(slope - low).toBeCloseTo(0.2795, 3);
});
