import type { Order } from '../../../../contract/orders.ts';
import { Button, ButtonLink } from '../../../components/button.tsx';
import { Moment } from '../../../components/moment.tsx';
import { OrderTrain } from '../../../components/order-train.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Cell } from '../../../components/table.tsx';
import { useMoney } from '../../../shop.tsx';

type Props = {
  order: Order;
  /** The id after which the current page of the list starts. */
  after: string | null;
  onDelete: (order: Order) => void;
};

/** An order: with Pay and Delete while unpaid, with the transaction id once paid. */
export function MyOrderRow({ order, after, onDelete }: Props) {
  const money = useMoney();
  const { _id, product, createdAt, orderQuantity, price, currency, orderStatus, address } = order;
  return (
    <tr>
      <Cell>
        <span className="block min-w-0 wrap-anywhere sm:min-w-36">
          <span className="block font-serif text-lg leading-tight">{product}</span>
          <span className="block whitespace-pre-line text-soft">
            {address ? `To ${address}` : 'No address given'}
          </span>
        </span>
      </Cell>
      <Cell label="Ordered">
        <span>
          <Moment at={createdAt} />
        </span>
      </Cell>
      <Cell label="Quantity" number>
        {orderQuantity}
      </Cell>
      <Cell label="Total" number>
        {money.table(price, currency)}
      </Cell>
      <Cell label="Progress">
        <OrderTrain status={orderStatus} />
      </Cell>
      <Cell label="Payment">
        {order.paid ? (
          <Paid order={order} />
        ) : (
          <span className="flex flex-col gap-2">
            <Hold order={order} />
            <span className="flex flex-wrap gap-2 print:hidden">
              {price > 0 && (
                // A new document: only payment pages' security policy allows the provider.
                <ButtonLink to={`/dashboard/payment/${_id}`} reloadDocument>
                  Pay<span className="sr-only"> for {product}</span>
                </ButtonLink>
              )}
              {/* Without scripts, this opens the confirmation form. */}
              <form
                onSubmit={(event) => {
                  event.preventDefault();
                  onDelete(order);
                }}
              >
                {after && <input type="hidden" name="after" value={after} />}
                <Button type="submit" name="delete" value={_id} kind="danger">
                  Delete<span className="sr-only"> the order of {product}</span>
                </Button>
              </form>
            </span>
          </span>
        )}
      </Cell>
    </tr>
  );
}

function Paid({ order }: { order: Order }) {
  return (
    <span>
      <span className="flex flex-wrap gap-x-4">
        <StatusBadge tone="done">paid</StatusBadge>
        {order.orderStatus === 'sipping' && <StatusBadge tone="done">shipped</StatusBadge>}
      </span>
      <span className="block text-xs break-all text-soft">Transaction {order.transactionId}</span>
    </span>
  );
}

function Hold({ order }: { order: Order }) {
  if (order.orderStatus === 'expired') return <StatusBadge tone="wrong">hold ended</StatusBadge>;
  if (!order.holdUntil) return null;
  return (
    <span className="text-soft">
      Kept for you until <Moment at={order.holdUntil} />
    </span>
  );
}
