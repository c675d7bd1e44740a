import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { z } from 'zod';
import type { Viewer } from '../../../../contract/pages.ts';
import { newReview } from '../../../../contract/reviews.ts';
import { Field, TextArea } from '../../../components/field.tsx';
import { useToast } from '../../../components/toast.tsx';
import { bySchema } from '../../../form.ts';
import { createKeys } from '../../../idempotency.ts';
import { session } from '../../../session.ts';
import { PictureForm } from '../picture-form.tsx';
import { RatingField } from './rating-field.tsx';

const schema = newReview.pick({ rating: true, reviews: true }).extend({
  img: z.instanceof(File, { error: 'Image is Required' }),
});

/** A review of the shop by who is signed in. */
export function ReviewForm({ viewer, onAdded }: { viewer: Viewer; onAdded: () => void }) {
  const form = useForm({
    resolver: bySchema(schema),
    defaultValues: { reviews: '' },
    shouldFocusError: false,
  });
  const { errors } = form.formState;
  const { field: rating } = useController({ control: form.control, name: 'rating' });
  const img = useController({ control: form.control, name: 'img' });
  const [keyOf] = useState(createKeys);
  const toast = useToast();

  async function save({ rating, reviews }: z.infer<typeof schema>, address: string) {
    const { name, email } = viewer;
    const body = { name, email, rating, reviews, img: address };
    await session().client.call('addReview', { body, idempotencyKey: keyOf(body) });
    toast('Review Added Successfully!');
    onAdded();
  }

  return (
    <PictureForm
      form={form}
      img={img}
      fields={['rating', 'reviews', 'img']}
      by={viewer.email}
      act="Add Review"
      failed="Failed to add the Review"
      save={save}
    >
      <div className="grid gap-x-6 sm:grid-cols-2">
        <Field label="Name" name="name" value={viewer.name} readOnly autoComplete="name" />
        <Field label="Email" name="email" type="email" value={viewer.email} readOnly autoComplete="email" />
      </div>
      <RatingField value={rating.value} error={errors.rating?.message} onChange={rating.onChange} />
      <TextArea
        label="Comments"
        hint="What you used it for, and how it held up. 2,000 characters at most; cards show the first 80."
        rows={7}
        maxLength={2000}
        error={errors.reviews?.message}
        {...form.register('reviews')}
      />
    </PictureForm>
  );
}
