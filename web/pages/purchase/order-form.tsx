import { type FormEvent, useState } from 'react';
import { useRevalidator } from 'react-router';
import type { Product } from '../../../contract/catalogue/products.ts';
import type { Viewer } from '../../../contract/pages.ts';
import { isSignedOut } from '../../client/api/api-errors.ts';
import { createFormKey } from '../../client/api/idempotency.ts';
import { useHydrated } from '../../client/hydration.ts';
import type { Delivery } from '../../client/last-delivery.ts';
import { openDocument } from '../../client/open-document.ts';
import { getSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { RestoredNotice } from '../../components/feedback/restored-notice.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { Stepper } from '../../components/stepper.tsx';
import { useDraft } from '../../forms/draft.ts';
import { DeliveryFields } from '../../forms/fields/delivery-fields.tsx';
import { Field } from '../../forms/fields/field.tsx';
import { HiddenFields } from '../../forms/fields/hidden-fields.tsx';
import { KeyField } from '../../forms/fields/key-field.tsx';
import { readSubmitted } from '../../forms/submitted.ts';
import { useRejectedForm } from '../../forms/use-rejected-form.ts';
import { useMoney, useSettings } from '../../shop.tsx';
import {
  calculateTotal,
  describeNextPage,
  explainUnknownOutcome,
  formatRange,
  invalidQuantity,
  isOutcomeUnknown,
  labelOrderButton,
  orderForm,
} from './order.ts';
import type { Quantity } from './quantity.ts';

/** The order form. With an invalid quantity, it shows an error and sends nothing. */
export function OrderForm({
  product,
  viewer,
  delivery,
  formKey,
  quantity,
}: {
  product: Product;
  viewer: Viewer;
  delivery: Delivery;
  formKey: string;
  quantity: Quantity;
}) {
  const { count, isBlocked, unconfirmed, setUnconfirmed, stepper } = quantity;
  const rejected = useRejectedForm(orderForm.name);
  // Revalidation must not replace the key: it changes only once the form has been sent.
  const [key, setKey] = useState(rejected?.values.key || formKey);
  const [errors, setErrors] = useState<Record<string, string>>({
    ...rejected?.errors,
    ...(rejected?.root ? { root: rejected.root } : {}),
  });
  const { address: addressError, phone: phoneError, ...otherErrors } = errors;
  const [formError] = Object.values(otherErrors);
  const [submitted, setSubmitted] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const isLocked = unconfirmed !== undefined;
  const hydrated = useHydrated();
  const money = useMoney();
  const settings = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const { revalidate } = useRevalidator();

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    const formData = unconfirmed ?? readSubmitted(event);
    if (orderForm.check(formData).orderQuantity) {
      toast(invalidQuantity, 'wrong');
      document.getElementById('orderQuantity')?.focus();
      return;
    }
    setIsBusy(true);
    setSubmitted(true);
    setErrors({});
    const result = await orderForm.send(getSession(), viewer, formData);
    if (!result.isDone) {
      const { error, status, root } = result;
      if (isSignedOut(error)) return draft.signIn();
      setIsBusy(false);
      const isUnknown = isOutcomeUnknown(error, isLocked);
      setUnconfirmed(isUnknown ? formData : undefined);
      setErrors(
        isUnknown
          ? { root: explainUnknownOutcome(settings) }
          : { ...result.errors, ...(root ? { root } : {}) },
      );
      // The price or the stock has changed: load the current values.
      if (status === 409) await revalidate();
    } else {
      const isStopped = await openDocument(result.donePage());
      // After the user has stopped the loading, a further click opens the same order; later, it places another one.
      setUnconfirmed(isStopped ? formData : undefined);
      if (!isStopped) setKey(createFormKey());
      setIsBusy(false);
    }
  }

  return (
    // Without scripts, the page after a post starts at this form, which has the message. On a phone, the form is below the
    // images.
    <form
      ref={draft.ref}
      id="order-form"
      method="post"
      action="#order-form"
      noValidate
      onSubmit={send}
      className="scroll-mt-12 pt-4"
    >
      {draft.restored && <RestoredNotice />}
      {formError && (
        <Notice error noFocus={!submitted}>
          {formError}
        </Notice>
      )}
      <HiddenFields form={{ name: orderForm.name, viewer }} />
      <input type="hidden" name="orderId" value={product._id} />
      <input type="hidden" name="product" value={product.name} />
      <input type="hidden" name="range" value={formatRange(product)} />
      <KeyField value={key} onChange={setKey} />
      <input type="hidden" name="price" value={product.price} />
      <fieldset disabled={isLocked} aria-label="Order" className="min-w-0">
        <Stepper id="orderQuantity" itemName={product.name} {...stepper} />
        <Field label="Name" name="userName" value={viewer.name} readOnly autoComplete="name" />
        <Field label="Email" name="user" type="email" value={viewer.email} readOnly autoComplete="email" />
        <DeliveryFields
          initial={{ ...delivery, ...rejected?.values }}
          errors={{ address: addressError, phone: phoneError }}
        />
      </fieldset>
      <p className="figures mb-6 flex flex-wrap items-baseline justify-between border-y border-rule py-4">
        {/* Without scripts, a total would not update with the quantity. */}
        <span>{hydrated ? 'Total' : 'Price per piece'}</span>
        <output htmlFor="orderQuantity" className="font-serif text-xl">
          {!hydrated && money.charged(product.price)}
          {hydrated && (count === undefined ? '–' : money.charged(calculateTotal(product.price, count)))}
        </output>
      </p>
      <Button type="submit" busy={isBusy} aria-disabled={isBlocked} className="w-full">
        {labelOrderButton(settings)}
      </Button>
      <p className="mt-3 text-sm text-soft">{describeNextPage(settings)}</p>
    </form>
  );
}
