import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { AutomaticRefund } from '../../../../../contract/orders/refunds.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useLocalDay } from '../../../../components/moment.tsx';
import { useMoney } from '../../../../shop.tsx';
import { ProviderLink } from './provider-link.tsx';
import { describeRefundFailure } from './provider-reasons.ts';

/** The automatic refunds of payments that did not count towards the order, such as a second payment. */
export function AutomaticRefunds({ purchase, viewer }: { purchase: Purchase; viewer: Viewer }) {
  const { automaticRefunds = [], paid } = purchase;
  const isAdmin = viewer.role === 'admin';
  return automaticRefunds.map((refund) => (
    <Notice
      key={refund._id}
      error={isAdmin && (refund.status === 'failed' || refund.status === 'canceled')}
      announced={false}
    >
      <p>
        <Outcome refund={refund} what={paid ? 'A second payment' : 'A payment'} isAdmin={isAdmin} />
      </p>
      {isAdmin && (
        <>
          {refund.failure && <p>{describeRefundFailure(refund.failure)}</p>}
          <ProviderLink intent={refund.transactionId} />
        </>
      )}
    </Notice>
  ));
}

type OutcomeProps = { refund: AutomaticRefund; what: string; isAdmin: boolean };

function Outcome({ refund: { status, amount, currency, updatedAt }, what, isAdmin }: OutcomeProps) {
  const payment = `${what} of ${useMoney().charged(amount, currency)}`;
  const day = useLocalDay(updatedAt);
  if (status === 'pending') return `${payment} is being refunded automatically.`;
  if (status === 'succeeded')
    return `${payment} was refunded automatically on ${day}. It can take the bank 5 to 10 business days to credit it.`;
  if (isAdmin)
    return `${payment} was to be refunded automatically, but the refund failed on ${day}. Try again in Stripe, or pay the customer back another way.`;
  return `${payment} could not be refunded to the card. We’ll pay it back another way.`;
}
