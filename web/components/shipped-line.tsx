import type { Order } from '../../contract/orders/orders.ts';
import { useLocalDay } from './moment.tsx';

/** "Shipped on 21 Nov 2026 with UPS, track it", without the unknown parts. Renders nothing for an unshipped order. */
export function ShippedLine({ order }: { order: Order }) {
  const { orderStatus, shippedAt, carrier, trackingNumber, trackingUrl, product } = order;
  const date = useLocalDay(shippedAt ?? order.createdAt);
  if (orderStatus !== 'sipping') return null;
  const day = shippedAt ? ` on ${date}` : '';
  return (
    <span className="figures block wrap-anywhere">
      {`Shipped${day}${carrier ? ` with ${carrier}` : ''}`}
      {trackingUrl && (
        <>
          {', '}
          {/* Don't tell the carrier which page linked to it. */}
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
