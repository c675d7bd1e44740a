import { useNavigate, useRevalidator } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { focusOrder } from './focus-order.ts';
import { createReturnForm } from './return.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const returnedMessage = 'The pieces are back in stock.';

/** How many shipped or refunded pieces of an order are not in stock again. */
export const countReturnable = ({ removedQuantity = 0, shippedQuantity = 0, returnedQuantity = 0 }: Order) =>
  removedQuantity + shippedQuantity - returnedQuantity;

/** Puts pieces back into stock that have come back, once they are there. */
export function ReturnForm({ order, viewer }: { order: Order; viewer: Viewer }) {
  const rejected = useRejectedForm('return');
  const definition = createReturnForm(order.number, order._id, order.version);
  const form = useShopForm(definition, rejected);
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email, `${order._id} return`);
  useFocusFirst(draft.ref, rejected !== undefined);

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      if (error instanceof ApiError && error.problem.status === 409) await revalidate();
      return;
    }
    toast(returnedMessage);
    await navigate(definition.redirectTo, { preventScrollReset: true });
    focusOrder(order);
  });

  return (
    <form
      ref={draft.ref}
      method="post"
      noValidate
      onSubmit={send}
      aria-label={`Returned pieces of ${order.product}`}
      className="mt-4 max-w-text border-t-2 border-edge pt-4 print:hidden"
    >
      <FormHead form={form} draft={draft} viewer={viewer} version={order.version} />
      <input type="hidden" name="form" value={definition.name} />
      <Field
        label="Pieces that came back"
        hint={`At most ${countReturnable(order)}. Do not count broken pieces.`}
        inputMode="numeric"
        autoComplete="off"
        {...form.field('quantity')}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" busy={form.formState.isSubmitting}>
          Put into stock
        </Button>
        <ButtonLink kind="plain" to={definition.redirectTo} preventScrollReset>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}
