import type { Parcel } from '../../contract/orders/shipping.ts';
import { getButtonClass } from './button.tsx';

type Props = {
  /** A parcel, or an order with the tracking of its last parcel. */
  parcel: Pick<Parcel, 'trackingUrl'>;
  /** Tells screen readers which of several parcels it is. */
  product?: string;
  kind?: 'primary' | 'plain';
};

/** Leads to the carrier's page about a parcel, if there is one. */
export function TrackLink({ parcel: { trackingUrl }, product, kind = 'plain' }: Props) {
  if (!trackingUrl) return null;
  return (
    // Don't tell the carrier which page linked to it.
    <a
      href={trackingUrl}
      rel="noreferrer"
      className={`${getButtonClass(kind)} wrap-anywhere max-sm:px-3 print:hidden`}
    >
      Track the parcel{product && <span className="sr-only">{` (${product})`}</span>}
    </a>
  );
}
