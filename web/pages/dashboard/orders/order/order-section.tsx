import type { ReactNode } from 'react';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Refund } from '../../../../../contract/orders/refunds.ts';
import type { Parcel } from '../../../../../contract/orders/shipping.ts';
import { addReviewPage, orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ButtonLink } from '../../../../components/button.tsx';
import { OrderTrain } from '../../../../components/order-train.tsx';
import { Thumbnail } from '../../../../components/thumbnail.tsx';
import { useMoney } from '../../../../shop.tsx';
import { findRefundWord } from '../../account/my-orders/refund-texts.ts';
import { describeToPack } from '../to-pack.ts';
import { DeleteOrder } from './delete-order.tsx';
import { Parcels } from './parcels.tsx';
import { isChargedBack } from './refund-all.ts';
import { RefundForm } from './refund-form.tsx';
import { RefundList } from './refund-list.tsx';
import { countReturnable, ReturnForm } from './return-form.tsx';
import { ShippingForm } from './shipping-form.tsx';

type Props = {
  order: Order;
  /** The number of other orders in its purchase. */
  others: number;
  /** The part of the purchase's delivery that can still be refunded. */
  deliveryRest: number;
  viewer: Viewer;
  formKey: string;
  isRefunding: boolean;
  isReturning: boolean;
  /** The failed refund that is being settled, and the form for it. */
  settling: string | null;
  owedForm: (refund: Refund) => ReactNode;
  /** The parcel whose tracking is being corrected here. */
  corrected: Parcel | undefined;
  /** Show the progress and the links to track parcels here, because the page does not show them for all orders together. */
  hasTrain: boolean;
  hasTrackLinks: boolean;
};

/** One order of a purchase: the tool, its progress, its parcel and its refunds. */
export function OrderSection({
  order,
  others,
  deliveryRest,
  viewer,
  formKey,
  isRefunding,
  isReturning,
  settling,
  owedForm,
  corrected,
  hasTrain,
  hasTrackLinks,
}: Props) {
  const money = useMoney();
  const {
    _id,
    number,
    product,
    orderQuantity,
    price,
    currency,
    orderStatus,
    refunded,
    owed = 0,
    paid,
  } = order;
  const isAdmin = viewer.role === 'admin';
  const isOwn = order.user === viewer.email;
  const toPack = isAdmin ? describeToPack(order) : undefined;
  const { shippedQuantity = orderQuantity, returnedQuantity = 0 } = order;
  const shipped = shippedQuantity < orderQuantity ? `${shippedQuantity}\u00a0shipped` : undefined;
  const returned =
    isAdmin && returnedQuantity > 0 ? `${returnedQuantity}\u00a0back\u00a0in\u00a0stock` : undefined;
  const pieces = [shipped, returned, toPack].filter((text) => text !== undefined);
  const canReturn = isAdmin && countReturnable(order) > 0;
  const canRefund = isAdmin && paid && refunded + owed < price && !isChargedBack(order);
  return (
    <section aria-labelledby={_id} className="mb-10 border-t-2 border-edge pt-4">
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <div className="w-20 shrink-0 sm:w-24">
          <Thumbnail img={order.img} />
        </div>
        <div className="min-w-[min(9rem,100%)] grow basis-0">
          <h2 id={_id} tabIndex={-1} className="text-xl wrap-anywhere">
            {product}
          </h2>
          <p className="figures text-soft">
            {`${formatQuantity(orderQuantity, 'piece')} for ${money.charged(price, currency)}`}
            {pieces.map((text) => `, ${text}`).join('')}
          </p>
        </div>
        {hasTrain && (
          <div className="max-sm:w-full max-sm:pl-24">
            <OrderTrain status={orderStatus} refund={findRefundWord(order)} />
          </div>
        )}
      </div>
      <Parcels order={order} viewer={viewer} corrected={corrected} hasLinks={hasTrackLinks} />
      {corrected && (
        <div className="my-4 border-t-2 border-edge pt-4">
          {/* The key resets the form, so that another parcel's form starts with that parcel's tracking. */}
          <ShippingForm key={corrected._id} orders={[order]} viewer={viewer} corrected={corrected} />
        </div>
      )}
      <RefundList order={order} isAdmin={isAdmin} settling={settling} form={owedForm} />
      {owed > 0 && (
        <p className="mt-4 max-w-text font-medium text-ruby">
          {isAdmin
            ? `${money.charged(owed, currency)} still owed: a refund has failed.`
            : `We still owe you ${money.charged(owed, currency)} because a refund has failed.`}
        </p>
      )}
      {isReturning && canReturn && <ReturnForm order={order} viewer={viewer} />}
      {isRefunding && canRefund && (
        <RefundForm order={order} viewer={viewer} formKey={formKey} deliveryRest={deliveryRest} />
      )}
      {isChargedBack(order) && refunded < price && (
        <p className="mt-4 max-w-text text-soft print:hidden">
          It cannot be refunded: the bank has taken the money back because of the dispute.
        </p>
      )}
      {!isRefunding && !corrected && (
        <p className="mt-4 flex flex-wrap gap-3 empty:hidden print:hidden">
          {canRefund && (
            <ButtonLink kind="plain" to={`${orderPages}/${number}?refund=${_id}`} preventScrollReset>
              Refund…<span className="sr-only">{` ${product}`}</span>
            </ButtonLink>
          )}
          {isOwn && orderStatus === '' && <DeleteOrder order={order} others={others} />}
          {isOwn && orderStatus === 'sipping' && (
            <ButtonLink kind="plain" to={`${addReviewPage}?product=${order.orderId}`}>
              Write a review<span className="sr-only">{` of ${product}`}</span>
            </ButtonLink>
          )}
          {canReturn && !isReturning && (
            <ButtonLink kind="plain" to={`${orderPages}/${number}?return=${_id}`} preventScrollReset>
              Record returned pieces…<span className="sr-only">{` ${product}`}</span>
            </ButtonLink>
          )}
        </p>
      )}
    </section>
  );
}
