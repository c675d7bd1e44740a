import fc from 'fast-check';
import { describe, test } from 'vitest';
import { engines } from '../support/database.ts';
import { performAll } from './acts.ts';
import { explain } from './explain.ts';
import { isLike, readShown } from './likeness.ts';
import type { State } from './rules.ts';
import { runSequences, runs } from './runs.ts';
import { chooseAct, wish } from './wishes.ts';
import { beginSequence, expectBalanced, type World } from './world.ts';

/* Random sequences of acts, alone and at once, against a small model of the shop. */

/** Acts at the same moment, or one alone. */
const together = fc
  .constantFrom(1, 1, 2, 3, 4)
  .chain((count) => fc.array(wish, { minLength: count, maxLength: count }))
  .map((wishes): fc.AsyncCommand<{ state: State }, World> => {
    let told = '';
    return {
      check: () => true,
      toString: () => told,
      async run(model, world) {
        const acts = wishes.map((one) => chooseAct(one, model.state));
        told = JSON.stringify(acts);
        const done = await performAll(world, acts);
        told = JSON.stringify(done);
        const shown = await readShown(world);
        const after = explain(model.state, done, (state) => isLike(state, shown));
        if (!after) throw new Error(`No order explains ${told} before ${JSON.stringify(model.state)}`);
        model.state = after;
      },
    };
  });

describe.each(engines)('on %s', (engine) => {
  test(
    'whatever is done, alone or at once, some order of it explains every answer, and the books balance',
    () =>
      runSequences(engine, runs, (world) =>
        fc.asyncProperty(
          fc.noBias(fc.commands([together], { maxCommands: 40, size: 'max' })),
          async (commands) => {
            const state = await beginSequence(world);
            await fc.asyncModelRun(() => ({ model: { state }, real: world }), commands);
            await world.shop.doPeriodicWork();
            await expectBalanced(world);
          },
        ),
      ),
    60_000 + runs * 5000,
  );
});
