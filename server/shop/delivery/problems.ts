import type { QuoteProblem } from '../../../contract/delivery/quotes.ts';
import { ShopError } from '../../../contract/errors.ts';

const explanations: Record<QuoteProblem, string> = {
  no_rate: 'We do not deliver to this address.',
  not_to: 'A tool of this order is not sent to this country.',
  address: 'Enter the address that we send this order to.',
  postcode: 'Enter the postcode: the delivery costs depend on it.',
  rate_gone: 'Choose how this order is sent.',
  other_currency: 'Our delivery costs are in another currency than this order.',
  too_heavy: 'This order is too heavy for the delivery that we offer to this address.',
};

/** The error of a purchase that cannot be paid, because it is not clear where or how it is sent. */
export function checkoutIncomplete(problems: QuoteProblem[]): ShopError {
  const [first = 'rate_gone'] = problems;
  return new ShopError('checkout_incomplete', explanations[first], { data: { problems } });
}
