import type { Order } from '../../contract/orders.ts';
import { formatDay } from './moment.tsx';

/** "Shipped on 21 Nov 2026 with UPS, track it", as far as it is known. Renders nothing for an order that is not shipped. */
export function ShippedLine({ order }: { order: Order }) {
  const { orderStatus, shippedAt, carrier, trackingNumber, trackingUrl, product } = order;
  if (orderStatus !== 'sipping') return null;
  const day = shippedAt ? ` on ${formatDay(shippedAt)}` : '';
  return (
    <span className="figures block wrap-anywhere">
      {`Shipped${day}${carrier ? ` with ${carrier}` : ''}`}
      {trackingUrl && (
        <>
          {', '}
          {/* The carrier need not know which page led to it. */}
          <a href={trackingUrl} rel="noreferrer" className="link whitespace-nowrap">
            track it<span className="sr-only">{` (${product})`}</span>
          </a>
        </>
      )}
      {trackingNumber && (
        <span className="block text-sm text-soft">{`Tracking number ${trackingNumber}`}</span>
      )}
    </span>
  );
}
