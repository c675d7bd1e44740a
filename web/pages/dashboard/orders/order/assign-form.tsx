import { useNavigate, useRevalidator } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Refund } from '../../../../../contract/orders/refunds.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { ApiError } from '../../../../client/api/client.ts';
import { getSession } from '../../../../client/session.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { useMoney } from '../../../../shop.tsx';
import { formatPriceInput } from '../../products/product/format-price-input.ts';
import { assignFields, createAssignForm, findExactOrders, findRest } from './assign.ts';

export const assignedMessage = 'The refund is assigned.';

/** A refund that was made in Stripe's dashboard, without saying for which tools: an admin assigns it. One at a time. */
export function UnassignedRefund({ purchase, viewer }: { purchase: Purchase; viewer: Viewer }) {
  const [refund] = purchase.unassignedRefunds ?? [];
  return refund && <AssignForm key={refund._id} purchase={purchase} refund={refund} viewer={viewer} />;
}

type Props = { purchase: Purchase; refund: Refund; viewer: Viewer };

function AssignForm({ purchase, refund, viewer }: Props) {
  const rejected = useRejectedForm('assign');
  const definition = createAssignForm(purchase, purchase.version);
  const form = useShopForm(definition, rejected);
  const exact = findExactOrders(purchase.orders, refund.amount);
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email, refund._id);

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      if (error instanceof ApiError && error.problem.status === 409) await revalidate();
      return;
    }
    toast(assignedMessage);
    await navigate(definition.redirectTo, { preventScrollReset: true });
    document.querySelector('h1')?.focus();
  });

  return (
    <Notice error announced={false}>
      <p className="mb-3 font-medium">
        {`${money.charged(refund.amount, purchase.currency)} of this order was refunded in Stripe’s dashboard. Enter which tools it was for before you ship anything.`}
      </p>
      <form
        ref={draft.ref}
        method="post"
        noValidate
        onSubmit={send}
        aria-label="Assign the refund"
        className="max-w-text text-ink print:hidden"
      >
        <FormHead form={form} draft={draft} viewer={viewer} version={purchase.version} />
        <input type="hidden" name="form" value={definition.name} />
        <input type="hidden" {...form.register('refund', { value: refund._id })} defaultValue={refund._id} />
        {purchase.orders.map((order, at) => {
          const names = assignFields(at);
          const rest = findRest(order);
          if (rest <= 0) return null;
          return (
            <fieldset key={order._id} className="mb-3">
              <legend className="mb-1.5 font-medium wrap-anywhere">{order.product}</legend>
              <div className="field-row sm:grid-cols-3">
                <Field
                  label="Amount"
                  hint={`At most ${money.charged(rest, purchase.currency)}.`}
                  inputMode="decimal"
                  autoComplete="off"
                  {...form.field(names.amount, exact.includes(order) ? formatPriceInput(rest) : '')}
                />
                <Field
                  label="Pieces refunded (optional)"
                  hint="Unshipped ones will not be sent."
                  inputMode="numeric"
                  autoComplete="off"
                  {...form.field(names.quantity)}
                />
                <Field
                  label="Of these, back in stock (optional)"
                  hint="Only unshipped pieces."
                  inputMode="numeric"
                  autoComplete="off"
                  {...form.field(names.restock)}
                />
              </div>
            </fieldset>
          );
        })}
        <Button type="submit" busy={form.formState.isSubmitting}>
          Assign
        </Button>
      </form>
    </Notice>
  );
}
