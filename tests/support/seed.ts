/**
 * What the random tests start from: `SEED` repeats a run, CI always takes the same one, so that a failure there is of the
 * change that is tested, and every other run takes a new one.
 */
export function chooseSeed(env: Record<string, string | undefined> = process.env): number {
  if (env.SEED) return Number(env.SEED);
  return env.CI ? 1 : Math.floor(Math.random() * 2 ** 31);
}
