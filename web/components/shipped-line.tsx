import type { Parcel } from '../../contract/orders/shipping.ts';
import { useLocalDay } from './moment.tsx';

type Props = {
  /** A parcel, or a shipped order with the tracking of its last parcel. */
  parcel: Pick<Parcel, 'shippedAt' | 'carrier' | 'trackingNumber'>;
  /** The content of the parcel, such as `2 of 5 pieces`. Absent if the parcel has the whole order. */
  pieces?: string | undefined;
};

/** "Shipped on 21 Nov 2026 with UPS.", without the unknown parts. */
export function ShippedLine({ parcel, pieces }: Props) {
  const { shippedAt, carrier, trackingNumber } = parcel;
  const date = useLocalDay(shippedAt);
  return (
    <span className="figures block wrap-anywhere">
      {`${pieces ? `${pieces} shipped` : 'Shipped'} on ${date}${carrier ? ` with ${carrier}` : ''}.`}
      {trackingNumber && (
        <span className="block text-sm text-soft">{`Tracking number ${trackingNumber}`}</span>
      )}
    </span>
  );
}
