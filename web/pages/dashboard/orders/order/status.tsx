import type { ReactNode } from 'react';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { canShip } from '../../../../../contract/orders/to-ship.ts';
import { paymentPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { OrderTrain } from '../../../../components/order-train.tsx';
import { TrackLink } from '../../../../components/track-link.tsx';
import { haveSameStatus } from '../../account/my-orders/purchases.ts';
import { findRefundWord } from '../../account/my-orders/refund-texts.ts';
import { OrderAgain } from '../order-again.tsx';

const listParcels = ({ orders }: Purchase) => orders.flatMap(({ shipments = [] }) => shipments);

/** The link that tracks a purchase, if its parcels have one in common. */
export function findTracking(purchase: Purchase): string | undefined {
  const [first, ...others] = listParcels(purchase).map(({ trackingUrl }) => trackingUrl);
  return others.every((url) => url === first) ? first : undefined;
}

type Props = { purchase: Purchase; viewer: Viewer };

/** The status of the customer's own purchase in one line, with the next thing to do. */
export function Status({ purchase, viewer }: Props) {
  const { orders, holdUntil, latePayment } = purchase;
  const [order] = orders;
  // A late payment has a notice of its own.
  if (!order || latePayment !== undefined) return null;
  return (
    <section
      aria-label="Status"
      className="mb-10 flex flex-wrap items-center justify-between gap-x-8 gap-y-4 border-t-2 border-edge pt-4"
    >
      <div>
        <p className="font-serif text-xl">{describeStatus(purchase)}</p>
        {order.orderStatus === '' && holdUntil && (
          <p className="text-sm text-soft">
            {'Reserved for you until '}
            <Moment at={holdUntil} />
          </p>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        {order.orderStatus !== 'expired' && haveSameStatus(orders) && (
          <OrderTrain status={order.orderStatus} refund={findRefundWord(order)} />
        )}
        <Action purchase={purchase} viewer={viewer} />
      </div>
    </section>
  );
}

function describeStatus(purchase: Purchase): string {
  const { orders } = purchase;
  if (orders.some(({ orderStatus }) => orderStatus === 'expired'))
    return 'Not paid in time: the reservation has ended.';
  if (orders.some(({ orderStatus }) => orderStatus === '')) return 'Waiting for your payment.';
  const parcels = listParcels(purchase);
  const isComplete = !orders.some(canShip);
  if (parcels.length === 0)
    return isComplete ? 'Refunded. Nothing of it will be shipped.' : 'Paid. We’re preparing your parcel.';
  if (!isComplete) return 'Partly on its way. We’re preparing the rest.';
  const [carrier, ...others] = new Set(parcels.map((parcel) => parcel.carrier));
  return carrier && others.length === 0 ? `On its way with ${carrier}.` : 'On its way.';
}

function Action({ purchase, viewer }: Props): ReactNode {
  const [order] = purchase.orders;
  if (!order) return null;
  const { _id, number, orderStatus, price } = order;
  if (orderStatus === 'expired')
    return (
      <div className="print:hidden">
        <OrderAgain number={number} viewer={viewer} />
      </div>
    );
  if (orderStatus === '' && price > 0)
    return (
      // Loads a new document: only payment pages' security policy allows the provider.
      <ButtonLink to={`${paymentPages}/${_id}`} target="_self" className="print:hidden">
        Pay
      </ButtonLink>
    );
  return <TrackLink parcel={{ trackingUrl: findTracking(purchase) }} kind="primary" />;
}
