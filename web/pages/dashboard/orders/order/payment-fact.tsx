import { chargeNames } from '../../../../../contract/delivery/charge-names.ts';
import { formatDays } from '../../../../../contract/moment.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Moment } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';
import { sumAmounts } from '../../account/my-orders/purchases.ts';
import { describeAmount } from '../../account/payment/charge-lines.tsx';
import { Fact } from './fact.tsx';
import { ProviderLink } from './provider-link.tsx';

type Props = { purchase: Purchase; viewer: Viewer };

/** How a purchase was paid, and what has been refunded, is pending, or was charged back. */
export function PaymentFacts({ purchase, viewer }: Props) {
  const { orders, price, currency, charges = [], arrives, unassignedRefunds = [] } = purchase;
  const money = useMoney();
  const refunds = [...[...orders, ...charges].flatMap(({ refunds = [] }) => refunds), ...unassignedRefunds];
  const pending = sumAmounts(
    refunds.filter(({ status }) => status === 'pending').map(({ amount }) => amount),
  );
  // Computed from the purchase, because customers don't get the refunds that are not assigned to a tool.
  const refunded = sumAmounts([purchase.refunded, -pending]);
  const chargedBack = viewer.role === 'admin' ? orders[0]?.chargedBack : undefined;
  return (
    <>
      {charges.map(({ kind, label, amount, owed }) => (
        <Fact key={kind} term={chargeNames[kind]}>
          {`${label}, ${describeAmount(amount, money.charged(amount, currency))}`}
          {arrives && <span className="block">{`Promised for ${formatDays(arrives.from, arrives.to)}`}</span>}
          {owed !== undefined && (
            <span className="block text-ruby">{`${money.charged(owed, currency)} still owed`}</span>
          )}
        </Fact>
      ))}
      <Fact term="Total">{money.charged(price, currency)}</Fact>
      {refunded > 0 && <Fact term="Refunded">{money.charged(refunded, currency)}</Fact>}
      {pending > 0 && <Fact term="Refund pending">{money.charged(pending, currency)}</Fact>}
      {chargedBack !== undefined && <Fact term="Charged back">{money.charged(chargedBack, currency)}</Fact>}
      <Fact term="Payment">
        <Payment purchase={purchase} viewer={viewer} />
      </Fact>
    </>
  );
}

function Payment({ purchase: { orders, paidAt, latePayment }, viewer }: Props) {
  const [order] = orders;
  if (!order) return null;
  if (order.orderStatus === 'expired')
    return latePayment
      ? 'Found after the reservation had ended.'
      : 'Not paid in time; the reservation has ended.';
  if (!order.paid) return 'Not paid yet.';
  return (
    <>
      {paidAt ? <Moment at={paidAt} /> : 'Paid'}
      <span className="block text-xs wrap-anywhere text-soft">Transaction {order.transactionId}</span>
      {viewer.role === 'admin' && order.transactionId && <ProviderLink intent={order.transactionId} />}
    </>
  );
}
