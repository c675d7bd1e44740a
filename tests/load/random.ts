export type Random = ReturnType<typeof createRandom>;

/** Seeded random choices (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number): number => Math.floor(next() * end);

  return {
    below,
    /** True with the probability `share`. */
    chance: (share: number): boolean => next() < share,
    pick: <T>(from: readonly T[]): T | undefined => from[below(from.length)],
  };
}
