import { type FormEvent, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Viewer } from '../../../contract/pages.ts';
import type { Product } from '../../../contract/products.ts';
import { CallFailed } from '../../client/client.ts';
import { AddressField } from '../../forms/address-field.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../forms/field.tsx';
import { Notice } from '../../components/feedback/notice.tsx';
import { Restored } from '../../components/feedback/restored.tsx';
import { Stepper } from '../../components/stepper.tsx';
import { useToast } from '../../components/feedback/toast.tsx';
import { useDraft } from '../../forms/draft.ts';
import { sayWhy } from '../../client/failure.ts';
import { useHydrated } from '../../client/hydrated.ts';
import { session } from '../../client/session.ts';
import { useMoney } from '../../shop.tsx';
import { useRefused } from '../../forms/use-shop-form.ts';
import { orderForm, orderPlaced, readQuantity, totalOf, wrongQuantity } from './order.ts';

type Props = { product: Product; viewer: Viewer; formKey: string };

/** Orders so many of a product. Outside its range the form says so and sends nothing. */
export function OrderForm({ product, viewer, formKey }: Props) {
  const { o_quantity: least, a_quantity: most } = product;
  const posted = useRefused('order');
  // One key for as long as the form is shown: the page's data may be reloaded meanwhile.
  const [key] = useState(posted?.values.key || formKey);
  const [quantity, setQuantity] = useState(posted?.values.orderQuantity ?? String(least));
  const [errors, setErrors] = useState<Record<string, string>>({
    ...posted?.errors,
    ...(posted?.root ? { root: posted.root } : {}),
  });
  const { address: addressError, phone: phoneError, ...otherErrors } = errors;
  const [refused] = Object.values(otherErrors);
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const hydrated = useHydrated();
  const money = useMoney();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  const definition = orderForm(product, viewer, key);

  const count = readQuantity(product, quantity);
  const right = count !== undefined;

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const judged = definition.judge(Object.fromEntries(new FormData(event.currentTarget)));
    if ('errors' in judged) {
      toast(wrongQuantity, 'wrong');
      document.getElementById('orderQuantity')?.focus();
      return;
    }
    setBusy(true);
    setTried(true);
    setErrors({});
    try {
      await definition.send(session(), judged.values);
      toast(orderPlaced);
      await navigate(definition.next);
    } catch (error) {
      if (await draft.leave(error)) return;
      setBusy(false);
      setErrors({ root: sayWhy(error) });
      // The price or the stock has moved on: show what they are now.
      if (error instanceof CallFailed && error.problem.status === 409) await revalidate();
    }
  }

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="pt-4">
      {draft.restored && <Restored />}
      {refused && (
        <Notice wrong still={!tried}>
          {refused}
        </Notice>
      )}
      <input type="hidden" name="viewer" value={viewer._id} />
      <input type="hidden" name="key" value={key} />
      <input type="hidden" name="price" value={product.price} />
      <Stepper
        label="Quantity"
        value={quantity}
        min={least}
        max={most}
        hint={`From ${least} to ${most}.`}
        error={right ? undefined : `A whole number from ${least} to ${most}.`}
        onChange={setQuantity}
      />
      <Field label="Name" name="userName" value={viewer.name} readOnly autoComplete="name" />
      <Field label="Email" name="user" type="email" value={viewer.email} readOnly autoComplete="email" />
      <AddressField
        label="Address (optional)"
        hint="Where the parcel goes. Without it we write to you first."
        defaultValue={posted?.values.address ?? viewer.address}
        error={addressError}
      />
      <Field
        label="Phone (optional)"
        name="phone"
        type="tel"
        inputMode="tel"
        defaultValue={posted?.values.phone ?? viewer.phone}
        error={phoneError}
        maxLength={300}
        autoComplete="tel"
      />
      <p className="figures mb-6 flex items-baseline justify-between border-y border-rule py-4">
        {/* Without scripts, a total would not follow the quantity. */}
        <span>{hydrated ? 'Total' : 'Price per piece'}</span>
        <output htmlFor="orderQuantity" className="font-serif text-xl">
          {!hydrated && money.charged(product.price)}
          {hydrated && (right ? money.charged(totalOf(product.price, count)) : '–')}
        </output>
      </p>
      <Button type="submit" busy={busy} aria-disabled={hydrated && !right} className="w-full">
        Place order
      </Button>
      <p className="mt-3 text-sm text-soft">You pay afterwards, from My Orders.</p>
    </form>
  );
}
