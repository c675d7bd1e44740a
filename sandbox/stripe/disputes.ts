import type Stripe from 'stripe';
import { type CallContext, nowInSeconds, type StripeCall } from './call.ts';
import { invalidRequest, type StripeResponse } from './errors.ts';
import { recordEvent } from './events.ts';
import { evidenceParams, hasEvidence, noEvidence, readEvidence } from './evidence.ts';
import { findBoolean, findText, params } from './form.ts';
import { getObject, insertObject, listObjects, replaceObject, type StoredObject } from './objects.ts';
import { newId, type StripeDatabase } from './tables.ts';

const responseSeconds = 7 * 24 * 60 * 60;

export const disputeCalls: StripeCall[] = [
  {
    name: 'GET /v1/disputes',
    params: { ...params('charge payment_intent limit starting_after'), created: params('gte') },
    handle: async (context) => ({
      status: 200,
      body: await listObjects(
        context.db,
        'dispute',
        context.form,
        '/v1/disputes',
        await findChargeFilter(context),
      ),
    }),
  },
  {
    name: 'GET /v1/disputes/:id',
    params: {},
    handle: async ({ db, id }) => ({ status: 200, body: (await getObject(db, 'dispute', id)).object }),
  },
  {
    name: 'POST /v1/disputes/:id',
    params: { evidence: evidenceParams, submit: true },
    handle: updateDispute,
  },
  {
    name: 'POST /v1/disputes/:id/close',
    params: {},
    handle: closeDispute,
  },
];

/** The bank disputes the whole charge as fraudulent and takes the money back. */
export async function openDispute(
  context: CallContext,
  stored: StoredObject<'charge'>,
  method: Stripe.PaymentMethod,
): Promise<void> {
  const charge: Stripe.Charge = { ...stored.object, disputed: true };
  const dispute = buildDispute(charge, method.card?.brand ?? 'unknown');
  await replaceObject(context.db, stored, charge);
  await insertObject(context.db, 'dispute', dispute, { belongs_to: charge.id });
  await recordEvent(context, 'charge.dispute.created', dispute);
  await recordEvent(context, 'charge.dispute.funds_withdrawn', dispute);
}

/** Rejects a refund of a charge whose dispute is open or lost, because the bank has the money. */
export async function rejectDisputed(db: StripeDatabase, charge: Stripe.Charge): Promise<void> {
  const rows = await db
    .selectFrom('stripe_object')
    .select('body')
    .where('kind', '=', 'dispute')
    .where('belongs_to', '=', charge.id)
    .execute();
  const disputes = rows.map(({ body }): Stripe.Dispute => JSON.parse(body));
  if (disputes.every(({ is_charge_refundable }) => is_charge_refundable)) return;
  throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
    code: 'charge_disputed',
  });
}

/**
 * Stores the evidence and, unless `submit` is false, sends it to the bank. As in Stripe's test mode, the text
 * `winning_evidence` or `losing_evidence` decides the dispute (https://docs.stripe.com/testing#evidence); with other
 * evidence it stays under review. More evidence may follow, so that a test can decide a dispute that is under review.
 */
async function updateDispute(context: CallContext): Promise<StripeResponse> {
  const { db, form } = context;
  const stored = await getObject(db, 'dispute', context.id);
  rejectDecided(stored.object);
  const evidence = { ...stored.object.evidence, ...readEvidence(form) };
  const has_evidence = hasEvidence(evidence);
  const evidence_details = { ...stored.object.evidence_details, has_evidence };
  const staged: Stripe.Dispute = { ...stored.object, evidence, evidence_details };
  const submit = form.submit === undefined || findBoolean(form, 'submit');
  const dispute = submit && has_evidence ? submitEvidence(staged) : staged;
  await replaceObject(db, stored, dispute);
  await recordEvent(context, 'charge.dispute.updated', dispute);
  if (isDecided(dispute)) await recordEvent(context, 'charge.dispute.closed', dispute);
  if (dispute.status === 'won') await recordEvent(context, 'charge.dispute.funds_reinstated', dispute);
  return { status: 200, body: dispute };
}

function submitEvidence(dispute: Stripe.Dispute): Stripe.Dispute {
  const text = dispute.evidence.uncategorized_text;
  const details = dispute.evidence_details;
  return {
    ...dispute,
    status: text === 'winning_evidence' ? 'won' : text === 'losing_evidence' ? 'lost' : 'under_review',
    is_charge_refundable: text === 'winning_evidence',
    evidence_details: {
      ...details,
      submission_count: details.submission_count + 1,
      submission_method: 'manual',
    },
  };
}

/** Accepts the dispute: the customer keeps the money. */
async function closeDispute(context: CallContext): Promise<StripeResponse> {
  const stored = await getObject(context.db, 'dispute', context.id);
  rejectDecided(stored.object);
  const dispute: Stripe.Dispute = { ...stored.object, status: 'lost' };
  await replaceObject(context.db, stored, dispute);
  await recordEvent(context, 'charge.dispute.closed', dispute);
  return { status: 200, body: dispute };
}

const isDecided = ({ status }: Stripe.Dispute) => status === 'won' || status === 'lost';

/** Stripe does not document the wording. */
function rejectDecided(dispute: Stripe.Dispute): void {
  if (isDecided(dispute)) throw invalidRequest('This dispute is already closed.');
}

/** The charge that a list is restricted to, if any; '' if no charge matches. */
async function findChargeFilter({ db, form }: CallContext): Promise<string | undefined> {
  const charge = findText(form, 'charge');
  const id = findText(form, 'payment_intent');
  if (!id) return charge;
  const { object: intent } = await getObject(db, 'payment_intent', id, 'payment_intent', 400);
  const paid = typeof intent.latest_charge === 'string' ? intent.latest_charge : '';
  return charge === undefined || charge === paid ? paid : '';
}

function buildDispute(charge: Stripe.Charge, brand: string): Stripe.Dispute {
  const created = nowInSeconds();
  // Visa's code for fraud in a payment without the card present.
  const network_reason_code = '10.4';
  return {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    // The stand-in keeps no balance.
    balance_transactions: [],
    charge: charge.id,
    created,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: created + responseSeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    network_reason_code,
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand, case_type: 'chargeback', network: brand, network_reason_code },
      type: 'card',
    },
    reason: 'fraudulent',
    status: 'needs_response',
  };
}
