type Trend = {
  /** Megabytes per minute: the least-squares slope, and its 95 % confidence interval. */
  slope: number;
  low: number;
  high: number;
  /** `unclear`: the samples are too noisy; a longer run narrows the interval. */
  verdict: 'flat' | 'grows' | 'unclear';
};

/**
 * Megabytes per minute. A confidence interval entirely above `leakThreshold` is a leak. Otherwise, an interval entirely below
 * `flatThreshold` is flat.
 */
const leakThreshold = 0.5;
export const flatThreshold = 1.5;

/** Classifies memory samples by their second half, because caches fill in the first. */
export function classifyTrend(samples: number[], intervalMs: number): Trend {
  const half = samples.slice(Math.floor(samples.length / 2));
  const minutes = half.map((_, index) => (index * intervalMs) / 60_000);
  const [meanX, meanY] = [mean(minutes), mean(half)];
  const spread = sum(minutes.map((x) => (x - meanX) ** 2));
  const slope = sum(half.map((y, index) => ((minutes[index] ?? 0) - meanX) * (y - meanY))) / spread;
  const residuals = half.map((y, index) => y - meanY - slope * ((minutes[index] ?? 0) - meanX));
  const degreesOfFreedom = half.length - 2;
  const error = Math.sqrt(sum(residuals.map((r) => r ** 2)) / degreesOfFreedom / spread);
  const margin = studentT(degreesOfFreedom) * error;
  const [low, high] = [slope - margin, slope + margin];
  const verdict = low > leakThreshold ? 'grows' : high < flatThreshold ? 'flat' : 'unclear';
  return { slope, low, high, verdict };
}

/**
 * The 97.5 % quantile of Student's t distribution by the Cornish–Fisher expansion, accurate to 0.01 for 4 or more degrees
 * of freedom.
 */
function studentT(degreesOfFreedom: number): number {
  const z = 1.959964;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / degreesOfFreedom + second / degreesOfFreedom ** 2 + third / degreesOfFreedom ** 3;
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: number[]) => sum(values) / values.length;
