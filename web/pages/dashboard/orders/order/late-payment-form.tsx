import { type FormEvent, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { settledMessage } from '../settled-message.ts';
import { ProviderLink } from './provider-link.tsx';

/** A payment that was found after its order had expired and its stock was gone. An admin accepts or refunds it. */
export function LatePayment({ purchase, viewer }: { purchase: Purchase; viewer: Viewer }) {
  const { latePayment } = purchase;
  if (latePayment === undefined) return null;
  if (viewer.role !== 'admin')
    return (
      <Notice>
        We found your payment for this order after its reservation had ended, and some of its tools may be
        gone. We’ll send the order, or refund you in full. You don’t need to do anything.
      </Notice>
    );
  return <LatePaymentForm purchase={purchase} payment={latePayment} viewer={viewer} />;
}

type FormProps = { purchase: Purchase; payment: string; viewer: Viewer };

function LatePaymentForm({ purchase: { version }, payment, viewer }: FormProps) {
  const [busy, setBusy] = useState(false);
  const toast = useToast();
  const { revalidate } = useRevalidator();

  async function settle(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (busy || !(submitter instanceof HTMLButtonElement)) return;
    setBusy(true);
    const outcome = submitter.value === 'accepted' ? 'accepted' : 'refunded';
    try {
      const body = { version, outcome } as const;
      await getSession().client.call('settleLatePayment', { params: { id: payment }, body });
      toast(settledMessage);
      document.querySelector('h1')?.focus();
    } catch (error) {
      toast(getErrorMessage(error), 'wrong');
    }
    setBusy(false);
    await revalidate();
  }

  return (
    <Notice error announced={false}>
      <p className="font-medium">
        The customer paid in time, but the payment was found after the reservation had ended, and not all
        tools are in stock.
      </p>
      <p className="mb-3">
        Accept the payment once you have the pieces: that takes them out of stock. Otherwise refund it.
      </p>
      <ProviderLink intent={payment} />
      <form method="post" onSubmit={settle} className="mt-3 flex flex-wrap gap-3 print:hidden">
        <input type="hidden" name="viewer" value={viewer._id} />
        <input type="hidden" name="form" value="late" />
        <input type="hidden" name="version" value={version} />
        <input type="hidden" name="payment" value={payment} />
        <Button type="submit" name="outcome" value="accepted" busy={busy}>
          Accept the payment
        </Button>
        <Button type="submit" name="outcome" value="refunded" kind="danger" busy={busy}>
          Refund the payment
        </Button>
      </form>
    </Notice>
  );
}
