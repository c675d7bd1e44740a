const disputedWhilePending = 'charge_for_pending_refund_disputed';

/** https://docs.stripe.com/api/refunds/object#refund_object-failure_reason */
const refundFailures = new Map([
  [disputedWhilePending, 'The customer disputed the payment while the refund was pending.'],
  ['declined', 'The refund was declined.'],
  ['expired_or_canceled_card', 'The card has expired or was cancelled.'],
  ['insufficient_funds', 'The balance at the payment provider was too low.'],
  ['lost_or_stolen_card', 'The card was lost or stolen.'],
  ['merchant_request', 'The shop asked the payment provider to stop the refund.'],
  ['unknown', 'The payment provider does not know why.'],
]);

/** Why a refund failed. If the provider refused it, `failure` is already the provider's own sentence. */
export const describeRefundFailure = (failure: string): string => refundFailures.get(failure) ?? failure;

/** Tells an admin why a refund failed and how to pay the customer back. */
export function describeFailedRefund(failure: string, day: string): string {
  if (failure === disputedWhilePending)
    return `It failed on ${day}. Respond to the dispute instead, or the customer could get the money twice.`;
  // Perhaps nothing is owed: the order may have been refunded at the provider already.
  if (failure !== '' && !refundFailures.has(failure)) return `The payment provider refused it on ${day}.`;
  return `It failed on ${day}. Pay the customer back another way.`;
}

/** https://docs.stripe.com/api/disputes/object#dispute_object-reason */
const disputeReasons = new Map([
  ['bank_cannot_process', 'The bank could not process the payment.'],
  ['check_returned', 'The bank returned the check.'],
  ['credit_not_processed', 'The cardholder says they returned or cancelled the order and got no refund.'],
  ['customer_initiated', 'The cardholder asked the bank to take the payment back.'],
  ['debit_not_authorized', 'The account holder says they did not authorize this payment.'],
  ['duplicate', 'The cardholder says they were charged twice.'],
  ['fraudulent', 'The cardholder says they did not make this payment.'],
  ['general', 'The bank gives no particular reason.'],
  ['incorrect_account_details', 'The bank says that the account details were wrong.'],
  ['insufficient_funds', 'The account did not have enough money.'],
  ['noncompliant', 'The bank says that the payment broke the card network’s rules.'],
  ['product_not_received', 'The cardholder says the order has not arrived.'],
  ['product_unacceptable', 'The cardholder says the order was damaged or not as described.'],
  ['subscription_canceled', 'The cardholder says they had cancelled a subscription.'],
  ['unrecognized', 'The cardholder does not recognize this payment.'],
]);

/** Undocumented reasons are shown as the provider sends them. */
export const describeDisputeReason = (reason: string): string =>
  disputeReasons.get(reason) ?? `Reason: ${reason.replaceAll('_', ' ')}.`;
