import { useState } from 'react';
import type { Order, OrderStatus } from '../../../../../contract/orders/orders.ts';
import { countLeft, isRefundedUnshipped, isToShip } from '../../../../../contract/orders/to-ship.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import { Button } from '../../../../components/button.tsx';
import { ProductImage } from '../../../../components/catalogue/product-image.tsx';
import { Link } from '../../../../components/link.tsx';
import { Moment } from '../../../../components/moment.tsx';
import { StatusBadge } from '../../../../components/status-badge.tsx';
import { Cell } from '../../../../components/table.tsx';
import { useMoney } from '../../../../shop.tsx';
import { listRefundTexts } from '../../account/my-orders/refund-texts.ts';
import { rowButton } from '../../row-button.ts';
import { EmailLink, PhoneLink } from '../contact-links.tsx';
import { describeToPack } from '../to-pack.ts';
import { findShippingWarning } from './shipping-warning.ts';

type Props = {
  order: Order;
  /** The row above is of the same purchase: its customer and transaction are not repeated. */
  isContinued: boolean;
  isSelected: boolean;
  onSelect: (id: string) => void;
  onShip: (order: Order) => Promise<void>;
  onDelete: (order: Order) => void;
};

/** An order with its customer and the one action that is possible: ship or delete. */
export function AdminOrderRow({ order, isContinued, isSelected, onSelect, onShip, onDelete }: Props) {
  const money = useMoney();
  const { _id, number, product, img, createdAt, orderQuantity } = order;
  const toPack = describeToPack(order);
  const { price, currency, orderStatus, transactionId } = order;
  return (
    <tr id={_id} tabIndex={-1} className="order-card">
      <Cell>
        <span className="flex gap-2 @max-[43rem]:flex-wrap">
          <label className="noscript:hidden -my-2.5 -ml-2 flex size-11 shrink-0 cursor-pointer items-center justify-center">
            <input
              type="checkbox"
              checked={isSelected}
              onChange={() => onSelect(_id)}
              aria-label={`Select order ${number}, ${product}`}
              className="size-6"
            />
          </label>
          {/* A narrow table has no room for it. */}
          <span className="w-14 shrink-0 self-start border border-rule @min-[43rem]:w-10 @min-[43rem]:@max-[56rem]:hidden">
            {img ? <ProductImage img={img} alt="" sizes="3.5rem" /> : <span className="block aspect-4/3" />}
          </span>
          <span className="min-w-0 grow self-baseline @max-[43rem]:min-w-[min(9rem,100%)] @max-[43rem]:basis-0">
            <span
              id={`${_id}-product`}
              className="block font-serif text-lg leading-tight wrap-anywhere @min-[43rem]:min-w-32 @min-[43rem]:xl:min-w-72"
            >
              {product}
            </span>
            <span className="flex flex-wrap gap-x-3 @max-[43rem]:block">
              <Link
                to={`${orderPages}/${number}`}
                className="figures link -my-0.5 shrink-0 py-0.5 max-sm:link-alone max-sm:my-0"
              >
                {`Order ${number}`}
              </Link>
              {transactionId && !isContinued && (
                <OneLine className="text-xs leading-6" text={`Transaction ${transactionId}`} />
              )}
            </span>
            <span className="block text-xs text-soft">
              <Moment at={createdAt} />
            </span>
          </span>
        </span>
      </Cell>
      <Cell label="Customer">
        <Customer order={order} isContinued={isContinued} />
      </Cell>
      <Cell label="Quantity" number>
        <span>
          {orderQuantity}
          {toPack && <span className="block text-soft">{toPack}</span>}
        </span>
      </Cell>
      <Cell label="Total" number>
        {money.table(price, currency)}
      </Cell>
      <Cell label="Status">
        {/* Wide enough for an order that is shipped, with its tracking number, so that shipping it moves no row. */}
        <span className="flex flex-col gap-y-1 xl:min-w-22">
          {!isRefundedUnshipped(order) && <Status status={orderStatus} />}
          {order.trackingNumber && (
            <span className="figures text-xs leading-tight break-all text-soft @min-[43rem]:w-22">
              {`${order.carrier ?? 'Tracking number'} ${order.trackingNumber}`}
            </span>
          )}
          {order.disputed && <StatusBadge tone="wrong">disputed</StatusBadge>}
          {order.unassigned !== undefined && isToShip(order) && <StatusBadge tone="wrong">check</StatusBadge>}
          {order.chargedBack !== undefined && <StatusBadge tone="wrong">charged back</StatusBadge>}
          <Refunds order={order} />
        </span>
      </Cell>
      {order.paid ? (
        <Cell label="Ship" number>
          {orderStatus === 'paid' && countLeft(order) === 0 ? (
            <span className="block text-soft @min-[43rem]:ml-auto @min-[43rem]:w-20 @min-[43rem]:whitespace-normal">
              Nothing to ship
            </span>
          ) : (
            <ShipButton order={order} onShip={onShip} />
          )}
        </Cell>
      ) : (
        <Cell number>
          <Button
            kind="quiet"
            className="min-w-11 justify-end px-0 @min-[43rem]:min-h-8 @min-[43rem]:py-0.5"
            onClick={() => onDelete(order)}
          >
            Delete<span className="sr-only"> the order for {product}</span>
          </Button>
        </Cell>
      )}
    </tr>
  );
}

