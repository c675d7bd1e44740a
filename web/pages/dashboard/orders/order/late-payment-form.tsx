import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { settledMessage } from '../settled-message.ts';
import { lateForm } from './late-payment.ts';
import { ProviderLink } from './provider-link.tsx';

/** Asks an admin to accept or refund a payment that was found after the order had expired and the stock was gone. */
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
  const toast = useToast();
  const form = usePageForm(lateForm, {
    viewer,
    onDone() {
      toast(settledMessage);
      document.querySelector('h1')?.focus();
    },
  });

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
      <form {...form.props} className="mt-3 print:hidden">
        <FormStart form={form} version={version} />
        <input type="hidden" name="payment" value={payment} />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" name="outcome" value="accepted" busy={form.isBusy}>
            Accept the payment
          </Button>
          <Button type="submit" name="outcome" value="refunded" kind="danger" busy={form.isBusy}>
            Refund the payment
          </Button>
        </div>
      </form>
    </Notice>
  );
}
