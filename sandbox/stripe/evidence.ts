import type Stripe from 'stripe';
import { findForm, findText, params, type StripeForm, type StripeParams } from './form.ts';

const textFields = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_tracking_number: null,
  uncategorized_text: null,
};

/** The evidence of a new dispute. */
export const noEvidence: Stripe.Dispute.Evidence = {
  ...textFields,
  cancellation_policy: null,
  customer_communication: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  enhanced_evidence: {},
  receipt: null,
  refund_policy: null,
  service_documentation: null,
  shipping_documentation: null,
  uncategorized_file: null,
};

/** The fields of `evidence` that are accepted. Fields for uploaded files are not: the stand-in stores no files. */
export const evidenceParams: StripeParams = params(Object.keys(textFields).join(' '));

/** Parses the evidence in a request. Empty text removes the field's earlier evidence. */
export function readEvidence(form: StripeForm): Partial<Stripe.Dispute.Evidence> {
  const evidence = findForm(form, 'evidence');
  return Object.fromEntries(Object.keys(evidence).map((field) => [field, findText(evidence, field) ?? null]));
}

export const hasEvidence = (evidence: Stripe.Dispute.Evidence): boolean =>
  Object.values(evidence).some((value) => typeof value === 'string');
