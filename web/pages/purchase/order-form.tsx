import { type FormEvent, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Viewer } from '../../../contract/pages.ts';
import type { Product } from '../../../contract/products.ts';
import { ApiError } from '../../client/client.ts';
import { getErrorMessage } from '../../client/error-message.ts';
import { useHydrated } from '../../client/hydration.ts';
import { getSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { RestoredNotice } from '../../components/feedback/restored-notice.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { Stepper } from '../../components/stepper.tsx';
import { AddressField } from '../../forms/address-field.tsx';
import { useDraft } from '../../forms/draft.ts';
import { Field } from '../../forms/field.tsx';
import { useRejectedForm } from '../../forms/use-shop-form.ts';
import { useMoney } from '../../shop.tsx';
import { calculateTotal, createOrderForm, invalidQuantity, orderPlaced, parseQuantity } from './order.ts';

type Props = { product: Product; viewer: Viewer; formKey: string };

/** The order form. With an invalid quantity, it shows an error and sends nothing. */
export function OrderForm({ product, viewer, formKey }: Props) {
  const { o_quantity: min, a_quantity: max } = product;
  const rejected = useRejectedForm('order');
  // Keep one key while the form is mounted: revalidation would replace it.
  const [key] = useState(rejected?.values.key || formKey);
  const [quantity, setQuantity] = useState(rejected?.values.orderQuantity ?? String(min));
  const [errors, setErrors] = useState<Record<string, string>>({
    ...rejected?.errors,
    ...(rejected?.root ? { root: rejected.root } : {}),
  });
  const { address: addressError, phone: phoneError, ...otherErrors } = errors;
  const [formError] = Object.values(otherErrors);
  const [submitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const hydrated = useHydrated();
  const money = useMoney();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const definition = createOrderForm(product, viewer, key);

  const count = parseQuantity(product, quantity);
  const isValid = count !== undefined;

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const result = definition.validate(Object.fromEntries(new FormData(event.currentTarget)));
    if ('errors' in result) {
      toast(invalidQuantity, 'wrong');
      document.getElementById('orderQuantity')?.focus();
      return;
    }
    setBusy(true);
    setSubmitted(true);
    setErrors({});
    try {
      await definition.send(getSession(), result.values);
      toast(orderPlaced);
      await navigate(definition.redirectTo);
    } catch (error) {
      if (await draft.saveAndSignIn(error)) return;
      setBusy(false);
      setErrors({ root: getErrorMessage(error) });
      // The price or the stock has changed: load the current values.
      if (error instanceof ApiError && error.problem.status === 409) await revalidate();
    }
  }

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="pt-4">
      {draft.restored && <RestoredNotice />}
      {formError && (
        <Notice error noFocus={!submitted}>
          {formError}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="key" value={key} />
      <input type="hidden" name="price" value={product.price} />
      <Stepper
        label="Quantity"
        value={quantity}
        min={min}
        max={max}
        hint={`From ${min} to ${max}.`}
        error={isValid ? undefined : `A whole number from ${min} to ${max}.`}
        onChange={setQuantity}
      />
      <Field label="Name" name="userName" value={viewer.name} readOnly autoComplete="name" />
      <Field label="Email" name="user" type="email" value={viewer.email} readOnly autoComplete="email" />
      <AddressField
        label="Address (optional)"
        hint="Where to send the parcel. Without it, we will write to you first."
        defaultValue={rejected?.values.address ?? viewer.address}
        error={addressError}
      />
      <Field
        label="Phone (optional)"
        name="phone"
        type="tel"
        inputMode="tel"
        defaultValue={rejected?.values.phone ?? viewer.phone}
        error={phoneError}
        maxLength={300}
        autoComplete="tel"
      />
      <p className="figures mb-6 flex items-baseline justify-between border-y border-rule py-4">
        {/* Without scripts, a total would not update with the quantity. */}
        <span>{hydrated ? 'Total' : 'Price per piece'}</span>
        <output htmlFor="orderQuantity" className="font-serif text-xl">
          {!hydrated && money.charged(product.price)}
          {hydrated && (isValid ? money.charged(calculateTotal(product.price, count)) : '–')}
        </output>
      </p>
      <Button type="submit" busy={busy} aria-disabled={hydrated && !isValid} className="w-full">
        Place order
      </Button>
      <p className="mt-3 text-sm text-soft">You pay afterwards, from My Orders.</p>
    </form>
  );
}
