import type Stripe from 'stripe';
import { afterEach, describe, expect, test } from 'vitest';
import { engines } from '../../tests/support/database.ts';
import { waitUntil } from '../../tests/support/wait.ts';
import { errorOf, objectOf, openTestDatabase, paidIntent, startShop } from './test-support.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const onCleanup = (cleanup: () => Promise<void>) => cleanups.push(cleanup);

const disputedIntent = { ...paidIntent, payment_method: 'pm_card_createDispute' };

/** Pays with the card whose payments are disputed. */
async function payDisputed(stripe: Stripe) {
  const intent = await stripe.paymentIntents.create(disputedIntent);
  const [dispute] = (await stripe.disputes.list({ payment_intent: intent.id })).data;
  if (!dispute) throw new Error('expected a dispute');
  return { intent, dispute };
}

const submit = (stripe: Stripe, { id }: { id: string }, uncategorized_text: string) =>
  stripe.disputes.update(id, { evidence: { uncategorized_text } });

const disputeEvents = (received: Stripe.Event[]) =>
  received.map(({ type }) => type).filter((type) => type.startsWith('charge.dispute.'));

describe.each(engines)('on %s', (engine) => {
  const start = async () => startShop(await openTestDatabase(engine, onCleanup), onCleanup);

  test('a payment with the dispute card succeeds and is disputed', async () => {
    const { stripe, received } = await start();
    const { intent, dispute } = await payDisputed(stripe);
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 1999 });
    expect(dispute).toMatchObject({
      object: 'dispute',
      amount: 1999,
      currency: 'usd',
      charge: intent.latest_charge,
      payment_intent: intent.id,
      status: 'needs_response',
      reason: 'fraudulent',
      is_charge_refundable: false,
      evidence_details: { due_by: dispute.created + 7 * 86_400, submission_count: 0, has_evidence: false },
    });
    expect(await stripe.disputes.retrieve(dispute.id)).toEqual(dispute);
    await waitUntil(() => expect(objectOf(received, 'charge.dispute.created')).toEqual(dispute));
    await waitUntil(() => expect(objectOf(received, 'charge.dispute.funds_withdrawn')).toEqual(dispute));
    await waitUntil(() => expect(objectOf(received, 'charge.succeeded')).toMatchObject({ disputed: false }));
  });

  test('the number of the dispute card works like its payment method', async () => {
    const { stripe } = await start();
    await stripe.rawRequest('POST', '/v1/payment_intents', {
      ...paidIntent,
      payment_method: undefined,
      payment_method_data: {
        type: 'card',
        card: { number: '4000000000000259', exp_month: 12, exp_year: 2040, cvc: '123' },
      },
    });
    expect((await stripe.disputes.list()).data).toMatchObject([{ status: 'needs_response' }]);
  });

  test('a charge cannot be refunded while its dispute is open or after it was lost', async () => {
    const { stripe } = await start();
    const { intent, dispute } = await payDisputed(stripe);
    const rejected = {
      statusCode: 400,
      code: 'charge_disputed',
      message: `Charge ${intent.latest_charge} has been charged back; cannot issue a refund.`,
    };
    const refund = () => errorOf(stripe.refunds.create({ payment_intent: intent.id, amount: 100 }));
    expect(await refund()).toMatchObject(rejected);
    expect(await submit(stripe, dispute, 'Delivered.')).toMatchObject({ status: 'under_review' });
    expect(await refund()).toMatchObject(rejected);
    expect(await submit(stripe, dispute, 'losing_evidence')).toMatchObject({ status: 'lost' });
    expect(await refund()).toMatchObject(rejected);
    expect((await stripe.refunds.list()).data).toEqual([]);
  });

  test('winning evidence wins a dispute, and the charge can be refunded', async () => {
    const { stripe, received } = await start();
    const { intent, dispute } = await payDisputed(stripe);
    const won = await submit(stripe, dispute, 'winning_evidence');
    expect(won).toMatchObject({
      status: 'won',
      is_charge_refundable: true,
      evidence: { uncategorized_text: 'winning_evidence' },
      evidence_details: { has_evidence: true, submission_count: 1, submission_method: 'manual' },
    });
    await waitUntil(() =>
      expect(disputeEvents(received).sort()).toEqual([
        'charge.dispute.closed',
        'charge.dispute.created',
        'charge.dispute.funds_reinstated',
        'charge.dispute.funds_withdrawn',
        'charge.dispute.updated',
      ]),
    );
    expect(objectOf(received, 'charge.dispute.closed')).toEqual(won);
    await stripe.refunds.create({ payment_intent: intent.id });
    await waitUntil(() =>
      expect(objectOf(received, 'charge.refunded')).toMatchObject({ disputed: true, refunded: true }),
    );
  });

  test('closing a dispute loses it', async () => {
    const { stripe, received } = await start();
    const { dispute } = await payDisputed(stripe);
    expect(await stripe.disputes.close(dispute.id)).toMatchObject({ status: 'lost' });
    await waitUntil(() =>
      expect(objectOf(received, 'charge.dispute.closed')).toMatchObject({ id: dispute.id, status: 'lost' }),
    );
  });

  test('when two processes decide a dispute at once, only one succeeds', async () => {
    const db = await openTestDatabase(engine, onCleanup);
    const [one, two] = [await startShop(db, onCleanup), await startShop(db, onCleanup)];
    for (let round = 0; round < 5; round += 1) {
      const { dispute } = await payDisputed(one.stripe);
      const [win, close] = await Promise.allSettled([
        submit(one.stripe, dispute, 'winning_evidence'),
        two.stripe.disputes.close(dispute.id),
      ]);
      expect([win.status, close.status].sort()).toEqual(['fulfilled', 'rejected']);
      const { status } = await two.stripe.disputes.retrieve(dispute.id);
      expect(status).toBe(win.status === 'fulfilled' ? 'won' : 'lost');
    }
  });
});

