import type { QuoteProblem } from '../../../contract/delivery/quotes.ts';
import { ShopError } from '../../../contract/errors.ts';

const explanations: Record<QuoteProblem, string> = {
  no_rate: 'We do not deliver to this address.',
  not_to: 'We do not send one of the tools in this order to this country.',
  address: 'Enter the address that we send this order to.',
  postcode: 'Enter the postcode: the delivery costs depend on it.',
  rate_gone: 'Choose a delivery option for this order.',
  other_currency: 'Our delivery costs are in a different currency from this order.',
  too_heavy: 'This order is too heavy for the delivery that we offer to this address.',
};

/** The error of a purchase that cannot be paid, because it is not clear where or how it is sent. */
export function checkoutIncomplete(problems: QuoteProblem[]): ShopError {
  const [first = 'rate_gone'] = problems;
  return new ShopError('checkout_incomplete', explanations[first], { data: { problems } });
}
