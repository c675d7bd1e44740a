import type { DeliveryEstimate } from '../../../contract/delivery/quotes.ts';
import { deliveryPage } from '../../../contract/page-addresses.ts';
import { Link } from '../link.tsx';

type Props = {
  estimate: DeliveryEstimate | undefined;
  formatAmount: (amount: number) => string;
};

/**
 * The delivery charge, within the element of a price and below it; nothing as long as the shop has no delivery rates. A charge that
 * the customer cannot avoid looks like the price itself: where the price depends on the whole order, section 230 of the Digital
 * Markets, Competition and Consumers Act 2024 (UK) asks for this information with as much prominence as the price. Any other charge
 * is smaller.
 */
export function DeliveryNote({ estimate, formatAmount }: Props) {
  if (!estimate) return null;
  const { price, from, pickup } = estimate;
  let label = 'plus delivery';
  if (price === 0) label = from ? 'delivery' : 'free delivery';
  else if (price === undefined && pickup) label = 'collection only';
  return (
    <span className={price && !pickup ? 'block' : 'block font-sans text-sm text-soft'}>
      {/* On a card, above the link that covers it. */}
      <Link to={deliveryPage} className="link relative z-30">
        {label}
      </Link>
      {price !== undefined && (price || from) ? ` ${from ? 'from ' : ''}${formatAmount(price)}` : ''}
    </span>
  );
}
