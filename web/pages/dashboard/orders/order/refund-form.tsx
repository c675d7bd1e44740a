import { useEffect, useRef, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import { parseAmount, parsePieces, quantity } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { newRefund, refundReason } from '../../../../../contract/orders/refunds.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getErrorMessage } from '../../../../client/api/error-message.ts';
import { createFormKey } from '../../../../client/api/idempotency.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { KeyField } from '../../../../forms/fields/key-field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { formatPriceInput } from '../../products/product/format-price-input.ts';
import { focusOrder } from './focus-order.ts';
import { createRefundForm, refundReasonLabels } from './refund.ts';

/** Refunds all or part of an order's remaining amount and pieces, and returns unshipped pieces to stock. */
export function RefundForm({ order, viewer, formKey }: { order: Order; viewer: Viewer; formKey: string }) {
  const refundable = Math.round((order.price - order.refunded - (order.owed ?? 0)) * 100) / 100;
  const left = order.orderQuantity - (order.refundedQuantity ?? 0);
  /** Only these can return to stock with the refund. Shipped pieces return when they come back. */
  const unshipped = order.orderStatus === 'paid' ? countLeft(order) : 0;
  const toRestock = (count: number) => Math.min(count, unshipped);
  const unitPrice = order.price / order.orderQuantity;
  const rejected = useRejectedForm('refund');
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const definition = createRefundForm(order.number, order._id, key, order.version);
  const form = useShopForm(definition, rejected);
  const { isSubmitting, isSubmitted } = form.formState;
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const quantityField = form.field('quantity');
  const amountField = form.field('amount', formatPriceInput(refundable));
  const restockField = form.field('restock', '0');
  const [amount, setAmount] = useState(() => parseAmount(amountField.defaultValue));
  /** Whether changing the amount also fills in the pieces. False once the admin has entered pieces. */
  const followsAmount = useRef(false);
  /** The values that the script filled in last. Any other value was typed by the admin and is kept. */
  const filled = useRef<{ amount: unknown; restock: unknown }>({ amount: refundable, restock: undefined });
  const isInitialized = useRef(false);
  // Runs once, before the draft is restored, which overrides these values.
  useEffect(() => {
    if (rejected || isInitialized.current) return;
    isInitialized.current = true;
    const inputs = ['quantity', 'amount', 'restock'].map((id) => document.getElementById(id));
    const [first, amountInput] = inputs;
    // Typed before this script ran.
    if (inputs.some((input) => input instanceof HTMLInputElement && input.value !== input.defaultValue)) {
      if (amountInput instanceof HTMLInputElement) setAmount(parseAmount(amountInput.value));
      return;
    }
    followsAmount.current = true;
    fillInPieces(left);
    // The link that opened the form, and had the focus, is gone.
    if (first instanceof HTMLInputElement) {
      first.focus();
      first.select();
    }
  });
  const draft = useDraft(viewer.email, order._id);
  const hydrated = useHydrated();

  function fillInPieces(count: number): void {
    form.setValue('quantity', count || undefined, { shouldValidate: isSubmitted });
    fillInRestock(count);
  }

  function fillInRestock(count: number): void {
    filled.current.restock = toRestock(count);
    form.setValue('restock', toRestock(count), { shouldValidate: isSubmitted });
  }

  function choosePieces(typed: string): void {
    followsAmount.current = false;
    const count = parsePieces(typed) ?? 0;
    const isPossible = quantity('Pieces', 0).max(left).safeParse(count).success;
    if (!isPossible || typeof count !== 'number') return;
    const { restock } = form.getValues();
    if (restock === filled.current.restock || count === 0) fillInRestock(count);
    // Without pieces, the price is lowered by an amount that the admin has to enter.
    if (count === 0 && amount !== filled.current.amount) return;
    const next = count === 0 ? undefined : Math.min(Math.round(count * unitPrice * 100) / 100, refundable);
    form.setValue('amount', next, { shouldValidate: isSubmitted });
    // `setValue` writes 26.5.
    const input = document.getElementById('amount');
    if (input instanceof HTMLInputElement) input.value = next === undefined ? '' : formatPriceInput(next);
    setAmount(next);
    filled.current.amount = next;
  }

  function chooseAmount(typed: string): void {
    const next = parseAmount(typed);
    setAmount(next);
    if (followsAmount.current) fillInPieces(next === refundable ? left : 0);
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
    toast(`Refund for ${order.product} requested.`);
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
      <FormHead form={form} draft={draft} viewer={viewer} version={order.version} />
      <KeyField value={key} onChange={setKey} />
      <Field
        label="Pieces to refund (optional)"
        hint={
          left > 0
            ? `At most ${left}, at ${money.charged(unitPrice, order.currency)} each. Leave empty to lower the price only.`
            : 'No pieces are left to refund, but you can still refund an amount.'
        }
        inputMode="numeric"
        autoComplete="off"
        // These three fill in each other, so a draft keeps them together.
        data-draft="always"
        {...quantityField}
        onChange={(event) => {
          choosePieces(event.target.value);
          return quantityField.onChange(event);
        }}
      />
      <div className="field-row sm:grid-cols-2">
        <Field
          label="Amount to refund"
          hint={`At most ${money.charged(refundable, order.currency)}.`}
          inputMode="decimal"
          autoComplete="off"
          data-draft="always"
          {...amountField}
          onChange={(event) => {
            chooseAmount(event.target.value);
            return amountField.onChange(event);
          }}
        />
        {unshipped > 0 && (
          <Field
            label="Pieces to return to stock"
            hint={`At most ${unshipped}, which ${unshipped === 1 ? 'is' : 'are'} not shipped. Do not count broken pieces.`}
            inputMode="numeric"
            autoComplete="off"
            data-draft="always"
            {...restockField}
            onChange={(event) => {
              followsAmount.current = false;
              return restockField.onChange(event);
            }}
          />
        )}
      </div>
      {unshipped > 0 && (
        <label className="mb-6 flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            value="true"
            defaultChecked={rejected?.values.stillSend === 'true'}
            className="size-6 shrink-0"
            {...form.register('stillSend')}
          />
          Send the remaining pieces even if everything is refunded
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
