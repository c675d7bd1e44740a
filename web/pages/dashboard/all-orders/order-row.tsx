import { useState } from 'react';
import type { Order, OrderStatus } from '../../../../contract/orders.ts';
import { Button } from '../../../components/button.tsx';
import { createContactLink } from '../../../components/contact-link.ts';
import { Moment } from '../../../components/moment.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Cell } from '../../../components/table.tsx';
import { useMoney } from '../../../shop.tsx';

type Props = {
  order: Order;
  onShip: (order: Order) => Promise<void>;
  onDelete: (order: Order) => void;
};

/** An order with its customer and the one action that is possible: ship or delete. */
export function AdminOrderRow({ order, onShip, onDelete }: Props) {
  const money = useMoney();
  const { _id, number, product, createdAt, orderQuantity, price, currency, orderStatus, transactionId } =
    order;
  return (
    <tr id={_id} tabIndex={-1}>
      <Cell>
        <span>
          <span
            id={`${_id}-product`}
            className="block font-serif text-lg leading-tight wrap-anywhere sm:min-w-36"
          >
            {product}
          </span>
          <span className="figures block text-soft">{`Order ${number}`}</span>
          <span className="block text-soft">
            <Moment at={createdAt} />
          </span>
          {transactionId && (
            <span className="block text-xs break-all text-soft">Transaction {transactionId}</span>
          )}
        </span>
      </Cell>
      <Cell label="Customer">
        <Customer order={order} />
      </Cell>
      <Cell label="Quantity" number>
        {orderQuantity}
      </Cell>
      <Cell label="Total" number>
        {money.table(price, currency)}
      </Cell>
      <Cell label="Status">
        <Status status={orderStatus} />
      </Cell>
      {order.paid ? (
        <Cell label="Ship" number>
          <ShipButton order={order} onShip={onShip} />
        </Cell>
      ) : (
        <Cell number>
          <Button kind="danger" onClick={() => onDelete(order)}>
            Delete<span className="sr-only"> the order of {product}</span>
          </Button>
        </Cell>
      )}
    </tr>
  );
}

/** Labelled with the status, as specified; pressing it changes "paid" to "sipping". */
function ShipButton({ order, onShip }: Pick<Props, 'order' | 'onShip'>) {
  const [busy, setBusy] = useState(false);
  const shipped = order.orderStatus === 'sipping';
  return (
    <Button
      kind={shipped ? 'plain' : 'primary'}
      disabled={shipped}
      busy={busy}
      aria-label={shipped ? undefined : `Ship, now ${order.orderStatus}`}
      aria-describedby={`${order._id}-product`}
      className="min-w-24"
      onClick={() => {
        setBusy(true);
        void onShip(order).finally(() => setBusy(false));
      }}
    >
      {order.orderStatus}
    </Button>
  );
}

function Customer({ order }: { order: Order }) {
  const { userName, user, phone, address } = order;
  return (
    <span className="block min-w-0 wrap-anywhere sm:min-w-52">
      <span className="block font-medium">{userName}</span>
      <a href={createContactLink('mailto', user)} className="link block max-sm:link-alone">
        {user}
      </a>
      {phone && (
        <a href={createContactLink('tel', phone)} className="link block max-sm:link-alone">
          {phone}
        </a>
      )}
      <span className="block whitespace-pre-line text-soft">{address || 'No address given'}</span>
    </span>
  );
}

const states: Record<OrderStatus, { tone: 'done' | 'open' | 'wrong'; word: string }> = {
  '': { tone: 'open', word: 'unpaid' },
  expired: { tone: 'wrong', word: 'hold ended' },
  paid: { tone: 'done', word: 'paid' },
  sipping: { tone: 'done', word: 'shipped' },
};

function Status({ status }: { status: OrderStatus }) {
  const { tone, word } = states[status];
  return <StatusBadge tone={tone}>{word}</StatusBadge>;
}
