import { useNavigate } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { focusOrder } from './focus-order.ts';
import { returnForm } from './return.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const returnedMessage = 'The pieces are back in stock.';

/** How many shipped or refunded pieces of an order are not in stock again. */
export const countReturnable = ({ removedQuantity = 0, shippedQuantity = 0, returnedQuantity = 0 }: Order) =>
  removedQuantity + shippedQuantity - returnedQuantity;

/** Records that pieces have come back, and puts them back into stock. */
export function ReturnForm({ order, viewer }: { order: Order; viewer: Viewer }) {
  const page = `${orderPages}/${order.number}`;
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(returnForm, {
    viewer,
    draft: `${order._id} return`,
    async onDone() {
      toast(returnedMessage);
      await navigate(page, { preventScrollReset: true });
      focusOrder(order);
    },
  });
  useFocusFirst(form.draft.ref, form.rejectedValues !== undefined);

  return (
    <form
      {...form.props}
      aria-label={`Returned pieces of ${order.product}`}
      className="mt-4 max-w-text border-t-2 border-edge pt-4 print:hidden"
    >
      <FormStart form={form} version={order.version} />
      <input type="hidden" name="order" value={order._id} />
      <Field
        label="Pieces that came back"
        hint={`At most ${countReturnable(order)}. Do not count broken pieces.`}
        inputMode="numeric"
        autoComplete="off"
        {...form.field('quantity')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.isBusy}>
          Put into stock
        </Button>
        <ButtonLink kind="plain" to={page} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
