import { useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { formatQuantity } from '../../../../../contract/admin/health-format.ts';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import { refundReason } from '../../../../../contract/orders/refunds.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { createFormKey } from '../../../../client/api/idempotency.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { TextArea } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { refundReasonLabels } from './refund.ts';
import { canRefundAll, createRefundAllForm, findRest } from './refund-all.ts';
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
      <ButtonLink kind="plain" to={`/dashboard/orders/${purchase.number}?refund=all`} preventScrollReset>
        {`Refund the whole order, ${money.charged(findRest(purchase).amount, purchase.currency)}…`}
      </ButtonLink>
    </p>
  );
}

function RefundAllForm({ purchase, viewer, formKey }: Props) {
  const rejected = useRejectedForm('refund-all');
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const definition = createRefundAllForm(purchase, key, purchase.version);
  const form = useShopForm(definition, rejected);
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email, `${purchase._id} refund`);
  useFocusFirst(draft.ref, rejected !== undefined);
  const { amount, unshipped } = findRest(purchase);

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      const status = error instanceof ApiError ? error.problem.status : 0;
      // A refused refund is recorded under this key, so another attempt needs a new one.
      if (status === 402) {
        setKey(createFormKey());
        // The form may disappear, if nothing is left to refund.
        toast(getErrorMessage(error), 'wrong');
      }
      if (status === 402 || status === 409) await revalidate();
      return;
    }
    toast('Refund requested.');
    await navigate(definition.redirectTo, { preventScrollReset: true });
    document.querySelector('h1')?.focus();
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      noValidate
      onSubmit={send}
      aria-label="Refund the whole order"
      className="mb-10 max-w-text border-t-2 border-edge pt-4 print:hidden"
    >
      <FormHead form={form} draft={draft} viewer={viewer} version={purchase.version} />
      <input type="hidden" name="form" value={definition.name} />
      {/* Kept with the input: a refund whose response was lost is not requested again. */}
      <input
        type="text"
        hidden
        data-draft="always"
        autoComplete="off"
        name="key"
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <p className="mb-4">
        {`Refunds all that is left, ${money.charged(amount, purchase.currency)}. Unshipped pieces are not sent.`}
      </p>
      {unshipped > 0 && (
        <label className="mb-6 flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            value="true"
            defaultChecked={rejected ? rejected.values.restock === 'true' : true}
            className="size-6 shrink-0"
            {...form.register('restock')}
          />
          {`Return the unshipped pieces to stock (${formatQuantity(unshipped, 'piece')})`}
        </label>
      )}
      <RadioField
        legend="Reason"
        field={form.register('reason')}
        options={refundReason.options.map((value) => ({ value, label: refundReasonLabels[value] }))}
        chosen={rejected?.values.reason}
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
        <Button type="submit" busy={form.formState.isSubmitting}>
          {`Refund ${money.charged(amount, purchase.currency)}`}
        </Button>
        <ButtonLink kind="plain" to={definition.redirectTo} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
