import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import { readNumber } from '../../../../contract/fields.ts';
import type { Viewer } from '../../../../contract/pages.ts';
import { newProduct } from '../../../../contract/products.ts';
import { Field, TextArea } from '../../../components/field.tsx';
import { Sign } from '../../../components/sign.tsx';
import { useToast } from '../../../components/toast.tsx';
import { bySchema } from '../../../form.ts';
import { createKeys } from '../../../idempotency.ts';
import { session } from '../../../session.ts';
import { useSettings } from '../../../shop.tsx';
import { PictureForm } from '../picture-form.tsx';

const schema = newProduct.extend({ img: z.instanceof(File, { error: 'Image is Required' }) });
const fields = ['name', 'email', 'price', 'o_quantity', 'a_quantity', 'description', 'img'];

const asNumber = { setValueAs: readNumber };

export type AddedProduct = { id: string; name: string; soldOut: boolean };

/** Until it is valid, a field holds whatever `readNumber` made of it. */
const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0;

type Props = { viewer: Viewer; onAdded: (added: AddedProduct) => void };

/** A new product. */
export function ProductForm({ viewer, onAdded }: Props) {
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { name: '', email: viewer.email, description: '' },
    shouldFocusError: false,
  });
  const { errors } = form.formState;
  const img = useController({ control: form.control, name: 'img' });
  const [least, available] = form.watch(['o_quantity', 'a_quantity']);
  const [keyOf] = useState(createKeys);
  const { chargedCurrency } = useSettings();
  const toast = useToast();

  async function save(filled: z.infer<typeof schema>, address: string) {
    const body = { ...filled, img: address };
    const { insertedId } = await session().client.call('addProduct', { body, idempotencyKey: keyOf(body) });
    toast('Product Added Successfully!');
    const soldOut = filled.a_quantity < filled.o_quantity;
    onAdded({ id: insertedId, name: filled.name.trim(), soldOut });
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
      <div role="status">
        {isCount(least) && isCount(available) && available < least && (
          <p className="-mt-3 mb-6 text-sm text-brass">
            <Sign name="open" className="mr-2" />
            {`Sold out from the start: customers order at least ${least}, and only ${available} ${available === 1 ? 'is' : 'are'} available.`}
          </p>
        )}
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
