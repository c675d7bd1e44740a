import { useNavigate } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { refundReason } from '../../../../../contract/orders/refunds.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useMoney } from '../../../../shop.tsx';
import { refundReasonLabels } from './refund.ts';
import { canRefundAll, findPurchaseRest, refundAllForm } from './refund-all.ts';
import { useFocusFirst } from './use-focus-first.ts';

type Props = { purchase: Purchase; viewer: Viewer; formKey: string };

/** Refunds all that is left of an order with several tools; a link until the admin has opened the form. */
export function RefundAll({ isOpen, ...props }: Props & { isOpen: boolean }) {
  const { purchase } = props;
  const money = useMoney();
  if (!canRefundAll(purchase)) return null;
  if (isOpen) return <RefundAllForm {...props} />;
  return (
    <p className="mb-10 print:hidden">
      <ButtonLink kind="plain" to={`${orderPages}/${purchase.number}?refund=all`} preventScrollReset>
        {`Refund the whole order, ${money.charged(findPurchaseRest(purchase).amount, purchase.currency)}…`}
      </ButtonLink>
    </p>
  );
}

function RefundAllForm({ purchase, viewer, formKey }: Props) {
  const page = `${orderPages}/${purchase.number}`;
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(refundAllForm, {
    viewer,
    formKey,
    draft: `${purchase._id} refund`,
    async onDone() {
      toast('Refund requested.');
      await navigate(page, { preventScrollReset: true });
      document.querySelector('h1')?.focus();
    },
  });
  const { rejectedValues } = form;
  useFocusFirst(form.draft.ref, rejectedValues !== undefined);
  const { amount, unshipped } = findPurchaseRest(purchase);

  return (
    <form
      {...form.props}
      aria-label="Refund the whole order"
      className="mb-10 max-w-text border-t-2 border-edge pt-4 print:hidden"
    >
      <FormStart form={form} version={purchase.version} />
      <input type="hidden" name="purchase" value={purchase._id} />
      <p className="mb-4">
        {`Refunds all that is left, ${money.charged(amount, purchase.currency)}. Unshipped pieces are not sent.`}
      </p>
      {unshipped > 0 && (
        <label className="mb-6 flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            name="restock"
            value="true"
            defaultChecked={rejectedValues ? rejectedValues.restock === 'true' : true}
            className="size-6 shrink-0"
          />
          {`Return the unshipped pieces to stock (${formatQuantity(unshipped, 'piece')})`}
        </label>
      )}
      <RadioField
        legend="Reason"
        field={{ name: 'reason' }}
        options={refundReason.options.map((value) => ({ value, label: refundReasonLabels[value] }))}
        chosen={rejectedValues?.reason}
        error={form.messageOf('reason')}
      />
      <TextArea
        label="Note (optional)"
        hint="Only admins see it."
        rows={2}
        maxLength={1000}
        {...form.field('note')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.isBusy}>
          {`Refund ${money.charged(amount, purchase.currency)}`}
        </Button>
        <ButtonLink kind="plain" to={page} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
