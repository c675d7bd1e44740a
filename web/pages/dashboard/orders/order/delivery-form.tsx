import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import { orderPages, paymentPages } from '../../../../../contract/page-addresses.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { AddressField } from '../../../../forms/fields/address-field.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { getText } from '../../../../forms/page-form.ts';
import { readSubmitted } from '../../../../forms/submitted.ts';
import { FormStart, usePageForm } from '../../../../forms/use-page-form.tsx';
import { deliveryForm } from './delivery.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const deliverySaved = 'Delivery details saved.';

type Props = {
  /** One of the orders of the purchase. */
  order: Order;
  viewer: Viewer;
  /** The form is on the payment page. */
  isPaying?: boolean;
};

/** Corrects the name, address and phone of a purchase. */
export function DeliveryForm({ order, viewer, isPaying = false }: Props) {
  const { form, page } = useDeliveryForm({ order, viewer, isPaying });
  const { version, number, userName, address, phone } = order;
  useFocusFirst(form.draft.ref, form.rejectedValues !== undefined, 'address');
  return (
    <form {...form.props} id={isPaying ? paymentDeliveryForm : undefined} className="max-w-text">
      <FormStart form={form} version={version} />
      <input type="hidden" name="purchase" value={number} />
      <input type="hidden" name="openedOn" value={isPaying ? 'payment' : ''} />
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
        <ButtonLink kind="plain" to={page} preventScrollReset onClick={focusDeliveryLink}>
          Cancel
        </ButtonLink>
      </div>
    </form>
  );
}

/** The id of the form on the payment page, which the page checks before it charges the card. */
export const paymentDeliveryForm = 'payment-delivery';

/** On the payment page, asks for the address of an order that has none; `children` lets the customer continue without one. */
export function MissingAddressForm({
  order,
  viewer,
  children,
}: {
  order: Order;
  viewer: Viewer;
  children: ReactNode;
}) {
  const { form } = useDeliveryForm({ order, viewer, isPaying: true });
  return (
    <form
      {...form.props}
      id={paymentDeliveryForm}
      onSubmit={(event) => {
        if (getText(readSubmitted(event), 'address').trim() !== '') return form.props.onSubmit(event);
        event.preventDefault();
        document.getElementById('address')?.focus();
      }}
    >
      <FormStart form={form} version={order.version} />
      <input type="hidden" name="purchase" value={order.number} />
      <input type="hidden" name="openedOn" value="payment" />
      <input type="hidden" name="name" value={order.userName} />
      <input type="hidden" name="phone" value={order.phone} />
      <AddressField
        label="Address"
        hint="Without one, we’ll contact you before we ship."
        rows={2}
        {...form.field('address', order.address)}
      />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" kind="plain" busy={form.isBusy}>
          Save the address
        </Button>
        {children}
      </div>
    </form>
  );
}

function useDeliveryForm({ order: { _id, number }, viewer, isPaying }: Required<Props>) {
  const page = isPaying ? `${paymentPages}/${_id}` : `${orderPages}/${number}`;
  const toast = useToast();
  const navigate = useNavigate();
  const form = usePageForm(deliveryForm, {
    viewer,
    async onDone() {
      toast(deliverySaved);
      await navigate(page, { preventScrollReset: true });
      focusDeliveryLink();
    },
  });
  return { form, page };
}

/** Moves the focus to the link that opens the form, once it is shown again. */
export const focusDeliveryLink = () => document.getElementById('change-delivery')?.focus();
