import { type FormEvent, useState } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { ShippedLine } from '../../../../components/shipped-line.tsx';
import { useUndo } from '../use-undo.tsx';
import { focusOrder } from './focus-order.ts';

/** The parcels of an order. For a minute, an admin can take one back. */
export function Parcels({ order, viewer }: { order: Order; viewer: Viewer }) {
  const { shipments = [], orderQuantity, product } = order;
  if (shipments.length === 0) return null;
  return (
    <ul className="mt-3">
      {shipments.map((parcel) => (
        <li key={parcel._id} className="mb-2">
          <ShippedLine
            parcel={parcel}
            product={product}
            pieces={parcel.quantity < orderQuantity ? formatQuantity(parcel.quantity, 'piece') : undefined}
          />
          {parcel.canUndo && <UndoForm order={order} shipment={parcel._id} viewer={viewer} />}
        </li>
      ))}
    </ul>
  );
}

function UndoForm({ order, shipment, viewer }: { order: Order; shipment: string; viewer: Viewer }) {
  const { undo } = useUndo();
  const [busy, setBusy] = useState(false);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    await undo([{ id: shipment, number: order.number }]);
    setBusy(false);
    // The button is gone.
    focusOrder(order);
  }

  return (
    <form method="post" onSubmit={send} className="mt-1 print:hidden">
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="form" value="undo" />
      <input type="hidden" name="shipment" value={shipment} />
      <Button type="submit" kind="plain" busy={busy}>
        Undo<span className="sr-only">{` the parcel of ${order.product}`}</span>
      </Button>
    </form>
  );
}
