import fc from 'fast-check';
import { inject } from 'vitest';
import type { Engine } from '../../server/database/schema.ts';
import { openWorld, type World } from './world.ts';

/** How many sequences on each engine; more in `npm run torture`. */
export const runs = Number(process.env.FC_RUNS ?? 12);

/** The shop's own look comes every two minutes: no shop is to live that long, or it would do what no act did. */
const runsOfOneShop = 25;

/** Tries so many sequences, a new shop for every 25 of them. */
export async function runSequences<Values>(
  engine: Engine,
  count: number,
  sequenceOf: (world: World) => fc.IAsyncProperty<Values>,
): Promise<void> {
  for (let done = 0; done < count; done += runsOfOneShop) {
    const world = await openWorld(engine);
    await using _shop = world.shop;
    await fc.assert(sequenceOf(world), {
      numRuns: Math.min(runsOfOneShop, count - done),
      seed: inject('seed') + done,
    });
  }
}
