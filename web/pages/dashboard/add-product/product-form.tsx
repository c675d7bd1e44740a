import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import type { Viewer } from '../../../../contract/pages.ts';
import { newProduct } from '../../../../contract/products.ts';
import { Field, TextArea } from '../../../components/field.tsx';
import { useToast } from '../../../components/toast.tsx';
import { bySchema } from '../../../form.ts';
import { createKeys } from '../../../idempotency.ts';
import { session } from '../../../session.ts';
import { useSettings } from '../../../shop.tsx';
import { PictureForm } from '../picture-form.tsx';

const schema = newProduct.extend({ img: z.instanceof(File, { error: 'Image is Required' }) });
const fields = ['name', 'email', 'price', 'o_quantity', 'a_quantity', 'description', 'img'];

/** An empty field is none, so that it is required; anything else that is no number is told so. */
const asNumber = {
  setValueAs: (typed: unknown) => (String(typed ?? '').trim() === '' ? undefined : Number(typed)),
};

type Props = { viewer: Viewer; onAdded: (added: { id: string; name: string }) => void };

/** A new product. */
export function ProductForm({ viewer, onAdded }: Props) {
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { name: '', email: viewer.email, description: '' },
    shouldFocusError: false,
  });
  const { errors } = form.formState;
  const img = useController({ control: form.control, name: 'img' });
  const [keyOf] = useState(createKeys);
  const { chargedCurrency } = useSettings();
  const toast = useToast();

  async function save(filled: z.infer<typeof schema>, address: string) {
    const body = { ...filled, img: address };
    const { insertedId } = await session().client.call('addProduct', { body, idempotencyKey: keyOf(body) });
    toast('Product Added Successfully!');
    onAdded({ id: insertedId, name: filled.name.trim() });
  }

  return (
    <PictureForm
      form={form}
      img={img}
      fields={fields}
      by={viewer.email}
      act="Add Product"
      failed="Failed to add the Product"
      save={save}
    >
      <Field
        label="Name"
        maxLength={100}
        autoComplete="off"
        error={errors.name?.message}
        {...form.register('name')}
      />
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        defaultValue={viewer.email}
        error={errors.email?.message}
        {...form.register('email')}
      />
      <div className="grid gap-x-6 sm:grid-cols-3">
        <Field
          label="Price"
          hint={`Of one piece, in ${chargedCurrency}`}
          inputMode="decimal"
          autoComplete="off"
          error={errors.price?.message}
          {...form.register('price', asNumber)}
        />
        <Field
          label="Order quantity"
          hint="The fewest in an order"
          inputMode="numeric"
          autoComplete="off"
          error={errors.o_quantity?.message}
          {...form.register('o_quantity', asNumber)}
        />
        <Field
          label="Available quantity"
          hint="How many are there"
          inputMode="numeric"
          autoComplete="off"
          error={errors.a_quantity?.message}
          {...form.register('a_quantity', asNumber)}
        />
      </div>
      <TextArea
        label="Description"
        hint="Cards show its first 100 characters. 2,000 at most."
        rows={7}
        maxLength={2000}
        error={errors.description?.message}
        {...form.register('description')}
      />
    </PictureForm>
  );
}