/** A badge for an order that is refunded as a whole, otherwise the amounts. */
function Refunds({ order }: { order: Order }) {
  const money = useMoney();
  const { refunded, refundPending = 0, price } = order;
  if (refunded >= price && refundPending === 0) return <StatusBadge tone="done">refunded</StatusBadge>;
  if (refundPending >= price) return <StatusBadge tone="open">refund pending</StatusBadge>;
  return listRefundTexts(order, money).map((text) => (
    <span key={text} className="figures text-soft">
      {text}
    </span>
  ));
}

/** Labelled with the status, as specified; pressing it changes "paid" to "sipping". */
function ShipButton({ order, onShip }: Pick<Props, 'order' | 'onShip'>) {
  const [busy, setBusy] = useState(false);
  const shipped = order.orderStatus === 'sipping';
  const isDoubtful = findShippingWarning(order) !== undefined;
  return (
    <Button
      kind={shipped || isDoubtful ? 'plain' : 'primary'}
      disabled={shipped}
      busy={busy}
      aria-label={shipped ? undefined : `Ship, now ${order.orderStatus}`}
      aria-describedby={`${order._id}-product`}
      className={`min-w-20 ${rowButton}`}
      onClick={() => {
        setBusy(true);
        void onShip(order).finally(() => setBusy(false));
      }}
    >
      {order.orderStatus}
    </Button>
  );
}

/** Text on a single line. In a table's row, its end may be cut off; a card shows all of it. */
const OneLine = ({ className = '', text }: { className?: string; text: string }) => (
  <span
    title={text}
    className={`block grow whitespace-pre-line text-soft @min-[43rem]:w-16 @min-[43rem]:truncate ${className}`}
  >
    {text}
  </span>
);

function Customer({ order, isContinued }: Pick<Props, 'order' | 'isContinued'>) {
  const { userName, user, phone, address } = order;
  return (
    <span className="block min-w-0 wrap-anywhere @min-[43rem]:min-w-36 @min-[43rem]:xl:min-w-56">
      {isContinued ? (
        <>
          <span className="block font-medium">{userName}</span>
          <span className="block text-soft">Same order, same address.</span>
        </>
      ) : (
        <>
          <span className="block font-medium">{userName}</span>
          <EmailLink email={user} />
          <span className="flex flex-wrap gap-x-3 @max-[43rem]:block">
            <PhoneLink phone={phone} className="-my-0.5 shrink-0 max-sm:my-0" />
            <OneLine text={address || 'No address given'} />
          </span>
        </>
      )}
    </span>
  );
}

const states: Record<OrderStatus, { tone: 'done' | 'open' | 'wrong'; word: string }> = {
  '': { tone: 'open', word: 'unpaid' },
  expired: { tone: 'wrong', word: 'not paid in time' },
  paid: { tone: 'done', word: 'paid' },
  sipping: { tone: 'done', word: 'shipped' },
};

function Status({ status }: { status: OrderStatus }) {
  const { tone, word } = states[status];
  return <StatusBadge tone={tone}>{word}</StatusBadge>;
}
