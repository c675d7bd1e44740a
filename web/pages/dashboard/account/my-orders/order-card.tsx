import type { ReactNode } from 'react';
import { chargeNames } from '../../../../../contract/delivery/charge-names.ts';
import { formatDays } from '../../../../../contract/moment.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { addReviewPage, orderPages, paymentPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment, useLocalDay } from '../../../../components/moment.tsx';
import { OrderTrain } from '../../../../components/order-train.tsx';
import { OrderedTool } from '../../../../components/ordered-tool.tsx';
import { ShippedLine } from '../../../../components/shipped-line.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { TrackLink } from '../../../../components/track-link.tsx';
import { useMoney, useSettings } from '../../../../shop.tsx';
import { canChangeDelivery, toDeliveryForm } from '../../orders/order/delivery.ts';
import { OrderAgainButton } from '../../orders/order-again.tsx';
import { describeAmount } from '../payment/charge-lines.tsx';
import { haveSameStatus, type PurchaseOrders, sumAmounts } from './purchases.ts';
import { findRefundWord, listRefundTexts } from './refund-texts.ts';

/** A purchase: its number, its progress, one sentence about its status, its tools, and what to do next. */
export function OrderCard({ orders, viewer }: { orders: PurchaseOrders; viewer: Viewer }) {
  const money = useMoney();
  const [order, ...others] = orders;
  const { number, createdAt, currency, charges = [] } = order;
  const isShared = haveSameStatus(orders);
  const isSingle = others.length === 0;
  // The specification wants the word with the transaction's id, and a shipped or refunded order's train has another word.
  const isMarkedPaid = orders.some((line) => line.orderStatus === 'paid' && !findRefundWord(line));
  return (
    <article aria-labelledby={number} className="border-t-2 border-edge pt-4 pb-8 break-inside-avoid">
      <div className="flex flex-wrap gap-x-4">
        <div className="min-w-[min(9rem,100%)] grow basis-0">
          <h2 id={number} className="text-xl">
            <Link to={`${orderPages}/${number}`} className="figures text-ink no-underline hover:underline">
              {`Order ${number}`}
            </Link>
          </h2>
          <p className="figures text-sm text-soft">
            {!isSingle && `${orders.length} tools together · `}
            <Moment at={createdAt} />
          </p>
        </div>
        {isShared && order.orderStatus !== 'expired' && <Progress order={order} />}
      </div>
      <Status orders={orders} isShared={isShared} />
      <ul className="mt-3 border-b border-rule">
        {orders.map((line) => (
          <li key={line._id} id={line._id} tabIndex={-1} className="border-t border-rule py-3">
            <OrderedTool order={line} inTable>
              {!isShared && <Progress order={line} />}
              {(!isSingle || line.orderStatus !== 'sipping') && <LastParcel order={line} />}
              <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 empty:hidden">
                {!isSingle && <TrackLink parcel={line} product={line.product} />}
                {line.orderStatus === 'sipping' && <ReviewLink order={line} />}
              </div>
              {!line.paid && !isSingle && <DeleteButton order={line} inLine />}
            </OrderedTool>
          </li>
        ))}
      </ul>
      {charges.map(({ kind, label, amount }) => (
        <Sum key={kind} term={`${chargeNames[kind]}, ${label}`}>
          {describeAmount(amount, money.table(amount, currency))}
        </Sum>
      ))}
      {(!isSingle || charges.length > 0) && (
        <Sum term="Total">
          {money.table(
            sumAmounts([...orders.map(({ price }) => price), ...charges.map(({ amount }) => amount)]),
            currency,
          )}
        </Sum>
      )}
      <div className="mt-4 flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <Address orders={orders} viewer={viewer} />
        <Actions orders={orders} />
      </div>
      {order.paid && (
        <p className="mt-3 text-xs wrap-anywhere text-soft">
          {`${isMarkedPaid ? '' : 'paid · '}Transaction ${order.transactionId}`}
        </p>
      )}
    </article>
  );
}

const Sum = ({ term, children }: { term: string; children: string }) => (
  <p className="figures flex items-baseline justify-between gap-x-4 border-b border-rule py-3">
    <span className="min-w-0 wrap-anywhere">{term}</span>
    <span className="shrink-0 font-serif text-lg">{children}</span>
  </p>
);

const Progress = ({ order }: { order: Order }) => (
  <OrderTrain status={order.orderStatus} refund={findRefundWord(order)} />
);

type StatusProps = { orders: PurchaseOrders; isShared: boolean };

/** The status as a sentence with its date. The train beside the number has the word. */
function Status({ orders, isShared }: StatusProps) {
  const [order] = orders;
  const refund = isShared ? findRefundWord(order) : undefined;
  const isShipped = isShared && order.orderStatus === 'sipping';
  return (
    <div className="mt-2">
      {order.disputed && (
        <p>
          <StatusBadge tone="open">disputed</StatusBadge>
        </p>
      )}
      <Sentence orders={orders} isShipped={isShipped} refund={refund} />
      {order.arrives && !orders.every(findRefundWord) && (
        <p className="figures">{`Promised for ${formatDays(order.arrives.from, order.arrives.to)}`}</p>
      )}
      <Refunded orders={orders} />
    </div>
  );
}

type SentenceProps = { orders: PurchaseOrders; isShipped: boolean; refund: string | undefined };

