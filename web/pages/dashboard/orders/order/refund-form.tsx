import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { parseAmount, parsePieces, quantity } from '../../../../../contract/fields.ts';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { newRefund, refundReason } from '../../../../../contract/orders/refunds.ts';
import { countLeft } from '../../../../../contract/orders/to-ship.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { useHydrated } from '../../../../client/hydration.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Field, TextArea } from '../../../../forms/fields/field.tsx';
import { RadioField } from '../../../../forms/fields/radio-field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useMoney } from '../../../../shop.tsx';
import { sumAmounts } from '../../account/my-orders/purchases.ts';
import { formatPriceInput } from '../../products/product/format-price-input.ts';
import { focusOrder } from './focus-order.ts';
import { refundForm, refundReasonLabels } from './refund.ts';
import { useFocusFirst } from './use-focus-first.ts';

type Props = {
  order: Order;
  /** The part of the purchase's delivery that can still be refunded. */
  deliveryRest: number;
  viewer: Viewer;
  formKey: string;
};

/**
 * Refunds all or part of an order's remaining amount and pieces, and of the purchase's delivery, and returns unshipped pieces to
 * stock. The form starts with one piece.
 */
export function RefundForm({ order, deliveryRest, viewer, formKey }: Props) {
  const page = `${orderPages}/${order.number}`;
  const refundable = Math.round((order.price - order.refunded - (order.owed ?? 0)) * 100) / 100;
  const left = order.orderQuantity - (order.refundedQuantity ?? 0);
  /** Only unshipped pieces can return to stock with the refund. Shipped pieces are recorded when they come back. */
  const unshipped = order.orderStatus === 'paid' ? countLeft(order) : 0;
  const toRestock = (count: number) => Math.min(count, unshipped);
  const unitPrice = order.price / order.orderQuantity;
  const priceOf = (count: number) => Math.min(Math.round(count * unitPrice * 100) / 100, refundable);
  const first = Math.min(left, 1);
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const hydrated = useHydrated();
  const form = usePageForm(refundForm, {
    viewer,
    formKey,
    draft: order._id,
    ask: ({ amount = '' }) =>
      left > 1 && parseAmount(amount) === refundable
        ? {
            amount: `This refunds all that is left: ${money.charged(refundable, order.currency)}. Press Refund again to confirm.`,
          }
        : {},
    async onDone() {
      toast(`Refund for ${order.product} requested.`);
      await navigate(page, { preventScrollReset: true });
      focusOrder(order);
    },
  });
  // If no pieces are left, the admin enters by how much the price is lowered.
  const amountField = form.field(
    'amount',
    left === 0 ? '' : formatPriceInput(left > 1 ? priceOf(1) : refundable),
  );
  const deliveryField = form.field('delivery');
  const quantityField = form.field('quantity', first > 0 ? `${first}` : '');
  const [initialAmount, initialQuantity] = [amountField.defaultValue, quantityField.defaultValue];
  const [amount, setAmount] = useState(() => parseAmount(amountField.defaultValue));
  const [delivery, setDelivery] = useState(() => parseAmount(deliveryField.defaultValue));
  /** Whether an edit of the amount also fills in the pieces. False once the admin has entered pieces. */
  const followsAmount = useRef(form.rejectedValues === undefined);
  /** The values that the script filled in last. Any other value was typed by the admin and is kept. */
  const filled = useRef<{ amount: unknown; restock: unknown }>({ amount, restock: toRestock(first) });
  useFocusFirst(form.draft.ref, form.rejectedValues !== undefined);
  const { getText } = form;
  const isInitialized = useRef(false);
  // The amount may have been typed before hydration. This effect runs before the draft is restored.
  useEffect(() => {
    if (isInitialized.current) return;
    isInitialized.current = true;
    const typed = getText('amount');
    setAmount(parseAmount(typed));
    setDelivery(parseAmount(getText('delivery')));
    if (typed !== initialAmount || getText('quantity') !== initialQuantity) followsAmount.current = false;
  });

  function fillInRestock(count: number): void {
    filled.current.restock = toRestock(count);
    form.setText('restock', `${toRestock(count)}`);
  }

  function choosePieces(typed: string): void {
    followsAmount.current = false;
    const count = parsePieces(typed) ?? 0;
    const isPossible = quantity('Pieces', 0).max(left).safeParse(count).success;
    if (!isPossible || typeof count !== 'number') return;
    if (parsePieces(form.getText('restock')) === filled.current.restock || count === 0) fillInRestock(count);
    // Without pieces, no amount can be suggested: the admin enters how much the price is lowered.
    if (count === 0 && amount !== filled.current.amount) return;
    const next = count === 0 ? undefined : priceOf(count);
    form.setText('amount', next === undefined ? '' : formatPriceInput(next));
    setAmount(next);
    filled.current.amount = next;
  }

  /** The number of pieces whose price is exactly this amount; 0 if there is none. */
  function countFor(sum: unknown): number {
    if (typeof sum !== 'number') return 0;
    const count = Math.round(sum / unitPrice);
    if (sum === refundable) return left;
    return count <= left && priceOf(count) === sum ? count : 0;
  }

  function chooseAmount(typed: string): void {
    const next = parseAmount(typed);
    setAmount(next);
    if (!followsAmount.current) return;
    const count = countFor(next);
    form.setText('quantity', count === 0 ? '' : `${count}`);
    fillInRestock(count);
  }

  const total = sumRefund(amount, delivery);
  return (
    <form
      {...form.props}
      aria-label={`Refund ${order.product}`}
      className="mt-4 max-w-text border-t-2 border-edge pt-4"
    >
      <FormStart form={form} version={order.version} />
      <input type="hidden" name="order" value={order._id} />
      <Field
        label="Pieces to refund (optional)"
        hint={
          left > 0
            ? `At most ${left}, at ${money.charged(unitPrice, order.currency)} each. Leave empty to lower the price only.`
            : 'No pieces are left to refund, but you can still refund an amount.'
        }
        inputMode="numeric"
        autoComplete="off"
        // The pieces, the amount and the pieces to restock fill in each other, so a draft keeps all three.
        data-draft="always"
        {...quantityField}
        onChange={(event) => choosePieces(event.target.value)}
      />
      <div className="field-row sm:grid-cols-2">
        <Field
          label="Amount to refund"
          hint={`At most ${money.charged(refundable, order.currency)}.${deliveryRest > 0 ? ' Enter 0 to refund only delivery.' : ''}`}
          inputMode="decimal"
          autoComplete="off"
          data-draft="always"
          {...amountField}
          onChange={(event) => chooseAmount(event.target.value)}
        />
        {unshipped > 0 && (
          <Field
            label="Pieces to return to stock"
            hint={`At most ${unshipped}, which ${unshipped === 1 ? 'is' : 'are'} not shipped. Do not count broken pieces.`}
            inputMode="numeric"
            autoComplete="off"
            data-draft="always"
            {...form.field('restock', `${toRestock(first)}`)}
            onChange={() => {
              followsAmount.current = false;
            }}
          />
        )}
      </div>
      {deliveryRest > 0 && (
        <Field
          label="Delivery to refund (optional)"
          hint={`In addition, at most ${money.charged(deliveryRest, order.currency)}.`}
          inputMode="decimal"
          autoComplete="off"
          {...deliveryField}
          onChange={(event) => setDelivery(parseAmount(event.target.value))}
          error={form.messageOf('delivery') ?? form.messageOf('charges')}
        />
      )}
      {unshipped > 0 && (
        <label className="mb-6 flex min-h-11 items-center gap-3">
          <input
            type="checkbox"
            value="true"
            name="stillSend"
            defaultChecked={form.rejectedValues?.stillSend === 'true'}
            className="size-6 shrink-0"
          />
          Send the remaining pieces even if everything is refunded
        </label>
      )}
      <RadioField
        legend="Reason"
        field={{ name: 'reason' }}
        options={refundReason.options.map((value) => ({ value, label: refundReasonLabels[value] }))}
        chosen={form.rejectedValues?.reason}
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
          {hydrated && total !== undefined ? `Refund ${money.charged(total, order.currency)}` : 'Refund'}
        </Button>
        <ButtonLink kind="plain" to={page} preventScrollReset onClick={() => focusOrder(order)}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}

const isAmount = (input: unknown): input is number =>
  typeof input === 'number' && newRefund.shape.amount.safeParse(input).success;

/** The sum of an amount and what is entered for delivery; undefined unless both can be refunded. */
function sumRefund(amount: unknown, delivery: unknown = 0): number | undefined {
  const sum = isAmount(amount) && isAmount(delivery) ? sumAmounts([amount, delivery]) : 0;
  return sum > 0 ? sum : undefined;
}
