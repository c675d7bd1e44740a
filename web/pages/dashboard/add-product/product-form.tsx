import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import type { Viewer } from '../../../../contract/pages.ts';
import { newProduct } from '../../../../contract/products.ts';
import { Button } from '../../../components/button.tsx';
import { ErrorSummary } from '../../../components/error-summary.tsx';
import { Field, TextArea } from '../../../components/field.tsx';
import { ImageField } from '../../../components/image-field.tsx';
import { Notice } from '../../../components/notice.tsx';
import { Restored } from '../../../components/restored.tsx';
import { useToast } from '../../../components/toast.tsx';
import { useDraft } from '../../../draft.ts';
import { bySchema } from '../../../form.ts';
import { listErrors, showRefusal } from '../../../form-errors.ts';
import { createKeys } from '../../../idempotency.ts';
import { forgetUpload, uploadImage } from '../../../image-upload.ts';
import { session } from '../../../session.ts';
import { useSettings } from '../../../shop.tsx';

const schema = newProduct.extend({ img: z.instanceof(File, { error: 'Image is Required' }) });
const fields = ['name', 'email', 'price', 'o_quantity', 'a_quantity', 'description', 'img'];

/** An empty field is none, so that it is required; anything else that is no number is told so. */
const asNumber = {
  setValueAs: (typed: unknown) => (String(typed ?? '').trim() === '' ? undefined : Number(typed)),
};

type Props = { viewer: Viewer; onAdded: (added: { id: string; name: string }) => void };

/** Sends the picture and then, where it was taken, the product. Whatever is refused, the form keeps what it holds. */
export function ProductForm({ viewer, onAdded }: Props) {
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { name: '', email: viewer.email, description: '' },
    shouldFocusError: false,
  });
  const { errors, isSubmitting, submitCount } = form.formState;
  const { field: img } = useController({ control: form.control, name: 'img' });
  const [sent, setSent] = useState<number>();
  const [keyOf] = useState(createKeys);
  const { imageUploadUrl, chargedCurrency } = useSettings();
  const toast = useToast();
  const draft = useDraft(viewer.email);

  const send = form.handleSubmit(async (filled) => {
    try {
      setSent(0);
      const body = { ...filled, img: await uploadImage(imageUploadUrl, filled.img, setSent) };
      const { insertedId } = await session().client.call('addProduct', { body, idempotencyKey: keyOf(body) });
      toast('Product Added Successfully!');
      onAdded({ id: insertedId, name: filled.name.trim() });
    } catch (error) {
      if (await draft.leave(error)) return;
      toast('Failed to add the Product', 'wrong');
      showRefusal(form, error);
      if (form.getFieldState('img').error) forgetUpload(filled.img);
    } finally {
      setSent(undefined);
    }
  });

  return (
    <form ref={draft.ref} method="post" noValidate onSubmit={send}>
      {draft.restored && <Restored picture />}
      <ErrorSummary errors={listErrors(errors, fields)} tries={submitCount} />
      {errors.root && <Notice wrong>{errors.root.message}</Notice>}
      <div className="grid gap-x-10 lg:grid-cols-[1fr_20rem]">
        <div>
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
        </div>
        <ImageField
          id="img"
          ref={img.ref}
          file={img.value}
          error={errors.img?.message}
          sent={sent}
          onChange={img.onChange}
        />
      </div>
      <Button type="submit" busy={isSubmitting}>
        Add Product
      </Button>
    </form>
  );
}
