import type { Order } from '../../../../../contract/orders/orders.ts';
import { addReviewPage, orderPages, paymentPages } from '../../../../../contract/page-addresses.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { OrderTrain } from '../../../../components/order-train.tsx';
import { ShippedLine } from '../../../../components/shipped-line.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { useMoney } from '../../../../shop.tsx';
import { OrderAgainButton } from '../../orders/order-again.tsx';
import { type PurchaseOrders, sumAmounts } from './purchases.ts';
import { findRefundWord, listRefundTexts, type RefundWord } from './refund-texts.ts';

/** The orders of a purchase. Several share a row with the number, the address, Pay and, if it is the same, the progress. */
export function PurchaseRows({ orders }: { orders: PurchaseOrders }) {
  const [order, ...others] = orders;
  if (others.length === 0) return <OrderRow order={order} />;
  const isShared = others.every(
    (other) => other.orderStatus === order.orderStatus && findRefundWord(other) === findRefundWord(order),
  );
  return (
    <>
      <PurchaseRow orders={orders} hasProgress={isShared} />
      {orders.map((line) => (
        <LineRow key={line._id} order={line} hasProgress={!isShared} />
      ))}
    </>
  );
}

/** The only order of a purchase: with Pay and Delete while unpaid, with the transaction id once paid. */
function OrderRow({ order }: { order: Order }) {
  const money = useMoney();
  const { product, createdAt, orderQuantity, price, currency } = order;
  return (
    <tr id={order._id} tabIndex={-1}>
      <td>
        <span className="block min-w-0 wrap-anywhere sm:min-w-36">
          <span className="block font-serif text-lg">{product}</span>
          <NumberAndAddress order={order} />
        </span>
      </td>
      <td data-label="Ordered">
        <span>
          <Moment at={createdAt} />
        </span>
      </td>
      <td data-label="Quantity" className="number">
        {orderQuantity}
      </td>
      <td data-label="Total" className="number">
        {money.table(price, currency)}
      </td>
      <td data-label="Progress">
        <Progress order={order} />
      </td>
      <td data-label="Payment">
        {order.paid ? (
          <span>
            <Paid order={order} refund={findRefundWord(order)} />
            <ReviewLink order={order} />
          </span>
        ) : (
          <span className="flex flex-col gap-2">
            <Hold order={order} />
            <span className="flex flex-wrap gap-2 print:hidden">
              {price > 0 && <NextStep order={order} purpose={product} />}
              <DeleteButton order={order} />
            </span>
          </span>
        )}
      </td>
    </tr>
  );
}

/** The columns that the orders of a purchase share. On a phone, their rows (`line` in `table.css`) continue its card. */
function PurchaseRow({ orders, hasProgress }: { orders: PurchaseOrders; hasProgress: boolean }) {
  const money = useMoney();
  const [order] = orders;
  return (
    <tr>
      <td>
        <span className="block min-w-0 wrap-anywhere sm:min-w-36">
          <span className="block font-serif text-lg">{`${orders.length} tools together`}</span>
          <NumberAndAddress order={order} />
        </span>
      </td>
      <td data-label="Ordered">
        <span>
          <Moment at={order.createdAt} />
        </span>
      </td>
      <td data-label="Total" className="number" colSpan={2}>
        {money.table(sumAmounts(orders.map(({ price }) => price)), order.currency)}
      </td>
      <td data-label="Progress">{hasProgress && <Progress order={order} />}</td>
      <td data-label="Payment">
        {order.paid ? (
          <Paid
            isShared
            refund={hasProgress ? findRefundWord(order) : undefined}
            order={{
              ...order,
              orderStatus: 'paid',
              refunded: sumAmounts(orders.map(({ refunded }) => refunded)),
              refundPending: sumAmounts(orders.map(({ refundPending = 0 }) => refundPending)),
            }}
          />
        ) : (
          <span className="flex flex-col items-start gap-2">
            <Hold order={order} />
            <span className="print:hidden">
              <NextStep order={order} purpose={`the ${orders.length} tools of ${order.number}`} />
            </span>
          </span>
        )}
      </td>
    </tr>
  );
}

