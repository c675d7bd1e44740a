/** https://docs.stripe.com/api/disputes/object#dispute_object-reason */
const disputeReasons = new Map([
  ['bank_cannot_process', 'The bank could not process the payment.'],
  ['check_returned', 'The bank returned the cheque.'],
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
