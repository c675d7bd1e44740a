import { ApiError } from '../../../client/client.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/feedback/notice.tsx';

/** A payment that succeeded but is not recorded yet; `reason` is set if it never will be. */
export type Unrecorded = { transactionId: string; reason: string | undefined };

/** Why a payment can never pay this order; the shop refunds such a payment. */
export function findFinalReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, detail } = error.problem;
  if (status === 404)
    return 'This order no longer exists. If your card was charged, the money will be refunded.';
  return status === 409 ? detail : undefined;
}

type Props = { payment: Unrecorded; busy: boolean; onRetry: () => void };

export function UnrecordedPayment({ payment: { transactionId, reason }, busy, onRetry }: Props) {
  const transaction = (
    <p className="text-sm">
      Transaction <span className="break-all">{transactionId}</span>
    </p>
  );
  if (reason)
    return (
      <Notice error>
        <p className="mb-2 font-medium">{reason}</p>
        {transaction}
      </Notice>
    );
  return (
    <Notice announced>
      <p className="mb-2 font-medium">Your payment has arrived, but the shop could not record it yet.</p>
      <p className="mb-2 text-sm">Do not pay again: the shop will record it automatically.</p>
      {transaction}
      <Button kind="plain" busy={busy} className="mt-4" onClick={onRetry}>
        Retry
      </Button>
    </Notice>
  );
}
