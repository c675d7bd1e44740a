import fc from 'fast-check';
import { inject } from 'vitest';
import type { Engine } from '../../server/database/schema.ts';
import { startWorld, type World } from './world.ts';

/** Sequences per engine. `npm run torture` runs more. */
export const sequenceCount = Number(process.env.FC_RUNS ?? 12);

/**
 * Every two minutes, a shop runs its periodic work, which would interfere. Ten sequences end before that, even if each takes ten
 * seconds under load.
 */
const sequencesPerShop = 10;

/** Runs `count` sequences, with a new shop for every ten. */
export async function runSequences<Values>(
  engine: Engine,
  count: number,
  sequenceOf: (world: World) => fc.IAsyncProperty<Values>,
): Promise<void> {
  for (let done = 0; done < count; done += sequencesPerShop) {
    const world = await startWorld(engine);
    await using _shop = world.shop;
    await fc.assert(sequenceOf(world), {
      numRuns: Math.min(sequencesPerShop, count - done),
      seed: inject('seed') + done,
    });
  }
}