function Sentence({ orders: [order, ...others], isShipped, refund }: SentenceProps): ReactNode {
  const paidOn = useLocalDay(order.paidAt ?? order.createdAt);
  const { delivers } = useSettings();
  if (order.orderStatus === 'expired')
    return (
      <>
        <p>
          <StatusBadge tone="wrong">reservation ended</StatusBadge>
        </p>
        <p>It was not paid in time. You can order again, at today’s prices.</p>
      </>
    );
  if (!order.paid)
    return (
      <p>
        {delivers ? 'Reserved until ' : 'Waiting for your payment. Reserved for you until '}
        {order.holdUntil && <Moment at={order.holdUntil} />}
      </p>
    );
  if (isShipped && others.length === 0) return <LastParcel order={order} />;
  if (isShipped) return <p className="figures">{`Paid on ${paidOn}, and all of it has been shipped.`}</p>;
  if (refund) return <p className="figures">{`Paid on ${paidOn}. Nothing of it will be shipped.`}</p>;
  const orders = [order, ...others];
  if (orders.every((one) => one.orderStatus === 'sipping' || findRefundWord(one)))
    return <p className="figures">{`Paid on ${paidOn}. All that is not refunded has been shipped.`}</p>;
  const isPart = orders.some(({ shippedQuantity }) => shippedQuantity);
  return (
    <p className="figures">
      {isPart ? `Paid on ${paidOn}. The rest is not shipped yet.` : `Paid on ${paidOn}, not shipped yet.`}
    </p>
  );
}

/** The number of shipped pieces, and the tracking of the last parcel. The order's page has the other parcels. */
function LastParcel({ order }: { order: Order }) {
  const { orderStatus, shippedQuantity, shippedAt, orderQuantity } = order;
  if (shippedAt === undefined) return null;
  const isPart = orderStatus === 'paid';
  return (
    <ShippedLine
      parcel={{ ...order, shippedAt }}
      pieces={isPart ? `${shippedQuantity} of ${orderQuantity} pieces` : undefined}
    />
  );
}

function Refunded({ orders }: { orders: PurchaseOrders }) {
  const money = useMoney();
  const [{ number, currency, charges = [] }] = orders;
  const parts = [...orders, ...charges];
  const refunded = sumAmounts(parts.map((part) => part.refunded ?? 0));
  const refundPending = sumAmounts(parts.map((part) => part.refundPending ?? 0));
  if (refunded === 0) return null;
  return (
    <Link to={`${orderPages}/${number}`} className="figures link block w-fit max-sm:link-alone">
      {listRefundTexts({ refunded, refundPending, currency }, money).join(', ')}
    </Link>
  );
}

/** The delivery address or the place to collect it, with a link to change it until the first piece is shipped. */
function Address({ orders, viewer }: { orders: PurchaseOrders; viewer: Viewer }) {
  const { delivers } = useSettings();
  const [{ _id, number, address, pickup, paid }] = orders;
  const place = pickup ? `Collect it: ${pickup}` : address && `To ${address}`;
  return (
    <div className="min-w-0 text-sm">
      <p className="whitespace-pre-line wrap-anywhere text-soft">{place || 'No address given'}</p>
      {canChangeDelivery({ orders }, viewer) && !orders.every(findRefundWord) && (
        <Link
          {...toDeliveryForm({ _id, number }, delivers === true && !paid)}
          className="link link-alone print:hidden"
        >
          {place ? 'Change' : 'Add an address'}
          <span className="sr-only">{` for order ${number}`}</span>
        </Link>
      )}
    </div>
  );
}

/** Buttons that pay or delete an unpaid purchase, or order another purchase again. */
function Actions({ orders }: { orders: PurchaseOrders }) {
  const [order, ...others] = orders;
  const { _id, number, orderStatus, product, price } = order;
  const purpose = others.length > 0 ? `the ${orders.length} tools of ${number}` : product;
  return (
    <div className="flex flex-wrap gap-3 print:hidden">
      {others.length === 0 && <TrackLink parcel={order} product={product} />}
      {orderStatus === '' && price > 0 && (
        // Loads a new document: only payment pages' security policy allows the provider.
        <ButtonLink to={`${paymentPages}/${_id}`} target="_self">
          Pay<span className="sr-only">{` for ${purpose}`}</span>
        </ButtonLink>
      )}
      {orderStatus !== '' && (
        <OrderAgainButton
          number={number}
          purpose={purpose}
          kind={orderStatus === 'expired' ? 'primary' : 'plain'}
        />
      )}
      {!order.paid && others.length === 0 && <DeleteButton order={order} />}
    </div>
  );
}

/** Submits the form around the list. */
function DeleteButton({ order: { _id, product }, inLine = false }: { order: Order; inLine?: boolean }) {
  const props = { type: 'submit', name: 'delete', value: _id } as const;
  const label = (
    <>
      Delete<span className="sr-only">{` the order for ${product}`}</span>
    </>
  );
  if (!inLine)
    return (
      <Button {...props} kind="danger">
        {label}
      </Button>
    );
  return (
    <button
      {...props}
      className="min-h-11 min-w-11 cursor-pointer text-left text-sm text-ruby underline-offset-4 hover:underline print:hidden"
    >
      {label}
    </button>
  );
}

/** A link to write a review. If there is one already, the review page says so. */
function ReviewLink({ order: { orderId, product } }: { order: Order }) {
  return (
    <Link
      to={`${addReviewPage}?product=${orderId}`}
      className="link block w-fit py-0.5 text-sm max-sm:link-alone print:hidden"
    >
      Write a review<span className="sr-only">{` of ${product}`}</span>
    </Link>
  );
}
