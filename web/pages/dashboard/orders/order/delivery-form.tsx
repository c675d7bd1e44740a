import { useNavigate } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { orderPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { AddressField } from '../../../../forms/fields/address-field.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { deliveryForm } from './delivery.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const deliverySaved = 'Delivery details saved.';

/** Moves the focus to the link that opens the form, once it is shown again. */
const focusLink = () => document.getElementById('change-delivery')?.focus();

/** Corrects the name, address and phone of a purchase; `order` is one of its orders. */
export function DeliveryForm({ order, viewer }: { order: Order; viewer: Viewer }) {
  const { number, version, userName, address, phone } = order;
  const page = `${orderPages}/${number}`;
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(deliveryForm, {
    viewer,
    async onDone() {
      toast(deliverySaved);
      await navigate(page, { preventScrollReset: true });
      focusLink();
    },
  });
  useFocusFirst(form.draft.ref, form.rejectedValues !== undefined);

  return (
    <section aria-labelledby="delivery" className="mb-10 border-t-2 border-edge pt-4 print:hidden">
      <h2 id="delivery" className="mb-4 text-xl">
        Change the delivery details
      </h2>
      <form {...form.props} className="max-w-text">
        <FormStart form={form} version={version} />
        <input type="hidden" name="purchase" value={number} />
        <Field label="Name" autoComplete="name" maxLength={100} {...form.field('name', userName)} />
        <AddressField label="Address (optional)" {...form.field('address', address)} />
        <Field
          label="Phone (optional)"
          type="tel"
          inputMode="tel"
          autoComplete="tel"
          maxLength={300}
          {...form.field('phone', phone)}
        />
        <div className="flex flex-wrap gap-3">
          <Button type="submit" busy={form.isBusy}>
            Save delivery details
          </Button>
          <ButtonLink kind="plain" to={page} preventScrollReset onClick={focusLink}>
            Cancel
          </ButtonLink>
        </div>
      </form>
    </section>
  );
}
