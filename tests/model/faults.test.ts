import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { performAll } from './acts.ts';
import { readShown } from './likeness.ts';
import { recover } from './recover.ts';
import type { Done, State } from './rules.ts';
import { runSequences, runs } from './runs.ts';
import { chooseAct, wish } from './wishes.ts';
import { beginSequence, expectBalanced, type World } from './world.ts';

/*
 * The same acts at once, while the provider fails at random. What an act comes to is then open, but what was
 * answered with yes stays, and once the provider is well and the look has run, the books balance.
 */
const fault = fc.record({
  call: fc.constantFrom(
    'POST /v1/payment_intents',
    'GET /v1/payment_intents/:id',
    'POST /v1/payment_intents/:id/cancel',
    'POST /v1/refunds',
  ),
  // The package tries again after the others, with a pause: fewer of those.
  how: fc.oneof(
    { weight: 6, arbitrary: fc.constant(429 as const) },
    { weight: 1, arbitrary: fc.constantFrom(...([500, 'stored-500', 'timeout-after-success'] as const)) },
  ),
});

/** They wait for the package's pauses. */
const sequences = Math.ceil(runs / 2);

const round = fc.record({
  faults: fc.array(fault, { maxLength: 2 }),
  wishes: fc.array(wish, { minLength: 2, maxLength: 6 }),
});

describe.each(engines)('on %s', (engine) => {
  test(
    'while the provider fails at random, no yes is taken back, and behind it the books balance',
    () =>
      runSequences(engine, sequences, (world) =>
        fc.asyncProperty(fc.array(round, { minLength: 4, maxLength: 12 }), async (rounds) => {
          const begun = await beginSequence(world);
          const answers: Done[] = [];
          let state = begun;
          for (const { faults, wishes } of rounds) {
            for (const one of faults) world.shop.stripe.fail(one);
            const acts = wishes.map((one) => chooseAct(one, state));
            answers.push(...(await performAll(world, acts, true)));
            state = await seen(world, begun);
          }
          await recover(
            world,
            rounds.flatMap(({ faults }) => faults),
          );
          await expectBalanced(world);
          await judgeAnswers(world, answers);
        }),
      ),
    60_000 + runs * 10_000,
  );
});

/** What there is to act on, as anybody can see it. */
async function seen(world: World, begun: State): Promise<State> {
  const { products, orders, intents } = await readShown(world);
  const own = orders.filter(({ orderId }) => begun.products[orderId]).reverse();
  return {
    products: Object.fromEntries(
      products
        .filter(({ _id }) => begun.products[_id])
        .map(({ _id, a_quantity, o_quantity }) => [_id, { available: a_quantity, minimum: o_quantity }]),
    ),
    orders: Object.fromEntries(
      own.map(({ _id, orderId, orderQuantity, orderStatus, transactionId }) => [
        _id,
        {
          product: orderId,
          pieces: orderQuantity,
          status: orderStatus,
          overdue: false,
          intent: intents.find(({ metadata }) => metadata.order === _id)?.id,
          transaction: transactionId,
        },
      ]),
    ),
    intents: Object.fromEntries(
      intents
        .filter(({ metadata }) => own.some(({ _id }) => _id === metadata.order))
        .reverse()
        .map(({ id, status }) => [
          id,
          status === 'succeeded' ? 'paid' : status === 'canceled' ? 'cancelled' : 'open',
        ]),
    ),
    admins: {},
  };
}

/** What was answered with yes is so for good. */
async function judgeAnswers(world: World, answers: Done[]): Promise<void> {
  const orders = new Map((await readShown(world)).orders.map((order) => [order._id, order]));
  const deleted = new Set<string>();
  for (const { act, saw } of answers) if (act.do === 'delete' && saw.ok) deleted.add(act.order);
  for (const { act, saw } of answers) {
    if (!saw.ok) continue;
    if (act.do === 'order') expect(orders.has(saw.value), `order ${saw.value}`).toBe(!deleted.has(saw.value));
    if (act.do === 'tell') expect(orders.get(act.order)?.transactionId).toBe(act.intent);
    if (act.do === 'ship') expect(orders.get(act.order)?.orderStatus).toBe('sipping');
  }
}
