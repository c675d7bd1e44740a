import { describeDisputeReason } from '../../../../../contract/orders/dispute-reasons.ts';
import type { Dispute } from '../../../../../contract/orders/refunds.ts';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { Moment } from '../../../../components/moment.tsx';

/** `disputes` are only sent to admins. */
export function Disputed({ disputes }: { disputes: Dispute[] | undefined }) {
  if (!disputes) return <Notice>You have disputed this payment, and your bank is looking into it.</Notice>;
  return disputes
    .filter(({ isOpen }) => isOpen)
    .map(({ _id, status, reason, respondBy }) => (
      <Notice key={_id} error announced={false}>
        <p className="font-medium">{`The customer has disputed this payment. ${describeDisputeReason(reason)}`}</p>
        {status.endsWith('needs_response') ? (
          <p>
            Respond in Stripe’s dashboard, or accept the dispute there. Without a response, the money is lost.
            {respondBy && (
              <span className="block">
                Deadline: <Moment at={respondBy} />
              </span>
            )}
          </p>
        ) : (
          <p>Evidence has been submitted. Wait for the bank’s decision.</p>
        )}
      </Notice>
    ));
}
