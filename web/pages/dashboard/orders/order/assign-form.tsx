import { useNavigate } from 'react-router';
import type { Purchase } from '../../../../../contract/orders/purchases.ts';
import type { Refund } from '../../../../../contract/orders/refunds.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button } from '../../../../components/button.tsx';
import { Notice } from '../../../../components/feedback/notice.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { useMoney } from '../../../../shop.tsx';
import { sumAmounts } from '../../account/my-orders/purchases.ts';
import { formatPriceInput } from '../../products/product/format-price-input.ts';
import { assignFields, assignForm, findExactOrders, findRest } from './assign.ts';

export const assignedMessage = 'The refund is assigned.';

/**
 * Asks an admin for which tools a refund in Stripe's dashboard was made. If there are several such refunds, the form is for the
 * first.
 */
export function UnassignedRefund({ purchase, viewer }: { purchase: Purchase; viewer: Viewer }) {
  const [refund] = purchase.unassignedRefunds ?? [];
  return refund && <AssignForm key={refund._id} purchase={purchase} refund={refund} viewer={viewer} />;
}

type Props = { purchase: Purchase; refund: Refund; viewer: Viewer };

/** The amount that was paid for delivery, and the part of it that is refunded. */
const toPrice = (charges: Purchase['charges'] = []) => ({
  price: sumAmounts(charges.map(({ amount }) => amount)),
  refunded: sumAmounts(charges.map(({ refunded = 0 }) => refunded)),
});

function AssignForm({ purchase, refund, viewer }: Props) {
  const open = purchase.orders.filter((order) => findRest(order) > 0);
  const delivery = toPrice(purchase.charges);
  const deliveryRest = findRest(delivery);
  const exact = findExactOrders([...purchase.orders, delivery], refund.amount);
  const money = useMoney();
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(assignForm, {
    viewer,
    draft: refund._id,
    async onDone() {
      toast(assignedMessage);
      await navigate(`${orderPages}/${purchase.number}`, { preventScrollReset: true });
      document.querySelector('h1')?.focus();
    },
  });

  return (
    <Notice error announced={false}>
      <p className="mb-3 font-medium">
        {`${money.charged(refund.amount, purchase.currency)} of this order was refunded in Stripe’s dashboard. Enter ${deliveryRest > 0 ? 'what' : 'which tools'} it was for before you ship anything.`}
      </p>
      <form {...form.props} aria-label="Assign the refund" className="max-w-text text-ink print:hidden">
        <FormStart form={form} version={purchase.version} />
        <input type="hidden" name="refund" value={refund._id} />
        <input type="hidden" name="orders" value={open.map(({ _id }) => _id).join(' ')} />
        {open.map((order, index) => {
          const names = assignFields(index);
          const rest = findRest(order);
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
        {deliveryRest > 0 && (
          <Field
            label="Delivery"
            hint={`At most ${money.charged(deliveryRest, purchase.currency)}.`}
            inputMode="decimal"
            autoComplete="off"
            {...form.field('delivery', exact.includes(delivery) ? formatPriceInput(deliveryRest) : '')}
            error={form.messageOf('delivery') ?? form.messageOf('charges')}
          />
        )}
        <Button type="submit" busy={form.isBusy}>
          Assign
        </Button>
      </form>
    </Notice>
  );
}
