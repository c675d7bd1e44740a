import { useEffect, useRef, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { parseAmount, parsePieces, quantity } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { newRefund, refundReason } from '../../../../../contract/orders/refunds.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { createFormKey } from '../../../../client/api/idempotency.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { ErrorMessage } from '../../../../forms/fields/error-message.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { formatPriceInput } from '../../products/product/format-price-input.ts';
import { focusOrder } from './focus-order.ts';
import { createRefundForm, refundReasonLabels } from './refund.ts';

/** Refunds all or part of an order's remaining amount, and returns pieces to stock. */
export function RefundForm({ order, viewer, formKey }: { order: Order; viewer: Viewer; formKey: string }) {
  const refundable = Math.round((order.price - order.refunded) * 100) / 100;
  const restocked = (order.refunds ?? []).reduce((sum, { restock = 0 }) => sum + restock, 0);
  const restockable = order.orderQuantity - restocked;
  const isShipped = order.orderStatus === 'sipping';
  const unitPrice = order.price / order.orderQuantity;
  const rejected = useRejectedForm('refund');
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const definition = createRefundForm(order.number, order._id, key);
  const form = useShopForm(definition, rejected);
  const { isSubmitting, isSubmitted } = form.formState;
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email);
  const amountField = form.field('amount', formatPriceInput(refundable));
  const [amount, setAmount] = useState(() => parseAmount(amountField.defaultValue));
  const pieces = useRef<HTMLInputElement>(null);
  // The link that opened the form, and had the focus, is gone.
  useEffect(() => {
    if (!rejected) (pieces.current ?? document.getElementById('amount'))?.focus();
  }, [rejected]);
  const hydrated = useHydrated();
  const reasonError = form.messageOf('reason');

  function choosePieces(typed: string): void {
    const count = parsePieces(typed);
    const isPossible = quantity('Pieces').max(order.orderQuantity).safeParse(count).success;
    if (!isPossible || typeof count !== 'number') return;
    const next = Math.min(Math.round(count * unitPrice * 100) / 100, refundable);
    form.setValue('amount', next, { shouldValidate: isSubmitted });
    // `setValue` writes 26.5.
    const input = document.getElementById('amount');
    if (input instanceof HTMLInputElement) input.value = formatPriceInput(next);
    // Shipped pieces may be broken, or not back yet.
    if (!isShipped) form.setValue('restock', Math.min(count, restockable), { shouldValidate: isSubmitted });
    setAmount(next);
  }

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      const status = error instanceof ApiError ? error.problem.status : 0;
      // A rejected refund is recorded under this key, so another attempt needs a new one.
      if (status === 402) {
        setKey(createFormKey());
        // The form may disappear, if nothing is left to refund.
        toast(getErrorMessage(error), 'wrong');
      }
      // The order has changed. Without a response, reloading would fail as well and lose the input.
      if (status === 402 || status === 409) await revalidate();
      return;
    }
    toast(`The refund for ${order.product} is on its way.`);
    await navigate(definition.redirectTo, { preventScrollReset: true });
    focusOrder(order);
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      noValidate
      onSubmit={send}
      aria-label={`Refund ${order.product}`}
      className="mt-4 max-w-text border-t-2 border-edge pt-4"
    >
      <FormHead form={form} draft={draft} viewer={viewer} />
      <input type="hidden" name="key" value={key} />
      {order.orderQuantity > 1 && (
        <div className="noscript:hidden">
          <Field
            ref={pieces}
            id="refunded-pieces"
            label="Pieces to refund (optional)"
            hint={`Out of ${order.orderQuantity}, at ${money.charged(unitPrice, order.currency)} each. Fills in the amount${isShipped ? '' : ' and the pieces to return'}.`}
            inputMode="numeric"
            autoComplete="off"
            onChange={(event) => choosePieces(event.target.value)}
          />
        </div>
      )}
      <div className="field-row sm:grid-cols-2">
        <Field
          label="Amount"
          hint={`At most ${money.charged(refundable, order.currency)}.`}
          inputMode="decimal"
          autoComplete="off"
          {...amountField}
          onChange={(event) => {
            setAmount(parseAmount(event.target.value));
            if (pieces.current) pieces.current.value = '';
            return amountField.onChange(event);
          }}
        />
        <Field
          label="Pieces to return to stock"
          hint={
            restockable > 0
              ? `From 0 to ${restockable}. Enter 0 for broken pieces.`
              : 'All pieces have already been returned.'
          }
          inputMode="numeric"
          autoComplete="off"
          {...form.field('restock', '0')}
        />
      </div>
      <fieldset className="mb-6" aria-describedby={reasonError ? 'reason-error' : undefined}>
        <legend className="mb-1.5 text-sm font-medium">Reason</legend>
        {refundReason.options.map((reason, index) => (
          <label key={reason} className="flex min-h-11 items-center gap-3">
            <input
              type="radio"
              {...form.register('reason')}
              // The error summary links to the first.
              id={index === 0 ? 'reason' : undefined}
              value={reason}
              defaultChecked={rejected?.values.reason === reason}
              aria-invalid={reasonError ? true : undefined}
              className="size-6"
            />
            {refundReasonLabels[reason]}
          </label>
        ))}
        {reasonError && <ErrorMessage id="reason-error">{reasonError}</ErrorMessage>}
      </fieldset>
      <TextArea
        label="Note (optional)"
        hint="Only admins see it."
        rows={2}
        maxLength={1000}
        {...form.field('note')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={isSubmitting}>
          {hydrated && isAmount(amount) ? `Refund ${money.charged(amount, order.currency)}` : 'Refund'}
        </Button>
        <ButtonLink
          kind="plain"
          to={definition.redirectTo}
          preventScrollReset
          onClick={() => focusOrder(order)}
        >
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}

const isAmount = (input: unknown): input is number =>
  typeof input === 'number' && newRefund.shape.amount.safeParse(input).success;
