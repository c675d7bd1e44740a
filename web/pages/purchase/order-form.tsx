import { type FormEvent, useState } from 'react';
import { useNavigate, useRevalidator } from 'react-router';
import type { Viewer } from '../../../contract/pages.ts';
import type { Product } from '../../../contract/products.ts';
import { CallFailed } from '../../client.ts';
import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../components/field.tsx';
import { Notice } from '../../components/notice.tsx';
import { Restored } from '../../components/restored.tsx';
import { Stepper } from '../../components/stepper.tsx';
import { useToast } from '../../components/toast.tsx';
import { useDraft } from '../../draft.ts';
import { sayWhy } from '../../failure.ts';
import { createKeys } from '../../idempotency.ts';
import { session } from '../../session.ts';
import { useMoney } from '../../shop.tsx';

/** Orders so many of a product. Outside its range the form says so and sends nothing. */
export function OrderForm({ product, viewer }: { product: Product; viewer: Viewer }) {
  const { o_quantity: least, a_quantity: most } = product;
  const [quantity, setQuantity] = useState(String(least));
  const [refused, setRefused] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [keyOf] = useState(createKeys);
  const money = useMoney();
  const toast = useToast();
  const draft = useDraft(viewer.email);
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();

  const count = /^\d+$/.test(quantity.trim()) ? Number(quantity) : Number.NaN;
  const right = count >= least && count <= most;
  // In hundredths, since 0.1 + 0.2 is not 0.3.
  const total = right ? (Math.round(product.price * 100) * count) / 100 : undefined;

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    if (total === undefined) {
      toast('plz Input the write value', 'wrong');
      document.getElementById('orderQuantity')?.focus();
      return;
    }
    const filled = new FormData(event.currentTarget);
    const order = {
      orderId: product._id,
      product: product.name,
      orderQuantity: count,
      price: total,
      user: viewer.email,
      userName: viewer.name,
      phone: String(filled.get('phone') ?? ''),
      address: String(filled.get('address') ?? ''),
      orderStatus: '',
    };
    setBusy(true);
    setRefused(undefined);
    try {
      await session().client.call('placeOrder', { body: order, idempotencyKey: keyOf(order) });
      toast('Add your product Successfully');
      await navigate('/dashboard/myOrder');
    } catch (error) {
      if (await draft.leave(error)) return;
      setBusy(false);
      setRefused(sayWhy(error));
      // The price or the stock has moved on: show what they are now.
      if (error instanceof CallFailed && error.problem.status === 409) await revalidate();
    }
  }

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send} className="pt-4">
      {draft.restored && <Restored />}
      {refused && <Notice wrong>{refused}</Notice>}
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
      <TextArea
        label="Address (optional)"
        hint="Where the parcel goes. Without it we write to you first."
        rows={3}
        name="address"
        defaultValue={viewer.address}
        maxLength={300}
        autoComplete="street-address"
      />
      <Field
        label="Phone (optional)"
        name="phone"
        type="tel"
        inputMode="tel"
        defaultValue={viewer.phone}
        maxLength={300}
        autoComplete="tel"
      />
      <p className="figures mb-6 flex items-baseline justify-between border-y border-rule py-4">
        <span>Total</span>
        <output htmlFor="orderQuantity" className="font-serif text-xl">
          {total === undefined ? '–' : money.charged(total)}
        </output>
      </p>
      <Button type="submit" busy={busy} aria-disabled={!right} className="w-full">
        Place order
      </Button>
      <p className="mt-3 text-sm text-soft">You pay afterwards, from My Orders.</p>
    </form>
  );
}
