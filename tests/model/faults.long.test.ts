import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/database.ts';
import { actionTemplate, fillTemplate } from './action-templates.ts';
import { performActions } from './actions.ts';
import { readVisibleState } from './comparison.ts';
import { recover } from './recovery.ts';
import { newOrder, type PerformedAction, type State } from './rules.ts';
import { runSequences, sequenceCount } from './runs.ts';
import { expectBalanced, startSequence, type World } from './world.ts';

/*
 * Concurrent actions while the provider fails at random. Their outcomes are not predicted, but a confirmed action is
 * never undone, and after the provider has recovered and the periodic work has run, the books balance.
 */
const fault = fc.record({
  call: fc.constantFrom(
    'POST /v1/payment_intents',
    'GET /v1/payment_intents/:id',
    'POST /v1/payment_intents/:id/cancel',
    'POST /v1/refunds',
  ),
  // The Stripe package pauses and retries after the other faults, so they are rarer.
  how: fc.oneof(
    { weight: 6, arbitrary: fc.constant(429 as const) },
    { weight: 1, arbitrary: fc.constantFrom(...([500, 'stored-500', 'timeout-after-success'] as const)) },
  ),
});

/** Fewer sequences, because the Stripe package pauses before each retry. */
const faultSequenceCount = Math.ceil(sequenceCount / 2);

const round = fc.record({
  faults: fc.array(fault, { maxLength: 2 }),
  templates: fc.array(actionTemplate, { minLength: 2, maxLength: 6 }),
});

describe.each(engines)('on %s', (engine) => {
  test(
    'random provider failures undo no confirmed action, and the books balance after recovery',
    () =>
      runSequences(engine, faultSequenceCount, (world) =>
        fc.asyncProperty(fc.array(round, { minLength: 4, maxLength: 12 }), async (rounds) => {
          const initial = await startSequence(world);
          const performed: PerformedAction[] = [];
          let state = initial;
          for (const { faults, templates } of rounds) {
            for (const fault of faults) world.shop.stripe.fail(fault);
            const actions = templates.map((template) => fillTemplate(template, state));
            performed.push(...(await performActions(world, actions, true)));
            state = await readState(world, initial);
          }
          await recover(
            world,
            rounds.flatMap(({ faults }) => faults),
          );
          await expectBalanced(world);
          await expectActionsPersisted(world, performed);
        }),
      ),
    60_000 + sequenceCount * 10_000,
  );
});

/** The state that the API shows, from which the next actions are chosen. */
async function readState(world: World, initial: State): Promise<State> {
  const { products, orders, intents } = await readVisibleState(world);
  const own = orders.filter(({ orderId }) => initial.products[orderId]).reverse();
  return {
    products: Object.fromEntries(
      products
        .filter(({ _id }) => initial.products[_id])
        .map(({ _id, a_quantity, o_quantity }) => [_id, { available: a_quantity, minimum: o_quantity }]),
    ),
    orders: Object.fromEntries(
      own.map(({ _id, purchase, user, orderId, orderQuantity, orderStatus, transactionId }) => [
        _id,
        {
          purchase,
          person: world.people.findIndex(({ email }) => email === user),
          product: orderId,
          pieces: orderQuantity,
          status: orderStatus,
          ...newOrder,
          transaction: transactionId,
        },
      ]),
    ),
    purchases: Object.fromEntries(
      own.map(({ purchase, version }) => [
        purchase,
        {
          version,
          overdue: false,
          refunds: [],
          intent: intents.find(({ metadata }) => metadata.order === purchase)?.id,
        },
      ]),
    ),
    intents: Object.fromEntries(
      intents
        .filter(({ metadata }) => own.some(({ purchase }) => purchase === metadata.order))
        .reverse()
        .map(({ id, status }) => [
          id,
          status === 'succeeded' ? 'paid' : status === 'canceled' ? 'cancelled' : 'open',
        ]),
    ),
    admins: {},
    parcels: {},
    memory: {},
    reports: {},
    disputes: {},
  };
}

/** Checks that every confirmed action is still in effect. */
async function expectActionsPersisted(world: World, performed: PerformedAction[]): Promise<void> {
  const orders = new Map((await readVisibleState(world)).orders.map((order) => [order._id, order]));
  const deleted = new Set<string>();
  for (const { action, outcome } of performed)
    if (action.type === 'delete' && outcome.ok) deleted.add(action.order);
  for (const { action, outcome } of performed) {
    if (!outcome.ok) continue;
    if (action.type === 'order')
      expect(orders.has(outcome.value), `order ${outcome.value}`).toBe(!deleted.has(outcome.value));
    if (action.type === 'order several')
      for (const id of outcome.value.split(' ').slice(1))
        expect(orders.has(id), `order ${id}`).toBe(!deleted.has(id));
    if (action.type === 'report paid') expect(orders.get(action.order)?.transactionId).toBe(action.intent);
    if (action.type === 'ship') expect(orders.get(action.order)?.orderStatus).toBe('sipping');
    if (action.type === 'refund') {
      const order = await world.shop.client(world.admin).call('getOrder', { params: { id: action.order } });
      expect(order.refunds?.map(({ _id }) => _id)).toContain(outcome.value);
    }
  }
}
