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
