/**
 * The seed of the random tests. `SEED` repeats a run. CI always uses the same seed, so that a failure there is caused by
 * the change under test. Every other run uses a new one.
 */
export function chooseSeed(env: Record<string, string | undefined> = process.env): number {
  if (env.SEED) return Number(env.SEED);
  return env.CI ? 1 : Math.floor(Math.random() * 2 ** 31);
}