describe('responding and listing', () => {
  const start = async () => startShop(await openTestDatabase('sqlite', onCleanup), onCleanup);

  test('a decided dispute cannot be changed', async () => {
    const { stripe } = await start();
    const { dispute } = await payDisputed(stripe);
    await submit(stripe, dispute, 'losing_evidence');
    for (const change of [submit(stripe, dispute, 'winning_evidence'), stripe.disputes.close(dispute.id)])
      expect(await errorOf(change)).toMatchObject({ statusCode: 400 });
    expect(await stripe.disputes.retrieve(dispute.id)).toMatchObject({ status: 'lost' });
  });

  test('staged evidence is submitted by a later call', async () => {
    const { stripe } = await start();
    const { dispute } = await payDisputed(stripe);
    const update = (params: Stripe.DisputeUpdateParams) => stripe.disputes.update(dispute.id, params);
    expect(await update({})).toMatchObject({ status: 'needs_response' });
    const staged = await update({ evidence: { uncategorized_text: 'winning_evidence' }, submit: false });
    expect(staged).toMatchObject({
      status: 'needs_response',
      evidence_details: { has_evidence: true, submission_count: 0, submission_method: 'not_submitted' },
    });
    const submitted = await update({ evidence: { uncategorized_text: '', customer_name: 'Nora' } });
    expect(submitted).toMatchObject({
      status: 'under_review',
      evidence: { uncategorized_text: null, customer_name: 'Nora' },
      evidence_details: { submission_count: 1 },
    });
  });

  test('evidence that the stand-in does not know is rejected', async () => {
    const { stripe } = await start();
    const { dispute } = await payDisputed(stripe);
    expect(
      await errorOf(stripe.disputes.update(dispute.id, { evidence: { receipt: 'file_1' } })),
    ).toMatchObject({ code: 'parameter_unknown', param: 'evidence[receipt]' });
    expect(await errorOf(stripe.disputes.retrieve('du_none'))).toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      message: "No such dispute: 'du_none'",
    });
  });

  test('disputes are listed by payment, charge and time, newest first', async () => {
    const { stripe } = await start();
    const first = await payDisputed(stripe);
    const second = await payDisputed(stripe);
    const undisputed = await stripe.paymentIntents.create(paidIntent);
    const list = async (params?: Stripe.DisputeListParams) =>
      (await stripe.disputes.list(params)).data.map(({ id }) => id);
    const newestFirst = [second.dispute.id, first.dispute.id];
    const charge = String(first.intent.latest_charge);
    expect(await list()).toEqual(newestFirst);
    expect(await list({ charge })).toEqual([first.dispute.id]);
    expect(await list({ charge, payment_intent: first.intent.id })).toEqual([first.dispute.id]);
    expect(await list({ charge, payment_intent: second.intent.id })).toEqual([]);
    expect(await list({ payment_intent: undisputed.id })).toEqual([]);
    const later = Math.floor(Date.now() / 1000) + 60;
    expect(await list({ created: { gte: later } })).toEqual([]);
    expect(await list({ created: { gte: later - 3600 } })).toEqual(newestFirst);
    expect(await stripe.disputes.list({ limit: 1 })).toMatchObject({ has_more: true });
    const paged: string[] = [];
    for await (const { id } of stripe.disputes.list({ limit: 1 })) paged.push(id);
    expect(paged).toEqual(newestFirst);
  });
});