/** One of several orders of a purchase. */
function LineRow({ order, hasProgress }: { order: Order; hasProgress: boolean }) {
  const money = useMoney();
  const { product, orderQuantity, price, currency, paid } = order;
  return (
    <tr id={order._id} tabIndex={-1} className="line">
      <td colSpan={2}>
        <span>
          {product}
          {paid && (
            <>
              <br />
              <ReviewLink order={order} />
            </>
          )}
        </span>
      </td>
      <td data-label="Quantity" className="number">
        {orderQuantity}
      </td>
      <td data-label="Total" className="number">
        {money.table(price, currency)}
      </td>
      <td data-label={hasProgress ? 'Progress' : undefined} colSpan={paid ? 2 : undefined}>
        {order.shippedQuantity ? (
          <span className="block">
            {hasProgress && <Progress order={order} />}
            <LastParcel order={order} />
          </span>
        ) : (
          hasProgress && <Progress order={order} />
        )}
      </td>
      {!paid && (
        <td>
          <DeleteButton order={order} className="justify-self-start print:hidden" />
        </td>
      )}
    </tr>
  );
}

const Progress = ({ order }: { order: Order }) => (
  <OrderTrain status={order.orderStatus} refund={findRefundWord(order)} />
);

function NumberAndAddress({ order: { number, address } }: { order: Order }) {
  return (
    <>
      <Link to={`${orderPages}/${number}`} className="figures link block max-sm:link-alone">
        {`Order ${number}`}
      </Link>
      <span className="block whitespace-pre-line text-soft">
        {address ? `To ${address}` : 'No address given'}
      </span>
    </>
  );
}

/** Pays an unpaid purchase, or orders one again that was not paid in time. */
function NextStep({ order, purpose }: { order: Order; purpose: string }) {
  if (order.orderStatus === 'expired') return <OrderAgainButton number={order.number} purpose={purpose} />;
  // Loads a new document: only payment pages' security policy allows the provider.
  return (
    <ButtonLink to={`${paymentPages}/${order._id}`} target="_self">
      Pay<span className="sr-only">{` for ${purpose}`}</span>
    </ButtonLink>
  );
}

/** Submits the form around the table. */
function DeleteButton({ order: { _id, product }, className }: { order: Order; className?: string }) {
  return (
    <Button type="submit" name="delete" value={_id} kind="danger" className={className}>
      Delete<span className="sr-only">{` the order for ${product}`}</span>
    </Button>
  );
}

type PaidProps = { order: Order; refund: RefundWord | undefined; isShared?: boolean };

/** The row that the orders of a purchase share has no parcel: each of them has its own. */
function Paid({ order, refund, isShared = false }: PaidProps) {
  return (
    <span>
      <span className="flex flex-wrap gap-x-4">
        <StatusBadge tone="done">paid</StatusBadge>
        {refund && <StatusBadge tone={refund === 'refunded' ? 'done' : 'open'}>{refund}</StatusBadge>}
        {order.orderStatus === 'sipping' && <StatusBadge tone="done">shipped</StatusBadge>}
        {order.disputed && <StatusBadge tone="open">disputed</StatusBadge>}
      </span>
      {!isShared && <LastParcel order={order} />}
      <Refunded order={order} />
      <span className="block text-xs wrap-anywhere text-soft">Transaction {order.transactionId}</span>
    </span>
  );
}

/** How much is shipped, and the tracking of the last parcel, if there is one. The order's page has the others. */
function LastParcel({ order }: { order: Order }) {
  const { orderStatus, shippedQuantity, shippedAt, orderQuantity, product } = order;
  if (shippedAt === undefined) return null;
  const isPart = orderStatus === 'paid';
  return (
    <ShippedLine
      parcel={{ ...order, shippedAt }}
      product={product}
      pieces={isPart ? `${shippedQuantity} of ${orderQuantity} pieces` : undefined}
    />
  );
}

/** Without a link to edit it: the page says so if there is a review already. */
function ReviewLink({ order: { orderId, product } }: { order: Order }) {
  return (
    <Link
      to={`${addReviewPage}?product=${orderId}`}
      className="link block w-fit py-0.5 font-sans text-sm max-sm:link-alone print:hidden"
    >
      Write a review<span className="sr-only">{` of ${product}`}</span>
    </Link>
  );
}

function Refunded({ order }: { order: Order }) {
  const money = useMoney();
  if (order.refunded === 0) return null;
  return (
    <Link to={`${orderPages}/${order.number}`} className="figures link block max-sm:link-alone">
      {listRefundTexts(order, money).join(', ')}
    </Link>
  );
}

function Hold({ order }: { order: Order }) {
  if (order.orderStatus === 'expired') return <StatusBadge tone="wrong">reservation ended</StatusBadge>;
  if (!order.holdUntil) return null;
  return (
    <span className="text-soft">
      Reserved for you until <Moment at={order.holdUntil} />
    </span>
  );
}
