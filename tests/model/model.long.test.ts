import fc from 'fast-check';
import { describe, test } from 'vitest';
import { engines } from '../support/database.ts';
import { actionTemplate, fillTemplate } from './action-templates.ts';
import { performActions } from './actions.ts';
import { matchesVisibleState, mayLeadTo, readVisibleState } from './comparison.ts';
import { findExplanation } from './explanation.ts';
import type { State } from './rules.ts';
import { runSequences, sequenceCount } from './runs.ts';
import { expectBalanced, startSequence, type World } from './world.ts';

/* Random sequences of single and concurrent actions, compared with a small model of the shop. */

/** One action, or several at the same time. */
const concurrentActions = fc
  .constantFrom(1, 1, 2, 3, 4)
  .chain((count) => fc.array(actionTemplate, { minLength: count, maxLength: count }))
  .map((templates): fc.AsyncCommand<{ state: State }, World> => {
    let description = '';
    return {
      check: () => true,
      toString: () => description,
      async run(model, world) {
        const actions = templates.map((template) => fillTemplate(template, model.state));
        description = JSON.stringify(actions);
        const performed = await performActions(world, actions);
        description = JSON.stringify(performed);
        const visible = await readVisibleState(world);
        const after = findExplanation(
          model.state,
          performed,
          (state) => matchesVisibleState(state, visible),
          (state) => mayLeadTo(state, visible),
        );
        if (!after)
          throw new Error(
            `No interleaving explains ${description}. The state before: ${JSON.stringify(model.state)}`,
          );
        model.state = after;
      },
    };
  });

describe.each(engines)('on %s', (engine) => {
  test(
    'for any concurrent actions, some interleaving explains every response, and the books balance',
    () =>
      runSequences(engine, sequenceCount, (world) =>
        fc.asyncProperty(
          fc.noBias(fc.commands([concurrentActions], { maxCommands: 40, size: 'max' })),
          async (commands) => {
            const state = await startSequence(world);
            await fc.asyncModelRun(() => ({ model: { state }, real: world }), commands);
            await world.shop.doPeriodicWork();
            await expectBalanced(world);
          },
        ),
      ),
    60_000 + sequenceCount * 15_000,
  );
});
