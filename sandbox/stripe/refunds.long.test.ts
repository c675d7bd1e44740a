import type Stripe from 'stripe';
import { afterEach, describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { waitUntil } from '../../tests/support/wait.ts';
import type { StripeTables } from './tables.ts';
import { errorOf, objectOf, openTestDatabase, paidIntent, startShop } from './test-support.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const onCleanup = (cleanup: () => Promise<void>) => cleanups.push(cleanup);

const pay = (stripe: Stripe, payment_method = 'pm_card_visa') =>
  stripe.paymentIntents.create({ ...paidIntent, payment_method });

describe.each(engines)('on %s', (engine) => {
  async function start() {
    const db = await openTestDatabase(engine, onCleanup);
    const objects = db.$extendTables<StripeTables>().selectFrom('stripe_object').select('body');
    const readCharge = async (id: unknown): Promise<Stripe.Charge> =>
      JSON.parse((await objects.where('id', '=', String(id)).executeTakeFirstOrThrow()).body);
    const countEvents = async (type: Stripe.Event.Type) => {
      const events = await objects.where('kind', '=', 'event').execute();
      return events.filter(({ body }) => JSON.parse(body).type === type).length;
    };
    return { ...(await startShop(db, onCleanup)), readCharge, countEvents };
  }

  test('a pending refund can be cancelled, and its amount can be refunded again', async () => {
    const { stripe, standIn, received, readCharge } = await start();
    const intent = await pay(stripe, 'pm_card_pendingRefund');
    const { id } = await stripe.refunds.create({ payment_intent: intent.id });
    const canceled = await stripe.refunds.cancel(id);
    expect(canceled).toMatchObject({ id, status: 'canceled', failure_reason: 'merchant_request' });
    expect(await stripe.refunds.retrieve(id)).toEqual(canceled);
    await waitUntil(() =>
      expect(objectOf(received, 'refund.updated')).toMatchObject({ id, status: 'canceled' }),
    );
    // Try to finish the refund: the bank's result no longer has any effect.
    await standIn.finish(id);
    expect(await stripe.refunds.retrieve(id)).toMatchObject({ status: 'canceled' });
    expect(await errorOf(stripe.refunds.cancel(id))).toMatchObject({ statusCode: 400 });

    const second = await stripe.refunds.create({ payment_intent: intent.id });
    expect(await readCharge(intent.latest_charge)).toMatchObject({ amount_refunded: 0, refunded: false });
    await standIn.finish(second.id);
    expect(await readCharge(intent.latest_charge)).toMatchObject({ amount_refunded: 1999, refunded: true });
  });

  test('the charge counts the refunds that succeeded', async () => {
    const { stripe, standIn, readCharge } = await start();
    const intent = await pay(stripe, 'pm_card_pendingRefund');
    const refund = (amount: number) => stripe.refunds.create({ payment_intent: intent.id, amount });
    const [succeeds, canceled] = [await refund(700), await refund(800)];
    await refund(400);
    await standIn.finish(succeeds.id);
    await stripe.refunds.cancel(canceled.id);
    expect(await readCharge(intent.latest_charge)).toMatchObject({ amount_refunded: 700, refunded: false });
    const tooMuch = await errorOf(refund(900));
    expect(tooMuch.message).toBe('Refund amount ($9.00) is greater than unrefunded amount on charge ($8.99)');
  });

  test('a refund that is not pending cannot be cancelled', async () => {
    const { stripe, standIn } = await start();
    const refundWith = async (method: string) =>
      stripe.refunds.create({ payment_intent: (await pay(stripe, method)).id });
    const succeeded = await refundWith('pm_card_visa');
    const failed = await refundWith('pm_card_refundFail');
    expect(await errorOf(stripe.refunds.cancel(failed.id))).toMatchObject({ statusCode: 400 });
    await standIn.finish(failed.id);
    for (const { id } of [succeeded, failed])
      expect(await errorOf(stripe.refunds.cancel(id))).toMatchObject({ statusCode: 400 });
    expect(await stripe.refunds.retrieve(succeeded.id)).toMatchObject({ status: 'succeeded' });
    expect(await stripe.refunds.retrieve(failed.id)).toMatchObject({ status: 'failed' });
  });

  test('when a cancellation races with the bank’s result, only one takes effect', async () => {
    const { stripe, standIn, readCharge, countEvents } = await start();
    for (let round = 1; round <= 5; round += 1) {
      const intent = await pay(stripe, 'pm_card_pendingRefund');
      const { id } = await stripe.refunds.create({ payment_intent: intent.id });
      const [cancel, finish] = await Promise.allSettled([stripe.refunds.cancel(id), standIn.finish(id)]);
      expect(finish.status).toBe('fulfilled');
      const { status } = await stripe.refunds.retrieve(id);
      expect(status).toBe(cancel.status === 'fulfilled' ? 'canceled' : 'succeeded');
      const { amount_refunded } = await readCharge(intent.latest_charge);
      expect(amount_refunded).toBe(status === 'canceled' ? 0 : 1999);
      expect(await countEvents('refund.updated')).toBe(round);
    }
  });

  test('refunds of all payments are listed, newest first, and filtered by time', async () => {
    const { stripe } = await start();
    const ids: string[] = [];
    for (const _ of [1, 2, 3])
      ids.unshift((await stripe.refunds.create({ payment_intent: (await pay(stripe)).id })).id);
    const paged: string[] = [];
    for await (const { id } of stripe.refunds.list({ limit: 1 })) paged.push(id);
    expect(paged).toEqual(ids);
    const later = Math.floor(Date.now() / 1000) + 60;
    expect((await stripe.refunds.list({ created: { gte: later } })).data).toEqual([]);
    expect((await stripe.refunds.list({ created: { gte: later - 3600 } })).data).toHaveLength(3);
    expect(await errorOf(stripe.refunds.retrieve('re_none'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such refund: 're_none'",
    });
  });
});
