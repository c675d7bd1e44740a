import { useNavigate, useRevalidator } from 'react-router';
import type { Order } from '../../../../../contract/orders/orders.ts';
import type { Viewer } from '../../../../../contract/pages.ts';
import { hasCode } from '../../../../client/api/api-errors.ts';
import { getSession } from '../../../../client/session.ts';
import { Button, ButtonLink } from '../../../../components/button.tsx';
import { useToast } from '../../../../components/feedback/toast.tsx';
import { useDraft } from '../../../../forms/draft.ts';
import { AddressField } from '../../../../forms/fields/address-field.tsx';
import { Field } from '../../../../forms/fields/field.tsx';
import { FormHead } from '../../../../forms/form-head.tsx';
import { useRejectedForm, useShopForm } from '../../../../forms/use-shop-form.ts';
import { createDeliveryForm } from './delivery.ts';
import { useFocusFirst } from './use-focus-first.ts';

export const deliverySaved = 'Delivery details saved.';

/** Moves the focus to the link that opens the form, once it is shown again. */
const focusLink = () => document.getElementById('change-delivery')?.focus();

/** Corrects the name, address and phone of a purchase; `order` is one of its orders. */
export function DeliveryForm({ order, viewer }: { order: Order; viewer: Viewer }) {
  const { number, version, userName, address, phone } = order;
  const rejected = useRejectedForm('delivery');
  const definition = createDeliveryForm(number, version);
  const form = useShopForm(definition, rejected);
  const toast = useToast();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const draft = useDraft(viewer.email, 'delivery');
  useFocusFirst(draft.ref, rejected !== undefined);

  const send = form.handleSubmit(async (values) => {
    try {
      await definition.send(getSession(), values);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      form.showError(error);
      // The page shows what has changed.
      if (hasCode(error, 'purchase_changed')) await revalidate();
      return;
    }
    toast(deliverySaved);
    await navigate(definition.redirectTo, { preventScrollReset: true });
    focusLink();
  });

  return (
    <section aria-labelledby="delivery" className="mb-10 border-t-2 border-edge pt-4 print:hidden">
      <h2 id="delivery" className="mb-4 text-xl">
        Change the delivery details
      </h2>
      <form ref={draft.ref} method="post" noValidate onSubmit={send} className="max-w-text">
        <FormHead form={form} draft={draft} viewer={viewer} version={version} />
        <input type="hidden" name="form" value={definition.name} />
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
          <Button type="submit" busy={form.formState.isSubmitting}>
            Save delivery details
          </Button>
          <ButtonLink kind="plain" to={definition.redirectTo} preventScrollReset onClick={focusLink}>
            Cancel
          </ButtonLink>
        </div>
      </form>
    </section>
  );
}
