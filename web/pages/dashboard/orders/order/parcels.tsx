import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Parcel } from '../../../../../contract/orders/shipping.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Link } from '../../../../components/link.tsx';
import { ShippedLine } from '../../../../components/shipped-line.tsx';
import { TrackLink } from '../../../../components/track-link.tsx';
import { HiddenFields } from '../../../../forms/fields/hidden-fields.tsx';
import { useButtonForm } from '../../../../forms/use-button-form.ts';
import { undoneMessage } from '../use-undo.tsx';
import { focusOrder } from './focus-order.ts';
import { undoForm } from './undo.ts';

type Props = {
  order: Order;
  viewer: Viewer;
  /** The parcel whose tracking is being corrected. */
  corrected: Parcel | undefined;
  /** Link to the carriers' pages about the parcels. */
  hasLinks: boolean;
};

/** The parcels of an order. An admin can correct their tracking and, for a minute, take one back. */
export function Parcels({ order, viewer, corrected, hasLinks }: Props) {
  const { _id, number, shipments = [], orderQuantity, product } = order;
  if (shipments.length === 0) return null;
  return (
    <ul className="mt-3">
      {shipments.map((parcel) => (
        <li key={parcel._id} className="mb-2">
          <ShippedLine
            parcel={parcel}
            pieces={parcel.quantity < orderQuantity ? formatQuantity(parcel.quantity, 'piece') : undefined}
          />
          {hasLinks && (
            <p className="mt-2 empty:hidden">
              <TrackLink parcel={parcel} product={product} />
            </p>
          )}
          {viewer.role === 'admin' && parcel !== corrected && (
            <Link
              to={`${orderPages}/${number}?tracking=${_id}&parcel=${parcel._id}`}
              preventScrollReset
              className="link link-alone print:hidden"
            >
              {parcel.trackingNumber || parcel.carrier ? 'Correct tracking…' : 'Add tracking…'}
              <span className="sr-only">{` ${[product, parcel.trackingNumber].filter(Boolean).join(', ')}`}</span>
            </Link>
          )}
          {parcel.canUndo && <UndoForm order={order} shipment={parcel._id} viewer={viewer} />}
        </li>
      ))}
    </ul>
  );
}

function UndoForm({ order, shipment, viewer }: { order: Order; shipment: string; viewer: Viewer }) {
  const toast = useToast();
  const form = useButtonForm(undoForm, {
    viewer,
    onDone() {
      toast(undoneMessage);
      // The button is about to disappear.
      focusOrder(order);
    },
  });
  return (
    <form {...form.props} className="mt-1 print:hidden">
      <HiddenFields form={form} />
      <input type="hidden" name="shipment" value={shipment} />
      <Button type="submit" kind="plain" busy={form.isBusy}>
        Undo<span className="sr-only">{` the parcel of ${order.product}`}</span>
      </Button>
    </form>
  );
}
